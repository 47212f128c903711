//! Metadata sidecars of videos (`.nfo`).

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let _ = ledge_kind_video::reading::nfo::read(file);
});
