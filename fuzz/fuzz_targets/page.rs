//! Pages of comics: how large they are, and smaller ones made of them.

#![no_main]

use ledge_kind_books::picture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|page: &[u8]| {
    let _ = picture::size(page);
    let _ = picture::scaled(page, 64);
});
