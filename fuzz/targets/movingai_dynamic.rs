#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_fuzz::checks::movingai_dynamic(bytes));
