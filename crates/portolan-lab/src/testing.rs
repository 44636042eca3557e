//! Asks a scene as the page would, for tests.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::wire::{Frame, Part};
use crate::{Limits, Link, Scene, Shelf};

/// A page that keeps what it receives.
#[derive(Default)]
struct Page(Mutex<Vec<Frame>>);

impl Link for Page {
    fn send(&self, frame: Vec<u8>) {
        self.0.lock().unwrap().push(Frame::decode(&frame).unwrap());
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// A view with a shelf of its own.
pub(crate) struct View {
    scene: Scene,
    /// The topic of [`View::send`].
    topic: &'static str,
}

impl View {
    pub(crate) fn new() -> Self {
        Self::of("maps")
    }

    /// A view whose requests by [`View::send`] are about this topic.
    pub(crate) fn of(topic: &'static str) -> Self {
        Self { scene: Scene::new(Arc::new(Shelf::new(Limits::default()))), topic }
    }

    /// The last frame that answers a request about the topic, accepted or refused.
    pub(crate) fn send(&mut self, mut header: Value, parts: Vec<(&str, Part)>) -> Frame {
        header["id"] = json!(1);
        header["topic"] = json!(self.topic);
        let frame = Frame::new(header);
        let frame = parts.into_iter().fold(frame, |frame, (name, part)| frame.with(name, part));
        self.answer(frame)
    }

    /// The last frame that answers a request.
    pub(crate) fn answer(&mut self, request: Frame) -> Frame {
        let page = Page::default();
        self.scene.handle(&request.encode(), &page);
        page.0.into_inner().unwrap().pop().unwrap()
    }

    /// The answer to a request that must be accepted.
    pub(crate) fn ask(&mut self, request: Value) -> Frame {
        self.ask_with(Frame::new(request))
    }

    /// The same for a request with parts.
    pub(crate) fn ask_with(&mut self, request: Frame) -> Frame {
        let answer = self.answer(request);
        assert!(answer.header.get("data").is_some(), "{}", answer.header);
        answer
    }

    /// The message for a request that must be refused.
    pub(crate) fn refusal(&mut self, request: Value) -> String {
        let answer = self.answer(Frame::new(request));
        answer.header["error"]["message"].as_str().expect("refused").to_owned()
    }

    /// Drops a map as a file, and returns the choice that names it.
    pub(crate) fn drop_map(&mut self, drawing: &str) -> Value {
        let request = json!({ "topic": "maps", "do": "drop", "name": "drawn.txt" });
        let answer = self.ask_with(Frame::new(request).with("file", drawing.as_bytes().to_vec()));
        json!({ "source": answer.header["data"]["source"] })
    }
}

/// Numbers of a part.
pub(crate) fn numbers<'a>(frame: &'a Frame, name: &str) -> &'a [u32] {
    match frame.part(name) {
        Some(Part::U32(values)) => values,
        other => panic!("the part {name} is {other:?}"),
    }
}

/// Numbers of a part, of 32 bits or bytes.
pub(crate) fn values(frame: &Frame, name: &str) -> Vec<u32> {
    match frame.part(name) {
        Some(Part::U8(values)) => values.iter().map(|&value| value.into()).collect(),
        _ => numbers(frame, name).to_vec(),
    }
}

/// The message of a refusal.
pub(crate) fn refusal(frame: &Frame) -> &str {
    let message = frame.header["error"]["message"].as_str();
    message.unwrap_or_else(|| panic!("not refused: {}", frame.header))
}

/// Bytes of a part.
pub(crate) fn bytes<'a>(frame: &'a Frame, name: &str) -> &'a [u8] {
    match frame.part(name) {
        Some(Part::U8(values)) => values,
        other => panic!("the part {name} is {other:?}"),
    }
}
