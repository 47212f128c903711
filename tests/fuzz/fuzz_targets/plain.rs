//! Metadata of plain texts.

#![no_main]

use ledge_kind_books::formats::plain;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = plain::inspect(book);
});
