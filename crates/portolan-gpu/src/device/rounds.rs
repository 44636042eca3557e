//! Batches of any size, in rounds that fit the device.
//!
//! A round uploads requests, runs kernels and downloads answers. [`Rounds`] keeps up to three in
//! flight, so that the host reads the answers of one round while the device works on the next.
//! Requests and answers have a fixed number of words. Paths do not: kernels take room for them from
//! a pool, whose first word counts the words in use, and only those are downloaded.
//!
//! | buffer | contents |
//! |---|---|
//! | requests | [`HEADER_WORDS`] words, the first of which is the number of requests; then the requests |
//! | answers | one answer per request |
//! | pool | [`HEADER_WORDS`] words, the first of which is the number of words in use; then paths |

use std::ops::Range;
use std::time::{Duration, Instant};

use wgpu::{
    Buffer, BufferUsages, CommandEncoder, MapMode, QuerySet, QuerySetDescriptor, QueryType,
    SubmissionIndex,
};

use super::Gpu;
use super::kernel::{wait, with_mapped};
use crate::batch::{Positions, Request};
use crate::error::GpuError;

/// The words before the first request, and before the first path.
pub(crate) const HEADER_WORDS: u64 = 4;

/// How kernels take room from the pool.
pub(crate) const POOL_SOURCE: &str = include_str!("pool.wgsl");

/// Rounds in flight.
const SLOTS: usize = 3;

/// Points in time of a round: before the upload, before and after the kernels, after the download.
const TIMES: u32 = 4;

/// The most bytes of requests and answers of a round. Larger rounds use the device no better, and
/// smaller ones let transfers overlap with kernels.
const ROUND_BYTES: u64 = 64 << 20;

/// The requests for which the smallest rounds have room.
const LEAST_REQUESTS: u64 = 64;

/// The words of the smallest pool. Few paths differ more from the mean than many.
const LEAST_POOL: u64 = 1 << 16;

/// How long the parts of a batch took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    /// From the call to the last answer.
    pub total: Duration,
    /// Copying requests to the device, as the device measures it; zero without timestamps.
    pub upload: Duration,
    /// The kernels, as the device measures them; zero without timestamps.
    pub kernel: Duration,
    /// Copying answers from the device, as the device measures it; zero without timestamps.
    pub download: Duration,
    /// The number of rounds.
    pub rounds: u32,
}

impl Timing {
    /// The sum of two batches.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            total: self.total + other.total,
            upload: self.upload + other.upload,
            kernel: self.kernel + other.kernel,
            download: self.download + other.download,
            rounds: self.rounds + other.rounds,
        }
    }
}

/// The sizes of a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundShape {
    pub(crate) requests: u64,
    pub(crate) answer_words: u64,
    /// The words for the paths of a round; 0 if there is no pool.
    pub(crate) pool_words: u64,
}

impl RoundShape {
    /// The largest round of at most `most` requests that fits the device and its working memory, if
    /// each needs `path_words` of the pool and `state_bytes` of other memory.
    pub(crate) fn fit(
        gpu: &Gpu,
        [answer_words, path_words]: [u64; 2],
        state_bytes: u64,
        most: u64,
    ) -> Self {
        let widest = REQUEST_WORDS.max(answer_words).max(path_words);
        let by_binding = (gpu.max_binding() / 4).saturating_sub(HEADER_WORDS) / widest.max(1);
        let transferred = 4 * (REQUEST_WORDS + answer_words + path_words);
        // Every word is in a buffer of the device and in one of the host.
        let per_request = 2 * SLOTS as u64 * transferred + state_bytes;
        let by_memory = gpu.working_memory() / per_request.max(1);
        let by_latency = ROUND_BYTES / (4 * (REQUEST_WORDS + answer_words));
        let requests = by_binding.min(by_memory).min(by_latency).min(most).max(1);
        let pool_words = if path_words == 0 { 0 } else { requests * path_words };
        Self { requests, answer_words, pool_words }
    }

    /// The part of this shape that suits batches of so many requests, with room for a path of
    /// `longest` words if the whole shape has it.
    pub(crate) fn for_batch(self, count: u64, longest: u64) -> Self {
        let requests = count.min(self.requests);
        let pool_words = (self.pool_words / self.requests * requests)
            .max(LEAST_POOL.max(longest))
            .min(self.pool_words);
        Self { requests, pool_words, ..self }
    }
}

/// For how many requests to make buffers if a batch has so many. The buffers then serve all batches
/// of similar size.
pub(crate) fn batch_room(count: u64) -> u64 {
    count.next_power_of_two().max(LEAST_REQUESTS)
}

/// Makes the buffers for batches of `room` requests, or smaller ones if the device has no memory
/// for them.
pub(crate) fn make_room<T>(
    mut room: u64,
    mut make: impl FnMut(u64) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    loop {
        match make(room) {
            Err(GpuError::OutOfMemory { .. }) if room > LEAST_REQUESTS => {
                room = (room / 4).max(LEAST_REQUESTS);
            }
            made => return made,
        }
    }
}

/// The buffers of a round, to which kernels are bound.
#[derive(Debug)]
pub(crate) struct RoundBuffers {
    pub(crate) requests: Buffer,
    pub(crate) answers: Buffer,
    /// A few unused words if the shape has no pool.
    pub(crate) pool: Buffer,
}

/// A slot: the buffers of a round, what an engine binds to them, and the host's side of transfers.
struct Slot<T> {
    buffers: RoundBuffers,
    bound: T,
    upload: Buffer,
    download: Buffer,
    pool_download: Option<Buffer>,
    times: Option<(QuerySet, Buffer)>,
    stage: Stage,
}

/// What a slot is doing.
enum Stage {
    Idle,
    /// Kernels run, then answers are copied.
    Running(Range<usize>, SubmissionIndex),
    /// So many words of the pool are copied.
    Copying(Range<usize>, SubmissionIndex, u64),
}

/// Runs batches. `T` is what an engine keeps for each slot: its kernels, bound to the buffers.
pub(crate) struct Rounds<T> {
    shape: RoundShape,
    /// The requests for which there are buffers.
    room: u64,
    slots: Vec<Slot<T>>,
    /// Set while a batch runs, and for ever if `receive` panics in it.
    is_running: bool,
}

/// Receives the answers of a round: which of the positions it answers, the answers, and the words
/// of the pool, to which answers refer. Positions in the pool include the header.
pub(crate) type Receive<'a> = dyn FnMut(Range<usize>, &[u32], &[u32]) + 'a;

/// The words of a request: start and goal.
const REQUEST_WORDS: u64 = 2;

impl<T> Rounds<T> {
    /// Creates the buffers. `bind` binds kernels to those of a slot.
    pub(crate) fn new(
        gpu: &Gpu,
        shape: RoundShape,
        mut bind: impl FnMut(&RoundBuffers) -> Result<T, GpuError>,
    ) -> Result<Self, GpuError> {
        let slots = (0..SLOTS).map(|_| {
            let bytes = |words: u64, per_request: u64| 4 * (words + shape.requests * per_request);
            let on_device = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let to_host = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let to_device = BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC;
            let request_bytes = bytes(HEADER_WORDS, REQUEST_WORDS);
            let pool_bytes = bytes(HEADER_WORDS + shape.pool_words, 0);
            let buffers = RoundBuffers {
                requests: gpu.buffer("requests", request_bytes, on_device)?,
                answers: gpu.buffer("answers", bytes(0, shape.answer_words), on_device)?,
                pool: gpu.buffer("paths", pool_bytes, on_device)?,
            };
            let download_bytes = bytes(HEADER_WORDS + 2 * u64::from(TIMES), shape.answer_words);
            let has_pool = shape.pool_words > 0;
            Ok::<_, GpuError>(Slot {
                bound: bind(&buffers)?,
                buffers,
                upload: gpu.buffer("requests", request_bytes, to_device)?,
                download: gpu.buffer("answers", download_bytes, to_host)?,
                pool_download: match has_pool {
                    true => Some(gpu.buffer("paths", pool_bytes, to_host)?),
                    false => None,
                },
                times: if gpu.has_timestamps() { Some(times(gpu)?) } else { None },
                stage: Stage::Idle,
            })
        });
        let slots = slots.collect::<Result<_, _>>()?;
        Ok(Self { shape, room: shape.requests, slots, is_running: false })
    }

    /// From now on, rounds have at most so many requests.
    pub(crate) fn limit(&mut self, requests: u64) {
        self.shape.requests = self.room.min(requests);
    }

    /// Bytes of all buffers.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |slot: &Slot<T>| {
            let RoundBuffers { requests, answers, pool } = &slot.buffers;
            let on_host = [Some(&slot.upload), Some(&slot.download), slot.pool_download.as_ref()];
            let all = [requests, answers, pool].into_iter().chain(on_host.into_iter().flatten());
            all.map(Buffer::size).sum::<u64>()
        };
        self.slots.iter().map(bytes).sum()
    }

    pub(crate) fn shape(&self) -> &RoundShape {
        &self.shape
    }

    /// Answers the requests at these positions, at most `most` per round. `record` adds the kernels
    /// of a round of so many requests. `receive` gets the rounds in order.
    pub(crate) fn run(
        &mut self,
        gpu: &Gpu,
        (requests, positions): (&[Request], Positions<'_>),
        most: u64,
        record: impl Fn(&T, &mut CommandEncoder, u64),
        receive: &mut Receive<'_>,
    ) -> Result<Timing, GpuError> {
        let start = Instant::now();
        let per_round = self.shape.requests.min(most).max(1) as usize;
        let count = positions.count(requests.len());
        let rounds = count.div_ceil(per_round);
        let mut timing = Timing { rounds: rounds as u32, ..Timing::default() };
        self.is_running = true;
        let result = (|| {
            for round in 0..rounds + SLOTS - 1 {
                if round < rounds {
                    let range = round * per_round..((round + 1) * per_round).min(count);
                    self.start(gpu, round, (requests, positions), range, &record)?;
                }
                if let Some(previous) = round.checked_sub(1).filter(|&round| round < rounds) {
                    self.copy_pool(gpu, previous)?;
                }
                if let Some(oldest) = round.checked_sub(SLOTS - 1) {
                    self.finish(gpu, oldest, receive, &mut timing)?;
                }
            }
            Ok(())
        })();
        self.is_running = false;
        if result.is_err() {
            // Buffers may still be mapped or in use; the engine makes new ones.
            self.slots.clear();
        }
        timing.total = start.elapsed();
        result.map(|()| timing)
    }

    /// Whether an error or a panic has made the buffers unusable.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_running || self.slots.is_empty()
    }

    fn start(
        &mut self,
        gpu: &Gpu,
        round: usize,
        (requests, positions): (&[Request], Positions<'_>),
        range: Range<usize>,
        record: &impl Fn(&T, &mut CommandEncoder, u64),
    ) -> Result<(), GpuError> {
        let shape = self.shape;
        let slot = &mut self.slots[round % SLOTS];
        let count = range.len() as u64;
        let request_bytes = 4 * (HEADER_WORDS + count * REQUEST_WORDS);
        let at = |index: usize| requests[positions.at(range.start + index)];
        write_mapped(gpu, &slot.upload, range.len(), &at)?;
        let answer_bytes = 4 * count * shape.answer_words;
        let submission = gpu.guarded(("a round", 0), |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            let stamp = |encoder: &mut CommandEncoder, index| {
                if let Some((times, _)) = &slot.times {
                    encoder.write_timestamp(times, index);
                }
            };
            stamp(&mut encoder, 0);
            encoder.copy_buffer_to_buffer(
                &slot.upload,
                0,
                &slot.buffers.requests,
                0,
                request_bytes,
            );
            if shape.pool_words > 0 {
                encoder.clear_buffer(&slot.buffers.pool, 0, Some(4 * HEADER_WORDS));
            }
            stamp(&mut encoder, 1);
            record(&slot.bound, &mut encoder, count);
            stamp(&mut encoder, 2);
            let download = &slot.download;
            let header_bytes = 4 * HEADER_WORDS;
            encoder.copy_buffer_to_buffer(&slot.buffers.pool, 0, download, 0, header_bytes);
            let (from, to) = (header_bytes + 8 * u64::from(TIMES), answer_bytes);
            encoder.copy_buffer_to_buffer(&slot.buffers.answers, 0, download, from, to);
            stamp(&mut encoder, 3);
            if let Some((times, resolved)) = &slot.times {
                encoder.resolve_query_set(times, 0..TIMES, resolved, 0);
                let bytes = 8 * u64::from(TIMES);
                encoder.copy_buffer_to_buffer(resolved, 0, download, header_bytes, bytes);
            }
            let submission = gpu.queue().submit([encoder.finish()]);
            download.map_async(MapMode::Read, .., |_| {});
            slot.upload.map_async(MapMode::Write, .., |_| {});
            submission
        })?;
        slot.stage = Stage::Running(range, submission);
        Ok(())
    }

    /// Waits for the kernels of a round and starts to copy its paths.
    fn copy_pool(&mut self, gpu: &Gpu, round: usize) -> Result<(), GpuError> {
        let pool_words = self.shape.pool_words;
        let slot = &mut self.slots[round % SLOTS];
        let Some(pool_download) = &slot.pool_download else { return Ok(()) };
        let Stage::Running(range, submission) = std::mem::replace(&mut slot.stage, Stage::Idle)
        else {
            return Ok(());
        };
        wait(gpu, Some(submission.clone()))?;
        let bytes = 4 * HEADER_WORDS;
        let used = peek_mapped(gpu, &slot.download, bytes, |header| u64::from(header[0]))?;
        let words = HEADER_WORDS + used.min(pool_words);
        let submission = gpu.guarded(("a round", 0), |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&slot.buffers.pool, 0, pool_download, 0, 4 * words);
            let submission = gpu.queue().submit([encoder.finish()]);
            pool_download.map_async(MapMode::Read, 0..4 * words, |_| {});
            submission
        })?;
        slot.stage = Stage::Copying(range, submission, words);
        Ok(())
    }

    /// Waits for a round and delivers its answers.
    fn finish(
        &mut self,
        gpu: &Gpu,
        round: usize,
        receive: &mut Receive<'_>,
        timing: &mut Timing,
    ) -> Result<(), GpuError> {
        let answer_words = self.shape.answer_words as usize;
        let slot = &mut self.slots[round % SLOTS];
        let (range, submission, pool_words) = match std::mem::replace(&mut slot.stage, Stage::Idle)
        {
            Stage::Idle => return Ok(()),
            Stage::Running(range, submission) => (range, submission, 0),
            Stage::Copying(range, submission, words) => (range, submission, words),
        };
        wait(gpu, Some(submission))?;
        let count = range.len();
        let first = HEADER_WORDS as usize + 2 * TIMES as usize;
        let period = f64::from(gpu.queue().get_timestamp_period());
        let has_times = slot.times.is_some();
        let bytes = 4 * (first + count * answer_words) as u64;
        let mut deliver = |words: &[u32], pool: &[u32]| {
            if has_times {
                add_times(timing, &words[HEADER_WORDS as usize..first], period);
            }
            receive(range.clone(), &words[first..], pool);
        };
        match &slot.pool_download {
            Some(pool) => with_mapped(gpu, pool, 4 * pool_words, |pool| {
                with_mapped(gpu, &slot.download, bytes, |words| deliver(words, pool))
            })?,
            None => with_mapped(gpu, &slot.download, bytes, |words| deliver(words, &[])),
        }
    }
}

impl<T> std::fmt::Debug for Rounds<T> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Rounds").field("shape", &self.shape).finish_non_exhaustive()
    }
}

fn times(gpu: &Gpu) -> Result<(QuerySet, Buffer), GpuError> {
    let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
    let resolved = gpu.buffer("times", 8 * u64::from(TIMES), usage)?;
    let descriptor = QuerySetDescriptor { label: None, ty: QueryType::Timestamp, count: TIMES };
    let set = gpu.guarded(("times", 0), |device| device.create_query_set(&descriptor))?;
    Ok((set, resolved))
}

fn add_times(timing: &mut Timing, words: &[u32], period: f64) {
    let (stamps, _) = words.as_chunks::<2>();
    let ticks = |stamp: [u32; 2]| u64::from(stamp[0]) | u64::from(stamp[1]) << 32;
    let parts = [&mut timing.upload, &mut timing.kernel, &mut timing.download];
    for (part, ends) in parts.into_iter().zip(stamps.windows(2)) {
        let elapsed = ticks(ends[1]).saturating_sub(ticks(ends[0]));
        *part += Duration::from_nanos((elapsed as f64 * period) as u64);
    }
}

/// Works on all items in threads of its own. Not in those of rayon: the caller holds the lock of an
/// engine, and a thread of a pool that waits may take up work that needs the lock.
pub(crate) fn on_all_cores<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) {
    let share = items.len().div_ceil(rayon::current_num_threads()).max(1);
    if share == items.len() {
        return items.iter_mut().for_each(work);
    }
    let work = &work;
    std::thread::scope(|scope| {
        for items in items.chunks_mut(share) {
            scope.spawn(move || items.iter_mut().for_each(work));
        }
    });
}

/// Fills a buffer of the host with so many requests, on all cores, and gives it to the device. It
/// is mapped, or has never been.
fn write_mapped(
    gpu: &Gpu,
    buffer: &Buffer,
    count: usize,
    request: &(impl Fn(usize) -> Request + Sync),
) -> Result<(), GpuError> {
    const PIECE: usize = 1 << 16;
    let view = |range: Range<u64>| {
        let view = buffer.slice(range).get_mapped_range_mut();
        view.map_err(|error| gpu.failed(&error))
    };
    let header_bytes = 4 * HEADER_WORDS;
    let mut header = match buffer.slice(0..header_bytes).get_mapped_range_mut() {
        Ok(header) => header,
        Err(_) => {
            gpu.guarded(("requests", 0), |_| buffer.map_async(MapMode::Write, .., |_| {}))?;
            wait(gpu, None)?;
            view(0..header_bytes)?
        }
    };
    header.slice(..).write_iter((count as u64).to_le_bytes().into_iter().chain([0; 8]));
    let piece = |first: usize| {
        let most = PIECE.min(count - first);
        let start = header_bytes + 8 * first as u64;
        Ok((first, view(start..start + 8 * most as u64)?))
    };
    let pieces = (0..count).step_by(PIECE).map(piece);
    let mut pieces = pieces.collect::<Result<Vec<_>, GpuError>>()?;
    on_all_cores(&mut pieces, |(first, view)| {
        let (words, _) = view.slice(..).into_chunks::<8>();
        let range = *first..*first + words.len();
        words.write_iter(range.map(|index| {
            let (from, to) = request(index);
            (u64::from(from) | u64::from(to) << 32).to_le_bytes()
        }));
    });
    drop((header, pieces));
    gpu.guarded(("requests", 0), |_| buffer.unmap())
}

/// Reads the start of a mapped buffer and leaves it mapped.
fn peek_mapped<T>(
    gpu: &Gpu,
    buffer: &Buffer,
    bytes: u64,
    read: impl FnOnce(&[u32]) -> T,
) -> Result<T, GpuError> {
    gpu.check_lost()?;
    let view = buffer.slice(0..bytes).get_mapped_range();
    let view = view.map_err(|error| gpu.failed(&error))?;
    Ok(read(bytemuck::cast_slice(&view)))
}

#[cfg(test)]
mod tests {
    use super::super::{GpuOptions, Kernel, Launch};
    use super::*;

    /// Writes each request n as its answer, and n words of the pool that are all n.
    const SOURCE: &str = "
        @group(0) @binding(0) var<storage, read> requests: array<u32>;
        @group(0) @binding(1) var<storage, read_write> answers: array<u32>;
        @group(0) @binding(2) var<storage, read_write> pool: array<atomic<u32>>;

        @compute @workgroup_size(64)
        fn repeat(
            @builtin(workgroup_id) id: vec3<u32>,
            @builtin(num_workgroups) count: vec3<u32>,
            @builtin(local_invocation_index) lane: u32,
        ) {
            let at = workgroup_number(id, count) * 64u + lane;
            if at >= requests[0] {
                return;
            }
            let number = requests[4u + 2u * at + 1u];
            let start = 4u + atomicAdd(&pool[0], number);
            answers[2u * at] = number;
            answers[2u * at + 1u] = start;
            for (var i = 0u; i < number; i++) {
                atomicStore(&pool[start + i], number);
            }
        }";

    fn launch(gpu: &Gpu, buffers: &RoundBuffers) -> Result<Launch, GpuError> {
        let kernel = Kernel::new(gpu, "repeat", &[SOURCE], "repeat", &[])?;
        let RoundBuffers { requests, answers, pool } = buffers;
        kernel.bind(gpu, &[&[(0, requests), (1, answers), (2, pool)]])
    }

    /// The answers to these requests, in rounds of at most so many.
    fn answers(most: u64, requests: &[u32]) -> (Vec<u32>, Timing) {
        let gpu = Gpu::with_options(GpuOptions::default()).expect("a GPU, or a software driver");
        let shape = RoundShape::fit(&gpu, [2, 16], 0, most);
        let requests: Vec<Request> = requests.iter().map(|&number| (0, number)).collect();
        let batch = (&requests[..], Positions::From(0));
        let mut rounds = Rounds::new(&gpu, shape, |buffers| launch(&gpu, buffers)).expect("memory");
        let mut all = Vec::new();
        let record = |launch: &Launch, encoder: &mut CommandEncoder, count: u64| {
            launch.record(&gpu, encoder, count.div_ceil(64));
        };
        let timing = rounds.run(&gpu, batch, u64::MAX, record, &mut |range, answers, pool| {
            assert_eq!((range.start, 2 * range.len()), (all.len(), answers.len()));
            for answer in answers.as_chunks::<2>().0 {
                let path = &pool[answer[1] as usize..][..answer[0] as usize];
                assert!(path.iter().all(|word| word == &answer[0]));
                all.push(answer[0]);
            }
        });
        (all, timing.expect("the kernel is valid"))
    }

    #[test]
    fn many_rounds_answer_like_one() {
        let requests: Vec<u32> = (0..1000).map(|n| n * 7 % 16).collect();
        let (one, timing) = answers(1000, &requests);
        assert_eq!((&one, timing.rounds), (&requests, 1));
        for most in [1, 64, 100, 999] {
            let (many, timing) = answers(most, &requests);
            assert_eq!((&many, u64::from(timing.rounds)), (&requests, 1000_u64.div_ceil(most)));
        }
    }

    #[test]
    fn a_batch_without_requests_takes_no_round() {
        let (none, timing) = answers(10, &[]);
        assert_eq!((none.len(), timing.rounds), (0, 0));
    }
}
