//! The heuristics that are compared, and how each is built within a memory limit.

use portolan::portal::bound::PortalConfig;
use portolan::portal::{PerfectPortal, PortalSearch};
use portolan::true_distance::differential::{Placement, Precision};
use portolan::{Build, BuildError, Connectivity, Engine, Map, Settings, registry};

use crate::workload::Subject;
use crate::{Error, engines};

/// A method of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    Differential,
    Canonical,
    Border,
    Gateway,
    /// A* with the portal heuristic.
    Portal,
    /// Portal-Based Search without the choice of directions.
    MacroEdges,
    /// Portal-Based Search with all enhancements.
    Enhanced,
    Perfect,
}

/// What Tables 3 and 4 compare.
pub(super) const RIVALS: [Contender; 5] = [
    Contender::Differential,
    Contender::Canonical,
    Contender::Border,
    Contender::Enhanced,
    Contender::Perfect,
];

/// What Table 2 compares.
pub(super) const VERSIONS: [Contender; 4] =
    [Contender::Portal, Contender::MacroEdges, Contender::Enhanced, Contender::Perfect];

impl Contender {
    /// Its name in the paper.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Differential => "DH",
            Self::Canonical => "CH",
            Self::Border => "BH",
            Self::Gateway => "GH",
            Self::Portal => "PH",
            Self::MacroEdges => "PH+ME",
            Self::Enhanced => "PHe",
            Self::Perfect => "PPH",
        }
    }

    /// Builds it within this many bytes; `None` if it does not fit.
    pub(super) fn build(
        self,
        subject: &Subject,
        memory_limit: u64,
    ) -> Result<Option<Box<dyn Engine>>, Error> {
        let settings = Settings { memory_limit: memory_limit.into(), ..subject.settings.clone() };
        let map = &subject.map;
        let config = PortalConfig::from_settings(&settings, memory_limit);
        let built = match self {
            Self::Differential => by_name("differential", map, &landmarks(settings, map)),
            Self::Canonical => by_name("canonical", map, &settings),
            Self::Border => by_name("border", map, &settings),
            Self::Gateway => by_name("gateway", map, &settings),
            Self::Portal => by_name("portal", map, &settings),
            Self::MacroEdges => search(map, &PortalConfig { directions: false, ..config }),
            Self::Enhanced => search(map, &config),
            Self::Perfect => {
                PerfectPortal::build(map, &config).map(|engine| Box::new(engine) as Box<_>)
            }
        };
        match built {
            Ok(engine) => Ok(Some(engine)),
            Err(BuildError::MemoryLimit { .. }) => Ok(None),
            Err(error) => Err(engines::cannot_build(self.name())(error)),
        }
    }
}

type Built = Result<Box<dyn Engine>, BuildError>;

fn by_name(name: &str, map: &Map, settings: &Settings) -> Built {
    registry::method(name).expect("it is registered").build(map, settings)
}

fn search(map: &Map, config: &PortalConfig) -> Built {
    PortalSearch::build(map, config).map(|engine| Box::new(engine) as Box<_>)
}

/// As many landmarks as fit, placed as in the paper. Distances take two bytes on four-connected
/// maps, where these lose nothing, and elsewhere where there is little memory; where there is room
/// for one of them, every cell has that to one of two landmarks.
fn landmarks(mut settings: Settings, map: &Map) -> Settings {
    let four = matches!(map, Map::Grid(grid) if grid.connectivity() == Connectivity::Four);
    let entries = settings.memory_limit.bytes(map) / (4 * map.usable_count().max(1) as u64);
    let (precision, landmarks) = match entries {
        // Less than an entry of four bytes has room for one of one byte, if for any.
        0 => (Precision::Bits8, 1),
        8.. if !four => (Precision::Bits32, entries),
        _ => (Precision::Bits16, 2 * entries),
    };
    settings.differential.landmarks = landmarks as usize;
    settings.differential.kept = (entries == 1 && four).then_some(1);
    settings.differential.precision = precision;
    settings.differential.placement = Placement::Advanced;
    settings
}
