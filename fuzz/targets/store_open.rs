#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_fuzz::checks::store_open(bytes));
