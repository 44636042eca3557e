//! One view of the page: takes requests one after the other and answers them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::error::{LabError, bad_request};
use crate::shelf::Shelf;
use crate::task::{Link, Reply, Task};
use crate::topics::Topics;
use crate::wire::Frame;

/// One view of the page. It answers requests in order; each view of a page has its own, so a long
/// benchmark in one does not hold up another. All share a [`Shelf`].
///
/// ```
/// use std::cell::RefCell;
/// use std::sync::{Arc, Mutex};
/// use portolan_lab::wire::Frame;
/// use portolan_lab::{Limits, Link, Scene, Shelf};
///
/// struct Page(Mutex<Vec<Frame>>);
/// impl Link for Page {
///     fn send(&self, frame: Vec<u8>) {
///         self.0.lock().unwrap().push(Frame::decode(&frame).unwrap());
///     }
///     fn is_cancelled(&self) -> bool {
///         false
///     }
/// }
///
/// let mut scene = Scene::new(Arc::new(Shelf::new(Limits::default())));
/// let page = Page(Mutex::new(Vec::new()));
/// let request = serde_json::json!({
///     "id": 1, "topic": "maps", "do": "open", "map": { "source": { "from": "gallery", "name": "wall" } }
/// });
/// scene.handle(&Frame::new(request).encode(), &page);
/// let replies = page.0.into_inner().unwrap();
/// assert_eq!(replies[0].header["data"]["kind"], "grid");
/// ```
#[derive(Debug)]
pub struct Scene {
    shelf: Arc<Shelf>,
    topics: Topics,
}

impl Scene {
    /// A view without a map.
    pub fn new(shelf: Arc<Shelf>) -> Self {
        Self { shelf, topics: Topics::default() }
    }

    /// Answers a request. Sends progress, events, and at last one reply with `data` or `error`.
    pub fn handle(&mut self, request: &[u8], link: &dyn Link) {
        let (id, answer) = match Frame::decode(request) {
            Err(error) => (0, Err(error.into())),
            Ok(frame) => {
                let id = frame.header["id"].as_u64().unwrap_or(0);
                (id, self.answer(id, &frame, link))
            }
        };
        let frame = match answer {
            Ok(reply) => reply.into_frame(id),
            Err(error) => refusal(id, &error),
        };
        link.send(frame.encode());
    }

    fn answer(&mut self, id: u64, frame: &Frame, link: &dyn Link) -> Result<Reply, LabError> {
        let topic = frame.header["topic"].as_str();
        let topic = topic.ok_or_else(|| bad_request("it names no topic"))?;
        let task = Task::new(id, &self.shelf, link, frame);
        task.check()?;
        self.topics.answer(topic, &frame.header, &task)
    }
}

/// The reply to a request without an answer.
fn refusal(id: u64, error: &LabError) -> Frame {
    let cancelled = matches!(error, LabError::Cancelled);
    let error: Value = json!({
        "message": error.to_string(),
        "help": error.help(),
        "cancelled": cancelled,
    });
    Frame::new(json!({ "id": id, "error": error }))
}
