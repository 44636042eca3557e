//! Stores and opens the search.
//!
//! | section | of | contents |
//! |---|---|---|
//! | `form` | `u32` | form and version, see `atlas/file.rs`; whether there are landmarks |
//! | `differential.…` | | landmarks and distances, see `true_distance/differential/table/file.rs` |

use std::sync::Arc;

use super::index::{SearchIndex, differential_config, geometric};
use crate::atlas::AtlasConfig;
use crate::atlas::file::{FORM, StoredForm};
use crate::map::Map;
use crate::store::{Fingerprint, IndexFile, IndexWriter, OpenError, unusable};
use crate::true_distance::differential::Precision;
use crate::true_distance::{Differential, StoredHeuristic};

impl SearchIndex {
    /// Prepares the search for writing.
    pub(crate) fn store(&self, engine: &str) -> IndexWriter<'_> {
        let mut writer = IndexWriter::new(engine, Fingerprint::of(&self.map));
        let has_landmarks = self.landmarks.is_some().into();
        writer.section_owned(FORM, StoredForm::Search.section(&[has_landmarks]));
        if let Some(landmarks) = &self.landmarks {
            landmarks.store(&mut writer);
        }
        writer
    }

    /// Opens a search with these words of the section `form`.
    pub(crate) fn open(
        index: &IndexFile,
        map: &Map,
        parameters: &[u32],
        config: &AtlasConfig,
    ) -> Result<Self, OpenError> {
        let landmarks = match *parameters {
            [0] => None,
            [1] => {
                // The file has the precision, and the index its own limit.
                let config = differential_config(config, u64::MAX, Precision::default());
                Some(Arc::new(Differential::open(index, map, &config)?))
            }
            _ => return Err(unusable(FORM, format!("there is no search {parameters:?}"))),
        };
        let (map, geometric) = (map.clone(), geometric(map));
        Ok(Self { map, geometric, landmarks, lost_landmarks: false })
    }
}
