//! Values of options: numbers, sizes, amounts of memory.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use portolan::MemoryLimit;
use portolan::generate::MAX_CELLS;
use portolan_bench::text::grouped;

/// An amount of memory, in bytes or in entries per passable cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Bytes.
    Bytes(u64),
    /// Millionths of an entry of four bytes for every passable cell or node.
    Entries(u64),
}

const MILLION: u64 = 1_000_000;

impl Memory {
    /// The limit on a map of this many passable cells or nodes.
    pub(crate) fn limit(amount: Option<Self>, usable: usize) -> MemoryLimit {
        amount.map(|amount| amount.bytes(usable)).into()
    }

    /// In bytes, on a map of this many passable cells or nodes.
    fn bytes(self, usable: usize) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Entries(millionths) => {
                let bytes = (4 * u128::from(millionths)).saturating_mul(usable as u128);
                let bytes = bytes / u128::from(MILLION);
                u64::try_from(bytes).unwrap_or(u64::MAX)
            }
        }
    }
}

impl FromStr for Memory {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "a number with KB, MB, GB, KiB, MiB, GiB or V behind it, \
            as in 64MiB, 1.5GiB, 8V or 0.25V";
        const TOO_MUCH: &str = "too large";
        let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, unit) = text.split_at(digits);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
            return Err(EXPECTED);
        }
        let whole: u64 = whole.parse().map_err(|_| TOO_MUCH)?;
        let fraction: f64 = format!("0.{fraction}").parse().map_err(|_| EXPECTED)?;
        let unit = unit.trim_start().to_ascii_lowercase();
        let factor = match unit.as_str() {
            "" | "b" if fraction > 0.0 => return Err("bytes are whole numbers"),
            "v" => MILLION,
            "" | "b" => 1,
            "kb" => 1000,
            "mb" => 1000 * 1000,
            "gb" => 1000 * 1000 * 1000,
            "kib" => 1 << 10,
            "mib" => 1 << 20,
            "gib" => 1 << 30,
            _ => return Err(EXPECTED),
        };
        let part = (fraction * factor as f64) as u64;
        match whole.checked_mul(factor).and_then(|bytes| bytes.checked_add(part)) {
            None => Err(TOO_MUCH),
            Some(0) => Err("too small: at least one byte is needed"),
            Some(millionths) if unit == "v" => Ok(Self::Entries(millionths)),
            Some(bytes) => Ok(Self::Bytes(bytes)),
        }
    }
}

/// Reads an amount of memory that does not depend on the map.
pub(super) fn bytes(text: &str) -> Result<u64, &'static str> {
    match text.parse()? {
        Memory::Bytes(bytes) => Ok(bytes),
        Memory::Entries(_) => {
            Err("a number with KB, MB, GB, KiB, MiB or GiB behind it, as in 64MiB or 1.5GiB")
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Entries(millionths) => write!(out, "{}V", millionths as f64 / MILLION as f64),
            Self::Bytes(bytes) => {
                let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
                let whole = units.into_iter().find(|&(shift, _)| bytes.trailing_zeros() >= shift);
                let (shift, unit) = whole.filter(|_| bytes > 0).unwrap_or((0, ""));
                write!(out, "{}{unit}", bytes >> shift)
            }
        }
    }
}

/// Reads whole numbers of this range; the error names the limit that is exceeded.
pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let (least, most) = (*range.start(), *range.end());
        let number = parse_whole(text, least, most).map_err(|error| match error {
            OutOfRange::TooSmall => format!("too small: the least is {}", grouped(least)),
            OutOfRange::TooLarge => format!("too large: the most is {}", grouped(most)),
            OutOfRange::NotANumber => {
                format!("a whole number from {} to {} is expected", grouped(least), grouped(most))
            }
        })?;
        T::try_from(number).map_err(|_| format!("too large: the most is {}", grouped(most)))
    }
}

/// Why a text is no number of a range.
enum OutOfRange {
    TooSmall,
    TooLarge,
    NotANumber,
}

fn parse_whole(text: &str, least: u64, most: u64) -> Result<u64, OutOfRange> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<u64>() {
        Ok(number) if number < least => Err(OutOfRange::TooSmall),
        Ok(number) if number > most => Err(OutOfRange::TooLarge),
        Ok(number) => Ok(number),
        Err(_) if is_number(text) => Err(OutOfRange::TooLarge),
        Err(_) if text.strip_prefix('-').is_some_and(is_number) => Err(OutOfRange::TooSmall),
        Err(_) => Err(OutOfRange::NotANumber),
    }
}

/// A map with more cells than are generated.
fn too_large(cells: u64) -> String {
    let square = grouped(cells.isqrt());
    format!("too large: the most are {} cells, as in a square of {square}", grouped(cells))
}

/// Columns and rows of a grid: `512` or `640x480`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "one number for a square, as in 512, or two, as in 640x480";
        let side = |text: &str| match parse_whole(text.trim(), 1, MAX_CELLS) {
            Ok(side) => u32::try_from(side).map_err(|_| too_large(MAX_CELLS)),
            Err(OutOfRange::TooLarge) => Err(too_large(MAX_CELLS)),
            Err(OutOfRange::TooSmall) => Err("a map has one row and one column at least".into()),
            Err(OutOfRange::NotANumber) => Err(EXPECTED.into()),
        };
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        let size = Self { width: side(width)?, height: side(height)? };
        match u64::from(size.width) * u64::from(size.height) <= MAX_CELLS {
            true => Ok(size),
            false => Err(too_large(MAX_CELLS)),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width == self.height {
            true => write!(out, "{}", self.width),
            false => write!(out, "{}x{}", self.width, self.height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_every_unit() {
        for (text, expected) in [
            ("0", None),
            ("0V", None),
            ("0.0GiB", None),
            ("1.5GiB", Some(Memory::Bytes(3 << 29))),
            ("0.5kb", Some(Memory::Bytes(500))),
            ("1.5", None),
            ("1.5V", Some(Memory::Entries(1_500_000))),
            ("1.2.3GB", None),
            (".5GB", None),
            ("1.GB", None),
            ("1500", Some(Memory::Bytes(1500))),
            ("3KB", Some(Memory::Bytes(3000))),
            ("64MiB", Some(Memory::Bytes(64 << 20))),
            ("2 gb", Some(Memory::Bytes(2_000_000_000))),
            ("1GiB", Some(Memory::Bytes(1 << 30))),
            ("8V", Some(Memory::Entries(8_000_000))),
            ("0.015625v", Some(Memory::Entries(15_625))),
            ("", None),
            ("MiB", None),
            ("-1", None),
            ("5XB", None),
            ("99999999999GiB", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
        for text in ["128MiB", "8V", "1500", "3KiB"] {
            assert_eq!(text.parse::<Memory>().unwrap().to_string(), text);
        }
        assert_eq!(Memory::Entries(8_000_000).bytes(100), 3200);
        assert_eq!(Memory::Entries(250_000).bytes(100), 100);
        assert_eq!(Memory::Entries(u64::MAX).bytes(usize::MAX), u64::MAX);
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!("512".parse(), Ok(Size { width: 512, height: 512 }));
        assert_eq!("640x480".parse(), Ok(Size { width: 640, height: 480 }));
        for (refused, expected) in [
            ("640x", "one number for a square"),
            ("0", "a map has one row"),
            (
                "99999999999",
                "too large: the most are 2,147,483,648 cells, as in a square of 46,340",
            ),
            ("99999999999999999999", "too large: "),
            ("46341", "too large: "),
        ] {
            let error = refused.parse::<Size>().unwrap_err();
            assert!(error.starts_with(expected), "{refused}: {error}");
        }
        for text in ["512", "640x480"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
    }
}
