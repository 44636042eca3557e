//! Recognises the format of a map file and reads it.

use std::path::Path;

use super::error::{FormatError, MapFileError};
use super::lines::TextLines;
use super::{ascii, dimacs, movingai};
use crate::map::Map;

/// The formats that hold a whole map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MapFormat {
    /// A grid of the MovingAI benchmark set, `.map`.
    MovingAiMap,
    /// A road network of the DIMACS challenge, `.gr`.
    DimacsGraph,
    /// A drawing, `.txt`, `.ascii` or `.drawing`.
    Drawing,
    /// A picture, `.png`.
    Png,
}

impl MapFormat {
    /// The format of a file, by the extension of its name, else by its first bytes; `None` if
    /// neither is known.
    ///
    /// ```
    /// use portolan::formats::MapFormat;
    /// assert_eq!(MapFormat::of("maps/arena.MAP", b""), Some(MapFormat::MovingAiMap));
    /// assert_eq!(MapFormat::of("roads.txt", b"c Luxembourg\np sp 3 2\n"), Some(MapFormat::DimacsGraph));
    /// assert_eq!(MapFormat::of("notes.md", b"Dear diary"), None);
    /// ```
    pub fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        // A `.txt` file is a drawing only if its content is no other format.
        let is_text = name.to_ascii_lowercase().ends_with(".txt");
        let drawing = is_text.then_some(Self::Drawing);
        Self::by_extension(name).or_else(|| Self::by_content(bytes)).or(drawing)
    }

    fn by_extension(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "map" => Some(Self::MovingAiMap),
            "gr" => Some(Self::DimacsGraph),
            "ascii" | "drawing" => Some(Self::Drawing),
            "png" => Some(Self::Png),
            _ => None,
        }
    }

    fn by_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Some(Self::Png);
        }
        let mut line = TextLines::new(bytes).non_blank().next()?;
        let whole = line.trimmed();
        match line.first_field("").ok()?.bytes {
            b"type" => Some(Self::MovingAiMap),
            b"c" => Some(Self::DimacsGraph),
            b"p" if line.first_field("").is_ok_and(|word| word.bytes == b"sp") => {
                Some(Self::DimacsGraph)
            }
            _ if whole.bytes.iter().all(|byte| b".#@ST123456789/ \t".contains(byte)) => {
                Some(Self::Drawing)
            }
            _ => None,
        }
    }
}

/// Reads a map in this format. Ignores the start and goal of a drawing.
///
/// ```
/// use portolan::formats::{self, MapFormat};
/// let bytes = b"..# / ...";
/// let format = MapFormat::of("room.txt", bytes).unwrap();
/// assert_eq!(formats::read_map(format, bytes)?.usable_count(), 5);
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_map(format: MapFormat, bytes: &[u8]) -> Result<Map, FormatError> {
    match format {
        MapFormat::MovingAiMap => movingai::read_map(bytes).map(Map::Grid),
        MapFormat::DimacsGraph => dimacs::read_gr(bytes).map(Map::Graph),
        MapFormat::Drawing => ascii::read(bytes).map(|drawing| Map::Grid(drawing.grid)),
        #[cfg(feature = "png")]
        MapFormat::Png => super::png::read_map(bytes).map(Map::Grid),
        #[cfg(not(feature = "png"))]
        MapFormat::Png => {
            let problem = super::Problem::FeatureDisabled { kind: "a PNG picture" };
            Err(FormatError { position: None, problem })
        }
    }
}

/// Reads a map from a file in any format of [`MapFormat`]. For a road network `roads.gr`, also
/// reads coordinates from `roads.co` if that file exists.
///
/// ```
/// use portolan::formats;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("room.txt");
/// # std::fs::write(&path, "..# / ...").unwrap();
/// let map = formats::open(&path)?;
/// assert_eq!(map.usable_count(), 5);
/// # Ok::<(), portolan::Error>(())
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Map, MapFileError> {
    let path = path.as_ref();
    let bytes = read_file(path)?;
    let format = MapFormat::of(&path.to_string_lossy(), &bytes)
        .ok_or_else(|| MapFileError::UnknownFormat { path: path.into() })?;
    let in_file = |path: &Path| {
        let path = path.to_owned();
        move |source| MapFileError::Format { path, source }
    };
    let map = read_map(format, &bytes).map_err(in_file(path))?;
    let co_file = path.with_extension("co");
    match map {
        Map::Graph(graph) if co_file.is_file() => {
            let coordinates = dimacs::read_co(&read_file(&co_file)?).map_err(in_file(&co_file))?;
            let graph = graph.with_coordinates(coordinates);
            let graph =
                graph.map_err(|source| MapFileError::Coordinates { path: co_file, source })?;
            Ok(graph.into())
        }
        map => Ok(map),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, MapFileError> {
    std::fs::read(path).map_err(|source| MapFileError::Read { path: path.into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_first() {
        for (name, expected) in [
            ("a.map", Some(MapFormat::MovingAiMap)),
            ("dir.map/a.gr", Some(MapFormat::DimacsGraph)),
            ("a.b.PNG", Some(MapFormat::Png)),
            ("a.drawing", Some(MapFormat::Drawing)),
            ("a.txt", Some(MapFormat::Drawing)),
            ("map", None),
            ("", None),
        ] {
            assert_eq!(MapFormat::of(name, b"?"), expected, "{name}");
        }
        assert_eq!(MapFormat::of("a.gr", b"type octile\n"), Some(MapFormat::DimacsGraph));
    }

    #[test]
    fn the_content_decides_next() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n"[..], Some(MapFormat::Png)),
            (b"\n type octile\r\n", Some(MapFormat::MovingAiMap)),
            (b"c\n", Some(MapFormat::DimacsGraph)),
            (b"p\tsp 1 1", Some(MapFormat::DimacsGraph)),
            (b"p aux sp co 1", None),
            (b"\n  S.# / ..T\n", Some(MapFormat::Drawing)),
            (b"cave", None),
            (b"", None),
            (b"\xff\xff", None),
        ] {
            assert_eq!(MapFormat::of("-", bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn every_format_has_a_reader() {
        assert!(matches!(read_map(MapFormat::Drawing, b"..").unwrap(), Map::Grid(_)));
        assert!(matches!(read_map(MapFormat::DimacsGraph, b"p sp 1 0").unwrap(), Map::Graph(_)));
        let text = b"type octile\nheight 1\nwidth 1\nmap\n.\n";
        assert!(matches!(read_map(MapFormat::MovingAiMap, text).unwrap(), Map::Grid(_)));
        let message = read_map(MapFormat::Png, b"").unwrap_err().to_string();
        assert!(message.contains("PNG picture"), "{message}");
    }
}
