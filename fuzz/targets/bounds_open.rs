#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_fuzz::checks::bounds_open(bytes));
