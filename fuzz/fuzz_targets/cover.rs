//! Pictures as they lie in files, made into covers.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let _ = ledge_core::cover::render(source);
});
