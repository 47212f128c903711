//! Sizes and scaled versions of comic pages.

#![no_main]

use ledge_kind_books::formats::picture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|page: &[u8]| {
    let _ = picture::size(page);
    let _ = picture::scaled(page, 64);
});
