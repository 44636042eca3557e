//! The engine: one of two forms.

use portolan::{Cost, Map, Progress};

use super::general::General;
use super::uniform::{self, Uniform};
use super::{GpuAtlasConfig, GpuAtlasForm, NAME};
use crate::batch::{GpuPaths, GpuRound, PathForm, Request};
use crate::device::{Gpu, Timing};
use crate::engine::GpuEngine;
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
pub struct GpuAtlas(pub(super) Form);

#[derive(Debug)]
pub(super) enum Form {
    General(Box<General>),
    Uniform(Box<Uniform>),
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
        let general = || General::build(gpu, map, config, progress);
        let uniform = || Uniform::build(gpu, map, config, progress);
        Ok(Self(match config.form {
            GpuAtlasForm::General => Form::General(Box::new(general()?)),
            GpuAtlasForm::Uniform => Form::Uniform(Box::new(uniform()?)),
            GpuAtlasForm::Fastest => match general() {
                Err(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. })
                    if uniform::supported(map).is_ok() =>
                {
                    Form::Uniform(Box::new(uniform()?))
                }
                general => Form::General(Box::new(general?)),
            },
        }))
    }

    /// The form that was built: never [`GpuAtlasForm::Fastest`].
    pub fn form(&self) -> GpuAtlasForm {
        match &self.0 {
            Form::General(_) => GpuAtlasForm::General,
            Form::Uniform(_) => GpuAtlasForm::Uniform,
        }
    }

    /// As [`visit_paths`](GpuEngine::visit_paths), in a form of your choice: with
    /// [`PathForm::Nodes`] the device expands paths to cells.
    pub fn visit_paths_as(
        &self,
        form: PathForm,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        match &self.0 {
            Form::General(general) => general.visit_paths_as(form, requests, visit),
            Form::Uniform(uniform) => uniform.visit_paths_as(form, requests, visit),
        }
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
}

impl GpuEngine for GpuAtlas {
    fn name(&self) -> &'static str {
        NAME
    }

    fn exact(&self) -> bool {
        true
    }

    fn map(&self) -> &Map {
        match &self.0 {
            Form::General(general) => &general.map,
            Form::Uniform(uniform) => &uniform.map,
        }
    }

    fn gpu(&self) -> &Gpu {
        match &self.0 {
            Form::General(general) => &general.gpu,
            Form::Uniform(uniform) => &uniform.gpu,
        }
    }

    fn memory_bytes(&self) -> u64 {
        match &self.0 {
            Form::General(general) => general.buffers.bytes,
            Form::Uniform(uniform) => uniform.memory_bytes(),
        }
    }

    fn distances_into(
        &self,
        requests: &[Request],
        costs: &mut Vec<Cost>,
    ) -> Result<Timing, GpuError> {
        match &self.0 {
            Form::General(general) => general.distances_into(requests, costs),
            Form::Uniform(uniform) => uniform.distances_into(requests, costs),
        }
    }

    fn visit_paths(
        &self,
        requests: &[Request],
        visit: &mut dyn FnMut(GpuRound<'_>),
    ) -> Result<Timing, GpuError> {
        self.visit_paths_as(PathForm::Legs, requests, visit)
    }
}
