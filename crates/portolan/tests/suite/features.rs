//! The optional features: METIS, pictures, maps, edits and settings as JSON, and spans for long work.

use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::formats::{self, MapFormat};
use portolan::partition::{CutMethod, PartitionError, Partitioner};
use portolan::{Build, BuildError, Grid, Map};

/// Large enough to be cut.
#[test]
fn metis_is_refused_without_its_feature() {
    let partitioner = Partitioner { method: CutMethod::Metis, ..Partitioner::default() };
    let config = AtlasConfig { partitioner, form: Form::General, ..AtlasConfig::default() };
    let refusal = Atlas::build(&Map::from(Grid::new(40, 40).unwrap()), &config).err();
    let is_refused = matches!(refusal, Some(BuildError::Partition(PartitionError::NoMetis)));
    assert_eq!((is_refused, refusal.is_some()), (!cfg!(feature = "metis"), is_refused));
}

#[test]
fn pictures_are_refused_without_their_feature() {
    let message = formats::read_map(MapFormat::Png, b"no picture").unwrap_err().to_string();
    assert_eq!(
        message.contains("cannot be read by this build"),
        !cfg!(feature = "png"),
        "{message}"
    );
}

#[cfg(feature = "serde")]
mod serde {
    use portolan::graph::Point;
    use portolan::prelude::*;
    use portolan::{Graph, GraphBuilder};

    fn there_and_back<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    fn refusal<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
        serde_json::from_str::<T>(json).unwrap_err().to_string()
    }

    #[test]
    fn grids_keep_cells_terrain_and_rules() {
        let plain: Grid = "..#\n.#.".parse().unwrap();
        let json = serde_json::to_string(&plain).unwrap();
        assert_eq!(json, r##"{"connectivity":"Eight","corners":"Never","cells":["..#",".#."]}"##);
        assert_eq!(there_and_back(&plain), plain);
        let other = plain.with_connectivity(Connectivity::Hex).with_corners(Corners::Always);
        let other = other.with_terrain(vec![1, 2, 3, 4, 5, 255]).unwrap();
        assert_eq!(there_and_back(&other), other);
    }

    #[test]
    fn graphs_keep_edges_places_unit_and_deleted_nodes() {
        let mut builder = GraphBuilder::new(4).unwrap().with_unit(100).unwrap();
        for (tail, head, weight) in [(0, 1, 5), (0, 1, 5), (1, 1, 0), (2, 3, 9), (3, 0, 1)] {
            builder.add_edge(tail, head, weight).unwrap();
        }
        builder.set_coordinates((0..4).map(|x| Point { x, y: -x }).collect()).unwrap();
        let mut graph = builder.build();
        graph.apply(&Changes::new().delete_node(2)).unwrap();
        let back = there_and_back(&graph);
        for node in 0..5 {
            assert!(graph.edges(node).eq(back.edges(node)), "node {node}");
            assert_eq!(graph.contains(node), back.contains(node));
        }
        assert_eq!((graph.unit(), graph.coordinates()), (back.unit(), back.coordinates()));
        assert!(matches!(there_and_back(&Map::from(graph)), Map::Graph(_)));
    }

    #[test]
    fn edits_cells_and_settings_come_back() {
        let changes = Changes::new().block(3).set_factor(4, 7).insert_edge(1, 2, 30).delete_node(9);
        assert_eq!(there_and_back(&changes), changes);
        assert_eq!(there_and_back(&Location::from((3, -4))), Location::from((3, -4)));
        let settings = Settings { memory_limit: 9.into(), ..Settings::default() };
        assert_eq!(there_and_back(&settings), settings);
        assert_eq!(there_and_back(&Settings::default()), Settings::default());
        let limited: Settings = serde_json::from_str(r#"{"memory_limit": 9}"#).unwrap();
        assert_eq!(limited, settings);
        let partial: Settings = serde_json::from_str(r#"{"seed": 7}"#).unwrap();
        assert_eq!(partial, Settings { seed: 7, ..Settings::default() });
    }

    #[test]
    fn records_that_are_no_maps_are_refused() {
        let grid = |cells: &str, more: &str| {
            refusal::<Grid>(&format!(
                r#"{{"connectivity":"Eight","corners":"Never","cells":{cells}{more}}}"#
            ))
        };
        assert!(grid("[]", "").contains("has no cell"));
        assert_eq!(grid(r#"["..", "."]"#, ""), "row 1 has 1 cells, the first has 2");
        assert!(grid(r#"["é"]"#, "").starts_with("row 0 contains 'é'"));
        assert!(grid(r#"["."]"#, r#","factors":[1, 1]"#).starts_with("2 terrain factors"));
        assert!(grid(r#"["."]"#, r#","factors":[0]"#).contains("factor 0"));
        let graph = |json: &str| refusal::<CsrGraph>(json);
        assert!(graph(r#"{"unit":0,"edges":[]}"#).contains("scale is 0"));
        assert!(graph(r#"{"unit":1,"edges":[[[1, 5]]]}"#).contains("beyond the last"));
        assert!(graph(r#"{"unit":1,"edges":[[]],"deleted":[1]}"#).contains("no node 1"));
        assert!(graph(r#"{"unit":1,"edges":[[]],"coordinates":[]}"#).contains("0 coordinates"));
    }
}

#[cfg(feature = "tracing")]
mod tracing {
    use std::sync::{Arc, Mutex};

    use portolan::prelude::*;
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    /// Notes the names of spans.
    #[derive(Clone, Default)]
    struct Names(Arc<Mutex<Vec<&'static str>>>);

    impl Subscriber for Names {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "portolan"
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            let mut names = self.0.lock().unwrap();
            names.push(span.metadata().name());
            Id::from_u64(names.len() as u64)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn long_work_opens_spans() {
        let names = Names::default();
        tracing::subscriber::with_default(names.clone(), || {
            let mut finder = PathFinder::new(Grid::new(30, 20).unwrap()).unwrap();
            finder.edit(|edit| edit.block((3, 4))).unwrap();
            finder.rebuild().unwrap();
            finder.find_all(&[((0, 0), (9, 9))]).unwrap();
            World::new(Grid::new(30, 20).unwrap())
                .unwrap()
                .edit(|edit| edit.block((1, 1)))
                .unwrap();
        });
        let names = names.0.lock().unwrap();
        assert_eq!(*names, ["build", "refresh", "rebuild", "batch", "edit"]);
    }
}
