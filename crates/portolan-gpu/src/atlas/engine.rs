//! The engine: a form, and the rounds in which it answers.

use std::sync::{Mutex, PoisonError};

use portolan::{Cost, Map, Progress};
use wgpu::CommandEncoder;

use super::form::{Form, check_turns};
use super::{ALONE, GpuAtlasConfig, GpuAtlasForm, NAME, general, uniform};
use crate::batch::{GpuPaths, GpuRound, PATH_ANSWER_WORDS, PathForm, Positions, Request};
use crate::device::{
    Gpu, Kernel, Launch, RoundBuffers, RoundShape, Rounds, Timing, batch_room, make_room,
};
use crate::engine::{GpuEngine, run_distances, run_paths};
use crate::error::GpuError;

/// Exact distances and paths by hub labels, for any map.
///
/// ```
/// use portolan::generate::Rooms;
/// use portolan_gpu::{Gpu, GpuAtlas, GpuAtlasConfig, GpuEngine};
///
/// let map = Rooms { width: 64, height: 64, room: 8, ..Rooms::default() }.generate()?.into();
/// let atlas = GpuAtlas::build(&Gpu::new()?, &map, &GpuAtlasConfig::default())?;
/// let requests = [(65, 4030), (4030, 65)];
/// let paths = atlas.find_all(&requests)?;
/// for path in paths.iter() {
///     let path = path?.expect("all rooms are connected");
///     assert_eq!(map.walk(path.nodes()), Ok(path.cost()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuAtlas {
    pub(super) gpu: Gpu,
    pub(super) map: Map,
    pub(super) form: Form,
    rounds: Mutex<AllRounds>,
}

/// What answers batches, by kind of answer.
#[derive(Debug, Default)]
struct AllRounds {
    distances: Answers<Kernel, Launch>,
    /// By [`PathForm`].
    paths: [Answers<[Kernel; 2], [Launch; 2]>; 2],
}

/// Kernels and rounds of a kind of answer, made on first use. Rounds suit the largest batch so far.
#[derive(Debug)]
struct Answers<K, T> {
    kernels: Option<K>,
    rounds: Option<Rounds<T>>,
    /// The requests that batches may have.
    room: u64,
}

impl<K, T> Default for Answers<K, T> {
    fn default() -> Self {
        Self { kernels: None, rounds: None, room: 0 }
    }
}

impl GpuAtlas {
    /// Prepares a map on the host and uploads its labels.
    pub fn build(gpu: &Gpu, map: &Map, config: &GpuAtlasConfig) -> Result<Self, GpuError> {
        Self::build_watched(gpu, map, config, &())
    }

    /// Prepares a map, reports progress and can be cancelled.
    pub fn build_watched(
        gpu: &Gpu,
        map: &Map,
        config: &GpuAtlasConfig,
        progress: &dyn Progress,
    ) -> Result<Self, GpuError> {
        let general = || general::build(gpu, map, config, progress);
        let uniform = || uniform::build(gpu, map, config, progress);
        let form = match config.form {
            GpuAtlasForm::General => general()?,
            GpuAtlasForm::Uniform => uniform()?,
            GpuAtlasForm::Fastest => match general() {
                Err(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. })
                    if uniform::supported(map).is_ok() =>
                {
                    uniform()?
                }
                general => general?,
            },
        };
        Ok(Self::new(gpu, map, form))
    }

    pub(super) fn new(gpu: &Gpu, map: &Map, form: Form) -> Self {
        Self { gpu: gpu.clone(), map: map.clone(), form, rounds: Mutex::default() }
    }

    /// The form that was built: never [`GpuAtlasForm::Fastest`].
    pub fn form(&self) -> GpuAtlasForm {
        self.form.kind
    }

    /// As [`visit_paths`](GpuEngine::visit_paths), in a form of your choice: with
    /// [`PathForm::Nodes`] the device expands paths to cells.
    pub fn visit_paths_as(
        &self,
        form: PathForm,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        let form = if self.map.as_grid().is_some() { form } else { PathForm::Nodes };
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = &mut rounds.paths[form as usize];
        let rounds = self.path_rounds(form, answers, requests.len())?;
        let record = |[distance, path]: &[Launch; 2], encoder: &mut CommandEncoder, count| {
            self.form.record_distances(&self.gpu, distance, encoder, count);
            path.record(&self.gpu, encoder, count.div_ceil(ALONE));
        };
        let batch = (requests, Positions::From(0));
        let (timing, _) = run_paths((&self.gpu, rounds), (&self.map, form), batch, record, visit)?;
        Ok(timing)
    }

    /// As [`find_all`](GpuEngine::find_all), in a form of your choice.
    pub fn find_all_as<'a>(
        &self,
        form: PathForm,
        requests: &'a [Request],
    ) -> Result<GpuPaths<'a>, GpuError> {
        let mut paths = GpuPaths::new(self.map(), requests);
        let timing = self.visit_paths_as(form, requests, &mut |round| paths.add(&round))?;
        paths.set_timing(timing);
        Ok(paths)
    }

    /// The rounds for a batch of so many distances.
    fn distance_rounds<'a>(
        &self,
        answers: &'a mut Answers<Kernel, Launch>,
        count: usize,
    ) -> Result<&'a mut Rounds<Launch>, GpuError> {
        let Self { gpu, form, .. } = self;
        let shape = RoundShape::fit(gpu, [1, 0], 0, u64::MAX);
        let compile = || form.distance_kernel(gpu, 1);
        let count = (count as u64).min(shape.requests);
        answers.for_batch(count, compile, |kernel, room| {
            let shape = shape.for_batch(room, 0);
            Rounds::new(gpu, shape, |RoundBuffers { requests, answers, .. }| {
                form.distance.bind(gpu, kernel, &[(0, requests), (1, answers)])
            })
        })
    }

    /// The rounds for a batch of so many paths.
    fn path_rounds<'a>(
        &self,
        path_form: PathForm,
        answers: &'a mut Answers<[Kernel; 2], [Launch; 2]>,
        count: usize,
    ) -> Result<&'a mut Rounds<[Launch; 2]>, GpuError> {
        let Self { gpu, form, .. } = self;
        let size = form.paths[path_form as usize];
        check_turns(gpu, size.turns, "another engine; distances alone are possible")?;
        // The words in use are counted in 32 bits, also those that the pool has no room for.
        let most = (1 << 31) / size.most.max(1);
        let shape = RoundShape::fit(gpu, [PATH_ANSWER_WORDS, size.usual], 0, most);
        let compile = || {
            let distance = form.distance_kernel(gpu, PATH_ANSWER_WORDS)?;
            Ok([distance, form.path_kernel(gpu, path_form)?])
        };
        let count = (count as u64).min(shape.requests);
        answers.for_batch(count, compile, |[distance, path], room| {
            let shape = shape.for_batch(room, size.most);
            Rounds::new(gpu, shape, |RoundBuffers { requests, answers, pool }| {
                let round = [(0, requests), (1, answers), (2, pool)];
                let distance = form.distance.bind(gpu, distance, &round[..2])?;
                Ok([distance, form.path.bind(gpu, path, &round)?])
            })
        })
    }
}

impl<K, T> Answers<K, T> {
    /// Rounds for a batch of so many requests: those of the last batch, unless it was smaller or an
    /// error has spoiled them. `make` makes rounds for batches of some size.
    fn for_batch(
        &mut self,
        count: u64,
        compile: impl FnOnce() -> Result<K, GpuError>,
        make: impl Fn(&K, u64) -> Result<Rounds<T>, GpuError>,
    ) -> Result<&mut Rounds<T>, GpuError> {
        let Self { kernels, rounds, room } = self;
        let kernels = match kernels.take() {
            Some(compiled) => kernels.insert(compiled),
            None => kernels.insert(compile()?),
        };
        // The old buffers go before there are new ones.
        match rounds.take().filter(|rounds| *room >= count && !rounds.is_broken()) {
            Some(usable) => Ok(rounds.insert(usable)),
            None => {
                *room = batch_room(count);
                Ok(rounds.insert(make_room(*room, |room| make(kernels, room))?))
            }
        }
    }
}

#[cfg(test)]
impl GpuAtlas {
    /// Bytes of the rounds of distances and of paths.
    pub(super) fn bytes_of_rounds(&self) -> [u64; 2] {
        let AllRounds { distances, paths } = &*self.rounds.lock().expect("no panic");
        let paths = paths.iter().filter_map(|answers| answers.rounds.as_ref());
        let distances = distances.rounds.as_ref().map_or(0, Rounds::bytes);
        [distances, paths.map(Rounds::bytes).sum()]
    }
}

impl GpuEngine for GpuAtlas {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        &self.map
    }

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn memory_bytes(&self) -> u64 {
        self.form.bytes
    }

    fn form_name(&self) -> Option<String> {
        Some(self.form.kind.to_string())
    }

    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = self.distance_rounds(&mut rounds.distances, requests.len())?;
        let record = |distance: &Launch, encoder: &mut CommandEncoder, count| {
            self.form.record_distances(&self.gpu, distance, encoder, count);
        };
        run_distances((&self.gpu, rounds), requests, record, costs)
    }

    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        self.visit_paths_as(PathForm::Legs, requests, visit)
    }
}
