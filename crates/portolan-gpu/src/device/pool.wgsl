// Room for paths in the array `pool`, which a kernel declares. Its header counts the words in use,
// or more than there are.

const POOL_FULL: u32 = 0xffffffffu;
// The header of requests and of the pool.
const HEADER_WORDS: u32 = 4u;

// No device runs 2^18 invocations at the same time, so additions of up to so many words never make
// the counter wrap around.
const MOST_ADDED: u32 = 1u << 13u;

// Takes so many of `most` words. Returns the first, or POOL_FULL.
fn take_words(words: u32, most: u32) -> u32 {
    var start = atomicLoad(&pool[0]);
    if words > most || start > most - words {
        return POOL_FULL;
    }
    if words <= MOST_ADDED {
        start = atomicAdd(&pool[0], words);
        return select(HEADER_WORDS + start, POOL_FULL, start > most - words);
    }
    // Where thousands of invocations exchange at a time, nearly all fail, so only long paths do.
    loop {
        let seen = atomicCompareExchangeWeak(&pool[0], start, start + words);
        if seen.exchanged {
            return HEADER_WORDS + start;
        }
        start = seen.old_value;
        if start > most - words {
            return POOL_FULL;
        }
    }
    return POOL_FULL;
}
