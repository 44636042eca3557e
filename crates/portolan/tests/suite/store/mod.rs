//! Index files: fingerprints, replacement, damage.

mod bounds_file;
mod fingerprint;
mod replace;
