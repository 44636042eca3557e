//! A header and its parts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::{Part, PartKind};

/// The largest header that is read. Settings and names are far smaller; arrays belong into parts.
pub const MOST_HEADER_BYTES: usize = 1 << 20;

/// The most parts of a frame that is read.
const MOST_PARTS: usize = 64;

/// A message: a header and named parts.
///
/// ```
/// use portolan_lab::wire::{Frame, Part};
///
/// let frame = Frame::new(serde_json::json!({ "id": 1 })).with("path", vec![3u32, 4]);
/// let read = Frame::decode(&frame.encode())?;
/// assert_eq!(read.part("path"), Some(&Part::U32(vec![3, 4])));
/// # Ok::<(), portolan_lab::wire::FrameError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// A JSON object.
    pub header: Value,
    /// The parts with their names.
    pub parts: Vec<(String, Part)>,
}

/// Bytes that are not a frame.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The frame ends too early.
    #[error(
        "the message ends within its {what}; {expected} bytes were announced, {found} are left"
    )]
    Truncated {
        /// What ends too early.
        what: &'static str,
        /// The announced length.
        expected: usize,
        /// The bytes that are left.
        found: usize,
    },
    /// The header is larger than any that the page sends.
    #[error("the header has {found} bytes; at most {MOST_HEADER_BYTES} are read")]
    LargeHeader {
        /// The announced length.
        found: usize,
    },
    /// More parts than the page ever sends.
    #[error("the message has {found} parts; at most {MOST_PARTS} are read")]
    ManyParts {
        /// The announced number.
        found: usize,
    },
    /// A part whose length does not fit its type.
    #[error("the part `{name}` has {bytes} bytes, which its type does not divide")]
    UnevenPart {
        /// The name of the part.
        name: String,
        /// Its length.
        bytes: usize,
    },
    /// The header is not JSON, or not an object.
    #[error("the header is not a JSON object: {0}")]
    Header(serde_json::Error),
}

/// The list of parts in a header.
#[derive(Serialize, Deserialize)]
struct Listed(String, PartKind, usize);

#[derive(Deserialize)]
struct PartList {
    #[serde(default)]
    parts: Vec<Listed>,
}

impl Frame {
    /// A frame without parts. The header must be a JSON object.
    pub fn new(header: Value) -> Self {
        Self { header, parts: Vec::new() }
    }

    /// Adds a part.
    #[must_use]
    pub fn with(mut self, name: &str, part: impl Into<Part>) -> Self {
        self.parts.push((name.to_owned(), part.into()));
        self
    }

    /// The part of this name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|(known, _)| known == name).map(|(_, part)| part)
    }

    /// The frame as bytes.
    pub fn encode(mut self) -> Vec<u8> {
        if !self.parts.is_empty() {
            let list: Vec<Listed> = self
                .parts
                .iter()
                .map(|(name, part)| Listed(name.clone(), part.kind(), part.bytes().len()))
                .collect();
            self.header["parts"] = serde_json::json!(list);
        }
        let mut header = self.header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let size: usize = self.parts.iter().map(|(_, part)| part.bytes().len() + 4).sum();
        let mut bytes = Vec::with_capacity(4 + header.len() + size);
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        for (_, part) in &self.parts {
            bytes.extend_from_slice(part.bytes());
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    /// Reads a frame. Allocates no more than the bytes that are there.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let mut rest = bytes;
        let length = take(&mut rest, 4, "length")?;
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default()) as usize;
        if length > MOST_HEADER_BYTES {
            return Err(FrameError::LargeHeader { found: length });
        }
        let text = take(&mut rest, length, "header")?;
        let header: serde_json::Map<String, Value> =
            serde_json::from_slice(text).map_err(FrameError::Header)?;
        let header = Value::Object(header);
        let PartList { parts: list } =
            PartList::deserialize(&header).map_err(FrameError::Header)?;
        if list.len() > MOST_PARTS {
            return Err(FrameError::ManyParts { found: list.len() });
        }
        let mut parts = Vec::with_capacity(list.len());
        for Listed(name, kind, length) in list {
            let bytes = take(&mut rest, length, "parts")?;
            // The last part may lack its padding.
            let padding = ((4 - length % 4) % 4).min(rest.len());
            take(&mut rest, padding, "parts")?;
            let Some(part) = Part::from_bytes(kind, bytes) else {
                return Err(FrameError::UnevenPart { name, bytes: length });
            };
            parts.push((name, part));
        }
        Ok(Self { header, parts })
    }
}

/// Whether this frame asks to cancel all requests before it. The transport looks for them, since a
/// scene is busy with what is to be cancelled.
pub fn is_cancel(bytes: &[u8]) -> bool {
    const MOST_BYTES: usize = 256;
    bytes.len() < MOST_BYTES
        && Frame::decode(bytes).is_ok_and(|frame| frame.header["topic"] == "cancel")
}

fn take<'a>(
    rest: &mut &'a [u8],
    expected: usize,
    what: &'static str,
) -> Result<&'a [u8], FrameError> {
    let found = rest.len();
    let truncated = FrameError::Truncated { what, expected, found };
    let (taken, left) = rest.split_at_checked(expected).ok_or(truncated)?;
    *rest = left;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Frame {
        Frame::new(serde_json::json!({ "id": 7, "topic": "search" }))
            .with("bytes", vec![1u8, 2, 3])
            .with("shorts", vec![1u16])
            .with("nodes", vec![u32::MAX, 0])
            .with("fractions", vec![0.5f32])
    }

    #[test]
    fn frames_round_trip() {
        let read = Frame::decode(&example().encode()).unwrap();
        assert_eq!(read.parts, example().parts);
        assert_eq!(read.header["topic"], "search");
    }

    #[test]
    fn truncated_frames_are_refused() {
        let bytes = example().encode();
        for length in 0..bytes.len() - 3 {
            assert!(Frame::decode(&bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn lengths_beyond_the_frame_are_refused() {
        for header in [r#"{"parts":[["a","u8",18446744073709551615]]}"#, r#"{"parts":1}"#, "[]", ""]
        {
            let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
            bytes.extend_from_slice(header.as_bytes());
            assert!(Frame::decode(&bytes).is_err(), "{header}");
        }
        assert!(matches!(Frame::decode(&[255; 8]), Err(FrameError::LargeHeader { .. })));
    }
}
