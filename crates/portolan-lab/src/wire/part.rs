//! Arrays of numbers in a frame.

use serde::{Deserialize, Serialize};

/// An array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Bytes.
    U8(Vec<u8>),
    /// Numbers of 16 bits.
    U16(Vec<u16>),
    /// Numbers of 32 bits, such as nodes and costs.
    U32(Vec<u32>),
    /// Fractions.
    F32(Vec<f32>),
}

/// The type of the numbers of a part, as headers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    /// Bytes.
    U8,
    /// Numbers of 16 bits.
    U16,
    /// Numbers of 32 bits.
    U32,
    /// Fractions.
    F32,
}

impl Part {
    /// The type of the numbers.
    pub fn kind(&self) -> PartKind {
        match self {
            Self::U8(_) => PartKind::U8,
            Self::U16(_) => PartKind::U16,
            Self::U32(_) => PartKind::U32,
            Self::F32(_) => PartKind::F32,
        }
    }

    /// The numbers in the byte order of the machine, which is little endian on all that run the
    /// lab.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::U8(values) => values,
            Self::U16(values) => bytemuck::cast_slice(values),
            Self::U32(values) => bytemuck::cast_slice(values),
            Self::F32(values) => bytemuck::cast_slice(values),
        }
    }

    /// Numbers of this type from bytes; `None` if the length does not fit the type.
    pub fn from_bytes(kind: PartKind, bytes: &[u8]) -> Option<Self> {
        Some(match kind {
            PartKind::U8 => Self::U8(bytes.to_vec()),
            PartKind::U16 => Self::U16(numbers(bytes, u16::from_le_bytes)?),
            PartKind::U32 => Self::U32(numbers(bytes, u32::from_le_bytes)?),
            PartKind::F32 => Self::F32(numbers(bytes, f32::from_le_bytes)?),
        })
    }
}

fn numbers<T, const N: usize>(bytes: &[u8], read: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty().then(|| chunks.iter().map(|&chunk| read(chunk)).collect())
}

macro_rules! part_from {
    ($($number:ty => $kind:ident),*) => {
        $(impl From<Vec<$number>> for Part {
            fn from(values: Vec<$number>) -> Self {
                Self::$kind(values)
            }
        })*
    };
}
part_from!(u8 => U8, u16 => U16, u32 => U32, f32 => F32);
