//! Index files as bytes: written by engines, taken apart, damaged, with valid checksums again.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use portolan::engine::Engine;
use portolan::generate::Random;
use portolan::store::IndexFile;
use twox_hash::XxHash3_64;

/// Where the table of sections begins.
const TABLE: usize = 128;
/// The length of a line of the table.
const LINE: usize = 64;
/// Where the checksum of a section is in its line.
const SECTION_SUM: usize = 56;
/// Where the checksum of the header and the table is, and where the checked bytes begin.
const HEAD_SUM: Range<usize> = 16..24;

/// The index file of an engine.
///
/// # Panics
/// If the engine cannot be stored.
pub fn bytes_of(engine: &dyn Engine) -> Vec<u8> {
    let mut bytes = Vec::new();
    let index = engine.store().expect("the engine can be stored");
    index.write_to(&mut bytes).expect("memory takes all bytes");
    bytes
}

/// A section of an index file.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Where its bytes are in the file.
    pub bytes: Range<usize>,
}

/// The sections of a valid index file, in the order of the table.
///
/// # Panics
/// If the file is not valid.
pub fn sections(bytes: &[u8]) -> Vec<Section> {
    let index = IndexFile::from_bytes(bytes.to_vec()).expect("a valid file");
    let section = |section: portolan::store::Section<'_>| {
        let start = section.offset as usize;
        Section { name: section.name.to_owned(), bytes: start..start + section.length as usize }
    };
    index.sections().map(section).collect()
}

/// Makes every checksum valid again, as somebody would who wants to deceive.
pub fn fix_checksums(bytes: &mut [u8], sections: &[Section]) {
    for (line, section) in (TABLE..).step_by(LINE).zip(sections) {
        let sum = XxHash3_64::oneshot(&bytes[section.bytes.clone()]);
        bytes[line + SECTION_SUM..line + LINE].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = XxHash3_64::oneshot(&bytes[HEAD_SUM.end..TABLE + LINE * sections.len()]);
    bytes[HEAD_SUM].copy_from_slice(&sum.to_le_bytes());
}

/// Damages an index file in one of three ways and makes its checksums valid again: mostly one to
/// four wrong numbers, in every fifth round two numbers of a section swapped, in every twentieth a
/// stretch of zeros as holes in files are.
pub fn damage(bytes: &[u8], sections: &[Section], draw: &mut Random, round: u64) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    match round % 20 {
        0 => {
            let start = sections[0].bytes.start;
            let at = start + draw.below((bytes.len() - start) as u64) as usize;
            damaged[at..(at + 4096).min(bytes.len())].fill(0);
        }
        3 | 8 | 13 | 18 => swap_two_numbers(&mut damaged, sections, draw),
        _ => write_wrong_numbers(&mut damaged, sections, draw),
    }
    fix_checksums(&mut damaged, sections);
    damaged
}

/// A random section; short ones come up as often as long ones.
fn any_section(sections: &[Section], draw: &mut Random) -> Range<usize> {
    sections[draw.below(sections.len() as u64) as usize].bytes.clone()
}

fn write_wrong_numbers(bytes: &mut [u8], sections: &[Section], draw: &mut Random) {
    const NUMBERS: [u32; 8] = [0, 1, 2, 7, 0x7fff_ffff, u32::MAX - 1, u32::MAX, 0x0001_0001];
    for _ in 0..1 + draw.below(4) {
        let Range { start, end } = any_section(sections, draw);
        if start == end {
            continue;
        }
        let words = (end - start).div_ceil(4) as u64;
        let at = start + 4 * draw.below(words) as usize;
        let last = (end - at).min(4);
        let number = match draw.below(4) {
            0 => NUMBERS[draw.below(NUMBERS.len() as u64) as usize],
            1 => draw.below(300) as u32,
            2 => draw.bits() as u32,
            // Nearly the number that is there, if it is small.
            _ => u32::from_le_bytes([bytes[at], *bytes.get(at + 1).unwrap_or(&0), 0, 0]) ^ 1,
        };
        bytes[at..at + last].copy_from_slice(&number.to_le_bytes()[..last]);
    }
}

fn swap_two_numbers(bytes: &mut [u8], sections: &[Section], draw: &mut Random) {
    let Range { start, end } = any_section(sections, draw);
    let words = (end - start) as u64 / 4;
    if words > 0 {
        let mut word = || start + 4 * draw.below(words) as usize;
        let (a, b) = (word(), word());
        (0..4).for_each(|byte| bytes.swap(a + byte, b + byte));
    }
}

/// Runs work that must not panic.
///
/// # Panics
/// With the description of the work, if it panics.
pub fn without_panic<T>(what: &str, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panic!("panicked: {what}"))
}
