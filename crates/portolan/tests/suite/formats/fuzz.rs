//! A bounded fuzz run for every `cargo test`: the corpus of each target, then seeded mutations of
//! it.
//!
//! `scripts/fuzz` runs the same checks under a coverage-guided fuzzer.

#[path = "../../../../../fuzz/src/checks.rs"]
#[allow(unreachable_pub)]
mod checks;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use checks::{Check, TARGETS};
use portolan::atlas::{Atlas, AtlasConfig, Form};
use portolan::generate::Random;
use portolan::true_distance::DifferentialConfig;
use portolan::true_distance::differential::Precision;
use portolan::{Build, Engine, Settings, registry};

const MUTATIONS: u64 = 10_000;

/// Words and numbers that readers look for, and some that they should not like.
const TOKENS: &[&str] = &[
    "type octile\n",
    "height ",
    "width ",
    "map\n",
    "version 1\n",
    "p sp ",
    "p aux sp co ",
    "a ",
    "v ",
    "c ",
    "#",
    "-",
    "/",
    "@",
    "S",
    "T",
    "\t",
    " ",
    "\r\n",
    "\n\n",
    "\0",
    "\u{feff}",
    "é",
    "0",
    "1",
    "-1",
    "1e9",
    "0.1",
    "nan",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967294",
    "4294967295",
    "4294967296",
    "9223372036854775808",
    "99999999999999999999999999999999",
];

#[test]
fn the_corpus_is_read_without_harm() {
    for &(target, check) in TARGETS {
        for (name, bytes) in corpus(target) {
            run(target, check, &bytes, &format!("file {name}"));
        }
    }
}

#[test]
fn mutations_are_read_without_harm() {
    for &(target, check) in TARGETS {
        let corpus: Vec<_> = corpus(target).into_iter().map(|(_, bytes)| bytes).collect();
        for seed in 0..MUTATIONS {
            let mut random = Random::new(seed);
            let mut bytes = corpus[random.below(corpus.len() as u64) as usize].clone();
            for _ in 0..=random.below(3) {
                mutate(&mut bytes, &corpus, &mut random);
            }
            if target == "png_map" && random.chance(0.8) {
                mend_checksums(&mut bytes);
            }
            run(target, check, &bytes, &format!("seed {seed}"));
        }
    }
}

/// To be run by hand where the layout of the index changes: an index of each form for each of the
/// maps.
#[test]
#[ignore = "writes fuzz/corpus/atlas_open"]
fn write_the_corpus_of_atlas_open() {
    for (map, name) in checks::index_maps().iter().zip(["grid", "streets"]) {
        let build = |form, limit: u64| {
            let memory_limit = limit.into();
            let config =
                AtlasConfig { form, memory_limit, leaf_size: Some(3), ..AtlasConfig::default() };
            Atlas::build(map, &config).unwrap()
        };
        let full = build(Form::General, u64::MAX);
        let smaller = build(Form::General, full.memory_bytes() as u64 - 1);
        let forms =
            [(full, "every"), (smaller, "borders"), (build(Form::Climb, u64::MAX), "climb")];
        for (atlas, form) in forms {
            atlas
                .store()
                .unwrap()
                .save(folder("atlas_open").join(format!("{name}-{form}")))
                .unwrap();
        }
    }
}

/// The same for stored bounds and searches along portals.
#[test]
#[ignore = "writes fuzz/corpus/bounds_open"]
fn write_the_corpus_of_bounds_open() {
    let usual = Settings::default();
    let few = DifferentialConfig {
        landmarks: 3,
        precision: Precision::Bits8,
        kept: Some(2),
        ..DifferentialConfig::default()
    };
    let dropped = Settings { differential: few, ..usual.clone() };
    let methods = checks::BOUNDS.map(|name| (name, name, &usual));
    let methods = methods.into_iter().chain([("differential", "dropped", &dropped)]);
    for (method, form, settings) in methods {
        let method = registry::method(method).unwrap();
        for (map, name) in checks::index_maps().iter().zip(["grid", "streets"]) {
            if method.supports(map, settings).is_ok() {
                let built = method.build(map, settings).unwrap();
                let path = folder("bounds_open").join(format!("{name}-{form}"));
                built.store().unwrap().save(path).unwrap();
            }
        }
    }
}

/// The files of a target's corpus, sorted by name so that a seed always means the same bytes.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = folder(target);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no corpus for {target}");
    files
}

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

fn run(target: &str, check: Check, bytes: &[u8], origin: &str) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(bytes))) {
        eprintln!("target {target}, {origin}, input b\"{}\"", bytes.escape_ascii());
        resume_unwind(panic);
    }
}

fn mutate(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let below = |random: &mut Random, bound: usize| random.below(bound as u64) as usize;
    let at = below(random, bytes.len() + 1);
    let end = at + below(random, (bytes.len() - at).min(40) + 1);
    match random.below(8) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.bits() as u8;
            }
        }
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let token = TOKENS[below(random, TOKENS.len())];
            bytes.splice(at..at, token.bytes());
        }
        5 => {
            let other = &corpus[below(random, corpus.len())];
            let from = below(random, other.len() + 1);
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
        6 => {
            let copy = bytes[at..end].to_vec();
            bytes.splice(at..at, copy);
        }
        _ => replace_number(bytes, at, TOKENS[below(random, TOKENS.len())]),
    }
}

/// Puts a token in the place of the first digits from `at` on.
fn replace_number(bytes: &mut Vec<u8>, at: usize, token: &str) {
    if let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let start = at + start;
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        bytes.splice(start..start + length, token.bytes());
    }
}

/// Gives every chunk of a PNG its right checksum, so that mutations get past the first check.
fn mend_checksums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let (start, end) = (at + 4, at + 8 + length);
        if bytes.len() < end + 4 {
            return;
        }
        let crc = !bytes[start..end].iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xedb8_8320 * (crc & 1)))
        });
        bytes[end..end + 4].copy_from_slice(&crc.to_be_bytes());
        at = end + 4;
    }
}
