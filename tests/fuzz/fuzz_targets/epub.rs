//! Metadata and covers of EPUBs.

#![no_main]

use std::io::Cursor;

use ledge_kind_books::formats::epub;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = epub::inspect(Cursor::new(book));
    let _ = epub::cover(Cursor::new(book));
});
