//! Which format a file is in, and one reader for all maps.

use std::path::Path;

use super::error::{FormatError, MapFileError};
use super::lines::Lines;
use super::{ascii, dimacs, movingai};
use crate::map::Map;

/// The formats that hold a whole map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A grid of the MovingAI benchmark set, `.map`.
    MovingAiMap,
    /// A road network of the DIMACS challenge, `.gr`.
    DimacsGraph,
    /// A drawing, `.txt`, `.ascii` or `.drawing`.
    Drawing,
    /// A picture, `.png`.
    Png,
}

impl Kind {
    /// The kind of a file, by the extension of its name, else by how it begins; `None` where
    /// neither tells.
    ///
    /// ```
    /// use portolan::formats::Kind;
    /// assert_eq!(Kind::of("maps/arena.MAP", b""), Some(Kind::MovingAiMap));
    /// assert_eq!(Kind::of("roads.txt", b"c Luxembourg\np sp 3 2\n"), Some(Kind::DimacsGraph));
    /// assert_eq!(Kind::of("notes.md", b"Dear diary"), None);
    /// ```
    pub fn of(name: &str, bytes: &[u8]) -> Option<Self> {
        // A text may be anything, and is taken for a drawing only if it is nothing else.
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
        let mut line = Lines::new(bytes).filled().next()?;
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

/// Reads a map of this kind; the start and the goal of a drawing are left out.
///
/// ```
/// use portolan::formats::{self, Kind};
/// let bytes = b"..# / ...";
/// let kind = Kind::of("room.txt", bytes).unwrap();
/// assert_eq!(formats::read_map(kind, bytes)?.usable_count(), 5);
/// # Ok::<(), portolan::formats::FormatError>(())
/// ```
pub fn read_map(kind: Kind, bytes: &[u8]) -> Result<Map, FormatError> {
    match kind {
        Kind::MovingAiMap => movingai::read_map(bytes).map(Map::Grid),
        Kind::DimacsGraph => dimacs::read_gr(bytes).map(Map::Graph),
        Kind::Drawing => ascii::read(bytes).map(|drawing| Map::Grid(drawing.grid)),
        #[cfg(feature = "png")]
        Kind::Png => super::png::read_map(bytes).map(Map::Grid),
        #[cfg(not(feature = "png"))]
        Kind::Png => {
            let problem = super::Problem::LeftOut { kind: "a PNG picture" };
            Err(FormatError { place: None, problem })
        }
    }
}

/// Reads a map from a file in any format that [`Kind`] knows. Beside a road network `roads.gr`,
/// coordinates are read from `roads.co` where there is such a file.
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
    let kind = Kind::of(&path.to_string_lossy(), &bytes)
        .ok_or_else(|| MapFileError::UnknownFormat { path: path.into() })?;
    let wrong = |path: &Path| {
        let path = path.to_owned();
        move |source| MapFileError::Format { path, source }
    };
    let map = read_map(kind, &bytes).map_err(wrong(path))?;
    let beside = path.with_extension("co");
    match map {
        Map::Graph(graph) if beside.is_file() => {
            let coordinates = dimacs::read_co(&read_file(&beside)?).map_err(wrong(&beside))?;
            let placed = graph.with_coordinates(coordinates);
            let placed = placed
                .map_err(|source| MapFileError::Coordinates { path: beside.clone(), source })?;
            Ok(placed.into())
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
            ("a.map", Some(Kind::MovingAiMap)),
            ("dir.map/a.gr", Some(Kind::DimacsGraph)),
            ("a.b.PNG", Some(Kind::Png)),
            ("a.drawing", Some(Kind::Drawing)),
            ("a.txt", Some(Kind::Drawing)),
            ("map", None),
            ("", None),
        ] {
            assert_eq!(Kind::of(name, b"?"), expected, "{name}");
        }
        assert_eq!(Kind::of("a.gr", b"type octile\n"), Some(Kind::DimacsGraph));
    }

    #[test]
    fn the_content_decides_next() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n"[..], Some(Kind::Png)),
            (b"\n type octile\r\n", Some(Kind::MovingAiMap)),
            (b"c\n", Some(Kind::DimacsGraph)),
            (b"p\tsp 1 1", Some(Kind::DimacsGraph)),
            (b"p aux sp co 1", None),
            (b"\n  S.# / ..T\n", Some(Kind::Drawing)),
            (b"cave", None),
            (b"", None),
            (b"\xff\xff", None),
        ] {
            assert_eq!(Kind::of("-", bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn every_kind_has_its_reader() {
        assert!(matches!(read_map(Kind::Drawing, b"..").unwrap(), Map::Grid(_)));
        assert!(matches!(read_map(Kind::DimacsGraph, b"p sp 1 0").unwrap(), Map::Graph(_)));
        let text = b"type octile\nheight 1\nwidth 1\nmap\n.\n";
        assert!(matches!(read_map(Kind::MovingAiMap, text).unwrap(), Map::Grid(_)));
        let message = read_map(Kind::Png, b"").unwrap_err().to_string();
        assert!(message.contains("PNG picture"), "{message}");
    }
}
