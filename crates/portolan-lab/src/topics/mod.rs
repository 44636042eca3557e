//! What a view can be asked. Each topic has a type of its requests, as JSON with the field `do`,
//! and state that lasts as long as the view.
//!
//! A new topic is a file here, a field of [`Topics`] and a line in [`Topics::answer`].

mod compare;
mod crowds;
mod edits;
mod hierarchies;
mod landmarks;
mod maps;
mod observed;
mod roads;
mod search;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{LabError, bad_request};
use crate::task::{Reply, Task};

/// Answers requests about one subject.
trait Topic {
    /// What it can be asked.
    type Ask: DeserializeOwned;

    fn answer(&mut self, ask: Self::Ask, task: &Task<'_>) -> Result<Reply, LabError>;
}

/// The state of all topics of a view.
#[derive(Debug, Default)]
pub(crate) struct Topics {
    compare: compare::Compare,
    hierarchies: hierarchies::Hierarchies,
    landmarks: landmarks::Landmarks,
    crowds: crowds::Crowds,
    edits: edits::Edits,
    maps: maps::Maps,
    roads: roads::Roads,
    search: search::Search,
}

impl Topics {
    /// Answers the request with this header.
    pub(crate) fn answer(
        &mut self,
        topic: &str,
        header: &Value,
        task: &Task<'_>,
    ) -> Result<Reply, LabError> {
        match topic {
            "compare" => ask(&mut self.compare, header, task),
            "hierarchies" => ask(&mut self.hierarchies, header, task),
            "landmarks" => ask(&mut self.landmarks, header, task),
            "crowds" => ask(&mut self.crowds, header, task),
            "edits" => ask(&mut self.edits, header, task),
            "maps" => ask(&mut self.maps, header, task),
            "roads" => ask(&mut self.roads, header, task),
            "search" => ask(&mut self.search, header, task),
            _ => Err(bad_request(format!("there is no topic `{topic}`"))),
        }
    }
}

fn ask<T: Topic>(topic: &mut T, header: &Value, task: &Task<'_>) -> Result<Reply, LabError> {
    let request = T::Ask::deserialize(header).map_err(|error| bad_request(error.to_string()))?;
    topic.answer(request, task)
}
