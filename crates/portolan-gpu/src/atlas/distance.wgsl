// The distance of each request: LANES neighbouring invocations answer it together. A form defines
// `answer`, which all lanes of a subgroup call together.

// A power of two, at most the size of a subgroup; 1 without subgroup operations.
override LANES: u32 = 1u;
// The words of an answer: the cost; with three words also what `path` needs to know.
override ANSWER_WORDS: u32 = 1u;

@group(1) @binding(0) var<storage, read> requests: array<u32>;
@group(1) @binding(1) var<storage, read_write> answers: array<u32>;
