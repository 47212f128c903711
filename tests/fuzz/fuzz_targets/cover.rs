//! Conversion of embedded pictures into covers.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    let _ = ledge_core::image::render(source);
});
