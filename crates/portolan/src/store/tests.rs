//! Tests of the index file: round trips, damage, hostile headers.

use twox_hash::XxHash3_64;

use super::layout::VERSION;
use super::{
    Array, Bytes, Element, Fingerprint, IndexFile, IndexWriter, Longs, OpenError, Words, WriteError,
};
use crate::random::Random;
use crate::{Connectivity, Grid, Map};

const LABELS: [u32; 5] = [7, 0, u32::MAX, 0x0102_0304, 9];
const OFFSETS: [u64; 2] = [1 << 40, 3];
const NOTE: &[u8; 3] = b"abc";

fn map() -> Map {
    Map::from(Grid::from_fn(5, 4, |x, y| x != y).unwrap())
}

fn writer() -> IndexWriter<'static> {
    let mut writer = IndexWriter::new("example", Fingerprint::of(&map()));
    writer.section("labels", &LABELS).section("offsets", &OFFSETS);
    writer.section("note", NOTE).section::<u32>("empty", &[]);
    writer
}

fn written(writer: &IndexWriter) -> Vec<u8> {
    let mut bytes = Vec::new();
    writer.write_to(&mut bytes).unwrap();
    bytes
}

fn small() -> Vec<u8> {
    written(&writer())
}

/// Opens a file, reads every section with every element type, and does the full check.
fn use_all(bytes: &[u8]) -> Result<(), OpenError> {
    let index = IndexFile::from_bytes(bytes.to_vec())?;
    for section in index.sections() {
        assert_eq!(index.section::<u8>(section.name)?.len() as u64, section.length);
        check_section::<u16>(&index, section.name, section.length);
        check_section::<u32>(&index, section.name, section.length);
        check_section::<u64>(&index, section.name, section.length);
    }
    index.verify()
}

fn check_section<T: Element>(index: &IndexFile, name: &str, length: u64) {
    match index.section::<T>(name) {
        Ok(array) => assert_eq!((array.len() * size_of::<T>()) as u64, length),
        Err(error) => {
            assert!(!length.is_multiple_of(size_of::<T>() as u64));
            assert!(matches!(error, OpenError::ElementSize { .. }), "{error}");
        }
    }
}

#[test]
fn written_sections_are_read_back() {
    let index = IndexFile::from_bytes(small()).unwrap();
    assert_eq!(index.engine(), "example");
    assert_eq!(index.fingerprint(), Fingerprint::of(&map()));
    assert_eq!(*index.section::<u32>("labels").unwrap(), LABELS);
    assert_eq!(*index.section::<u64>("offsets").unwrap(), OFFSETS);
    assert_eq!(*index.section::<u8>("note").unwrap(), *NOTE);
    assert_eq!(index.section::<u64>("empty").unwrap(), Longs::default());
    let names: Vec<_> = index.sections().map(|section| section.name).collect();
    assert_eq!(names, ["empty", "labels", "note", "offsets"]);
    assert!(index.sections().all(|section| section.offset % 64 == 0));
    index.verify().unwrap();

    let labels: Words = index.section("labels").unwrap();
    drop(index);
    assert_eq!(labels[2], u32::MAX, "a section outlives its file");
}

#[test]
fn a_mapped_file_reads_like_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.index");
    writer().save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), small());
    let index = IndexFile::open(&path).unwrap();
    index.verify().unwrap();
    let labels: Words = index.section("labels").unwrap();

    // A new index is saved while the old one is in use.
    let mut other = IndexWriter::new("other", index.fingerprint());
    other.section("labels", &[1u32]);
    other.save(&path).unwrap();
    index.verify().unwrap();
    assert_eq!(*labels, LABELS);
    assert_eq!(IndexFile::open(&path).unwrap().engine(), "other");
}

#[test]
fn a_loaded_file_reads_like_a_mapped_one_and_may_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.index");
    writer().save(&path).unwrap();
    let index = IndexFile::load(&path).unwrap();
    assert_eq!(index.file_bytes(), small().len());
    std::fs::write(&path, b"something else").unwrap();
    index.verify().unwrap();
    assert_eq!(*index.section::<u32>("labels").unwrap(), LABELS);
    assert!(IndexFile::load(&path).is_err());
}

#[test]
fn the_same_sections_give_the_same_bytes_in_any_order() {
    let mut shuffled = IndexWriter::new("example", Fingerprint::of(&map()));
    shuffled.section::<u64>("empty", &[]).section("offsets", &OFFSETS);
    shuffled.section("note", NOTE).section("labels", &LABELS);
    assert_eq!(written(&shuffled), small());
    let sum = XxHash3_64::oneshot(&small());
    assert_eq!(sum, 0xddda_65c3_9ec6_5124, "the bytes of version {VERSION} never change");
}

#[test]
fn pieces_and_owned_elements_give_the_same_bytes() {
    let mut other = IndexWriter::new("example", Fingerprint::of(&map()));
    other.section_in_pieces("labels", LABELS.chunks(2));
    other.section_in_pieces::<u8>("empty", []).section_in_pieces("note", [&NOTE[..], &[]]);
    other.section_owned("offsets", OFFSETS.to_vec());
    assert_eq!(written(&other), small());
}

#[test]
fn one_section_can_be_checked_alone() {
    let mut bytes = small();
    let index = IndexFile::from_bytes(bytes.clone()).unwrap();
    let labels = index.sections().find(|section| section.name == "labels").unwrap();
    bytes[labels.offset as usize] ^= 1;
    let damaged = IndexFile::from_bytes(bytes).unwrap();
    damaged.verify_section("offsets").unwrap();
    let error = damaged.verify_section("labels").unwrap_err();
    assert!(matches!(error, OpenError::Damaged { section, .. } if section == "labels"));
    assert!(matches!(damaged.verify_section("none"), Err(OpenError::NoSection { .. })));
}

#[test]
fn an_index_without_sections_is_an_index() {
    let bytes = written(&IndexWriter::new("e", Fingerprint::from_u128(0)));
    assert_eq!(bytes.len(), 128);
    use_all(&bytes).unwrap();
}

#[test]
fn names_that_do_not_fit_are_not_written() {
    let fingerprint = Fingerprint::from_u128(1);
    let longest = "x".repeat(40);
    let too_long = "x".repeat(41);
    for name in ["", "two words", "naïve", "a\0", "\n", too_long.as_str()] {
        for writer in [
            &IndexWriter::new(name, fingerprint),
            IndexWriter::new("e", fingerprint).section::<u8>(name, &[]),
        ] {
            let error = writer.write_to(&mut Vec::new()).unwrap_err();
            assert!(matches!(error, WriteError::Name { .. }), "{error}");
        }
    }
    let mut writer = IndexWriter::new(&longest, fingerprint);
    writer.section(&longest, &[1u16, 2]);
    let index = IndexFile::from_bytes(written(&writer)).unwrap();
    assert_eq!(index.engine(), longest);
    assert_eq!(*index.section::<u16>(&longest).unwrap(), [1, 2]);
    let error = writer.section(&longest, &[3u8]).write_to(&mut Vec::new()).unwrap_err();
    assert!(matches!(error, WriteError::Duplicate { section } if section == longest));
}

#[test]
fn a_bad_name_is_noticed_before_any_file_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let error = IndexWriter::new("", Fingerprint::from_u128(1)).save(folder.path().join("index"));
    assert!(matches!(error, Err(WriteError::Name { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn another_map_engine_or_section_is_refused() {
    let index = IndexFile::from_bytes(small()).unwrap();
    index.check_map(&map()).unwrap();
    index.check_engine("example").unwrap();
    let Map::Grid(grid) = map() else { unreachable!() };
    let other = Map::from(grid.with_connectivity(Connectivity::Four));
    let refused = index.check_map(&other).unwrap_err();
    assert!(matches!(refused, OpenError::OtherMap { expected, found }
        if expected == Fingerprint::of(&other) && found == index.fingerprint()));
    let refused = index.check_engine("atlas").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the index was built by `example`, not by `atlas`; name that engine or rebuild"
    );
    for name in ["label", "labels2", "", "zz", &"x".repeat(100)] {
        let refused = index.section::<u8>(name).unwrap_err();
        assert!(matches!(refused, OpenError::NoSection { .. }), "{refused}");
    }
    let refused = index.section::<u16>("note").unwrap_err();
    assert!(matches!(refused, OpenError::ElementSize { element: 2, found: 3, .. }));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = small();
    for length in 0..bytes.len() {
        let error = IndexFile::from_bytes(bytes[..length].to_vec()).unwrap_err();
        match error {
            OpenError::NotAnIndex => assert!(length < 8),
            OpenError::Length { found, .. } => assert_eq!(found, length as u64),
            other => panic!("cut to {length} bytes: {other}"),
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let error = IndexFile::from_bytes(longer).unwrap_err();
    assert!(matches!(error, OpenError::Length { .. }), "{error}");
}

#[test]
fn every_changed_byte_is_found() {
    let bytes = small();
    let table_end = 128 + 4 * 64;
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            match IndexFile::from_bytes(damaged) {
                Err(_) => assert!(at < table_end, "opening read byte {at} of a section"),
                Ok(index) => {
                    assert!(at >= table_end, "byte {at} of the header is not covered");
                    match index.verify() {
                        Err(OpenError::Damaged { expected, found, .. }) => {
                            assert_ne!(expected, found)
                        }
                        Err(OpenError::Padding { at: byte, .. }) => assert_eq!(byte, at as u64),
                        other => panic!("byte {at} changed by {change:#x}: {other:?}"),
                    }
                }
            }
        }
    }
}

#[test]
fn errors_name_the_damaged_section() {
    let mut bytes = small();
    let index = IndexFile::from_bytes(bytes.clone()).unwrap();
    let labels = index.sections().find(|section| section.name == "labels").unwrap();
    bytes[labels.offset as usize + 4] ^= 1;
    let damaged = IndexFile::from_bytes(bytes).unwrap();
    let error = damaged.verify().unwrap_err();
    assert!(matches!(&error, OpenError::Damaged { section, expected, .. }
        if section == "labels" && *expected == labels.checksum));
    assert!(error.to_string().ends_with("rebuild it with `portolan build`"), "{error}");
    let unverified: Words = damaged.section("labels").unwrap();
    assert_eq!(unverified[1], 1, "the rest can still be read");
}

#[test]
fn foreign_files_are_refused() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice();
    for bytes in [b"".as_slice(), b"type octile\nheight 1\n", png, &[0; 4096], &[0xff; 200]] {
        assert!(matches!(use_all(bytes), Err(OpenError::NotAnIndex)));
    }
    // A transfer in text mode made one byte of two.
    let mut filtered = small();
    filtered.remove(5);
    assert!(matches!(use_all(&filtered), Err(OpenError::NotAnIndex)));

    let mut big_endian = small();
    big_endian[8..12].reverse();
    let error = use_all(&big_endian).unwrap_err();
    assert!(matches!(error, OpenError::Endianness { found: 0x0403_0201, .. }), "{error}");

    let mut later = small();
    later[12..16].copy_from_slice(&7u32.to_le_bytes());
    let error = use_all(&later).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the index has format version 7, this program reads version 1; rebuild it with `portolan build`"
    );
    // The version is reported even if the rest has an unknown layout.
    assert!(matches!(use_all(&later[..16]), Err(OpenError::Version { found: 7, .. })));
}

#[test]
fn folders_and_empty_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    for path in [folder.path(), &folder.path().join("none")] {
        let refused = |error: &OpenError| match path.is_dir() {
            true => matches!(error, OpenError::NotAnIndex),
            false => matches!(error, OpenError::Io(_)),
        };
        assert!(IndexFile::open(path).is_err_and(|error| refused(&error)));
        assert!(IndexFile::load(path).is_err_and(|error| refused(&error)));
    }
    std::fs::write(&empty, b"").unwrap();
    assert!(matches!(IndexFile::open(&empty), Err(OpenError::NotAnIndex)));
    assert!(matches!(IndexFile::load(&empty), Err(OpenError::NotAnIndex)));
}

/// Changes the header of the small index, fixes its checksum, and opens it.
fn hostile(change: impl FnOnce(&mut Vec<u8>)) -> OpenError {
    let mut bytes = small();
    change(&mut bytes);
    fix_header(&mut bytes);
    use_all(&bytes).unwrap_err()
}

/// Fixes the checksum of a header.
fn fix_header(bytes: &mut [u8]) {
    let Some(&sections) = bytes.get(48..).and_then(|rest| rest.first_chunk()) else { return };
    let end = u64::from_le_bytes(sections).checked_mul(64).and_then(|table| table.checked_add(128));
    let end = end.map_or(bytes.len(), |end| bytes.len().min(end as usize));
    let sum = XxHash3_64::oneshot(&bytes[24..end]);
    bytes[16..24].copy_from_slice(&sum.to_le_bytes());
}

/// Sets a field of an entry of the section table: 40 is the offset, 48 the length.
fn put(bytes: &mut [u8], section: usize, field: usize, number: u64) {
    let at = 128 + section * 64 + field;
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

const HUGE: [u64; 8] =
    [u64::MAX, u64::MAX - 63, u64::MAX - 64, 1 << 63, 1 << 62, 1 << 40, 1 << 32, 100_000];

#[test]
fn huge_numbers_of_sections_are_refused() {
    for count in HUGE.into_iter().chain([u64::MAX / 64, u64::MAX / 64 + 3, 8]) {
        let error = hostile(|bytes| bytes[48..56].copy_from_slice(&count.to_le_bytes()));
        assert!(
            matches!(error, OpenError::TooManySections { most: 7, found } if found == count),
            "{error}"
        );
    }
    // Fewer sections leave bytes unused; more read the first section as part of the table.
    for count in [0u64, 3, 5] {
        hostile(|bytes| bytes[48..56].copy_from_slice(&count.to_le_bytes()));
    }
}

#[test]
fn huge_lengths_are_refused() {
    for length in HUGE {
        let error = hostile(|bytes| put(bytes, 1, 48, length));
        assert!(matches!(error, OpenError::Beyond { found, .. } if found == length), "{error}");
        let error = hostile(|bytes| bytes[24..32].copy_from_slice(&length.to_le_bytes()));
        assert!(
            matches!(error, OpenError::Length { expected, .. } if expected == length),
            "{error}"
        );
    }
    // Too long by one byte, a wrong offset of the next section, and bytes after the last section.
    assert!(matches!(hostile(|bytes| put(bytes, 3, 48, 65)), OpenError::Beyond { most: 64, .. }));
    assert!(matches!(hostile(|bytes| put(bytes, 1, 48, 65)), OpenError::Offset { .. }));
    assert!(matches!(hostile(|bytes| put(bytes, 3, 48, 0)), OpenError::Length { .. }));
}

#[test]
fn offsets_are_fixed() {
    // Beyond the end, inside the header, overlapping, with a gap, misaligned.
    for offset in HUGE.into_iter().chain([0, 64, 128, 384 + 64, 384 + 128, 385]) {
        let error = hostile(|bytes| put(bytes, 1, 40, offset));
        assert!(
            matches!(error, OpenError::Offset { expected: 384, found, .. } if found == offset),
            "{error}"
        );
    }
}

#[test]
fn names_are_checked() {
    let doubled = hostile(|bytes| bytes.copy_within(128..128 + 40, 128 + 64));
    assert!(matches!(doubled, OpenError::Order { before, section } if before == section));
    let unsorted = hostile(|bytes| bytes[128] = b'z');
    assert!(matches!(unsorted, OpenError::Order { before, .. } if before == "zmpty"));
    for byte in [0, b' ', b'\n', 0x1b, 0x7f, 0x80, 0xff] {
        let nameless = hostile(|bytes| bytes[128] = byte);
        assert!(matches!(nameless, OpenError::Name { what } if what == "section 0"));
        let nameless = hostile(|bytes| bytes[56] = byte);
        assert!(matches!(nameless, OpenError::Name { what } if what == "the engine"));
    }
    let behind = hostile(|bytes| bytes[128 + 39] = b'x');
    assert!(matches!(behind, OpenError::Name { .. }), "{behind}");
    assert!(matches!(hostile(|bytes| bytes[127] = 1), OpenError::Reserved));
}

#[test]
fn sections_of_any_length_are_read_back() {
    for count in [0u32, 1, 31, 32, 33, 100_000] {
        let words: Words = (0..count).collect();
        let mut writer = IndexWriter::new("e", Fingerprint::from_u128(2));
        let bytes: Bytes = Array::from(vec![1u8; count as usize]);
        writer.section("words", &words).section("bytes", &bytes);
        let index = IndexFile::from_bytes(written(&writer)).unwrap();
        assert_eq!(index.section::<u32>("words").unwrap(), words);
        assert_eq!(index.section::<u8>("bytes").unwrap(), bytes);
    }
}

#[test]
fn a_file_made_from_the_description_is_read() {
    // Made by hand from the table in the head of `store`, not by this library.
    let bytes = include_bytes!("../../../../fuzz/corpus/store_open/small");
    use_all(bytes).unwrap();
    let index = IndexFile::from_bytes(bytes.to_vec()).unwrap();
    assert_eq!((index.engine(), index.fingerprint().to_u128()), ("example", 7));
    assert_eq!(*index.section::<u32>("labels").unwrap(), [7, 0, u32::MAX, 9, 3]);
    assert_eq!(*index.section::<u64>("offsets").unwrap(), OFFSETS);
}

/// The corpus of the fuzz target `store_open`, with a few bytes changed and half of the headers
/// fixed.
#[test]
fn valid_files_equal_what_the_writer_would_write() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/store_open");
    let mut files: Vec<_> =
        std::fs::read_dir(corpus).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut valid = 0;
    for file in files {
        let whole = std::fs::read(file).unwrap();
        for seed in 0..300 {
            let (mut bytes, mut draw) = (whole.clone(), Random::new(seed));
            for _ in 0..draw.below(4) {
                let at = draw.below(bytes.len() as u64) as usize;
                bytes[at] = draw.bits() as u8;
            }
            if draw.chance(0.5) {
                fix_header(&mut bytes);
            }
            if use_all(&bytes).is_ok() {
                let index = IndexFile::from_bytes(bytes.clone()).unwrap();
                let sections: Vec<_> = index.sections().map(|section| section.name).collect();
                let contents: Vec<Bytes> =
                    sections.iter().map(|name| index.section(name).unwrap()).collect();
                let mut writer = IndexWriter::new(index.engine(), index.fingerprint());
                for (name, contents) in sections.iter().zip(&contents) {
                    writer.section(name, contents);
                }
                assert!(written(&writer) == bytes, "seed {seed}");
                valid += 1;
            }
        }
    }
    assert!(valid > 100, "{valid} valid files");
}
