//! Dropped files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use portolan::Map;
use portolan::formats::{self, FormatError, MapFormat, dimacs};
use twox_hash::XxHash3_128;

use crate::error::LabError;
use crate::maps::{check_count, check_size};
use crate::shelf::Limits;

/// Dropped files by the hash of their contents, within so many bytes.
pub(super) struct Files {
    most_bytes: u64,
    /// In the order in which they came.
    kept: Mutex<(HashMap<String, File>, Vec<String>)>,
}

#[derive(Clone)]
struct File {
    bytes: Arc<[u8]>,
    coordinates: Option<Arc<[u8]>>,
}

impl File {
    fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.coordinates.as_ref().map_or(0, |bytes| bytes.len() as u64)
    }
}

impl Files {
    pub(super) fn new(most_bytes: u64) -> Self {
        Self { most_bytes, kept: Mutex::default() }
    }

    /// Keeps a file; returns its hash.
    pub(super) fn keep(&self, name: &str, bytes: &[u8], coordinates: Option<&[u8]>) -> String {
        let hash = XxHash3_128::oneshot(bytes)
            ^ coordinates.map_or(0, XxHash3_128::oneshot).rotate_left(1)
            // The name may decide about the format.
            ^ XxHash3_128::oneshot(name.as_bytes()).rotate_left(2);
        let hash = format!("{hash:032x}");
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (files, order) = &mut *kept;
        let file = File { bytes: bytes.into(), coordinates: coordinates.map(Into::into) };
        if files.insert(hash.clone(), file).is_none() {
            order.push(hash.clone());
        }
        while order.len() > 1 && files.values().map(File::size).sum::<u64>() > self.most_bytes {
            files.remove(&order.remove(0));
        }
        hash
    }

    /// The map in the file with this hash.
    pub(super) fn map(&self, name: &str, hash: &str, limits: &Limits) -> Result<Map, LabError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let file = kept.0.get(hash).cloned();
        drop(kept);
        let file = file.ok_or_else(|| LabError::MissingFile { name: name.into() })?;
        read(name, &file.bytes, file.coordinates.as_deref(), limits)
    }
}

/// Reads a map that was dropped on the page.
pub(super) fn read(
    name: &str,
    bytes: &[u8],
    coordinates: Option<&[u8]>,
    limits: &Limits,
) -> Result<Map, LabError> {
    let size = bytes.len() as u64 + coordinates.map_or(0, |bytes| bytes.len() as u64);
    check_count("the file", size, limits.most_file_bytes, "bytes")?;
    let format = MapFormat::of(name, bytes)
        .ok_or_else(|| LabError::UnknownFormat { name: name.to_owned() })?;
    let in_file = |source: FormatError| LabError::File { name: name.to_owned(), source };
    let map = formats::read_map(format, bytes).map_err(in_file)?;
    check_size(&map, limits)?;
    match (map, coordinates) {
        (Map::Graph(graph), Some(coordinates)) => {
            let points = dimacs::read_co(coordinates).map_err(in_file)?;
            let graph = graph.with_coordinates(points);
            Ok(graph.map_err(|error| LabError::WrongMap(error.to_string()))?.into())
        }
        (map, _) => Ok(map),
    }
}
