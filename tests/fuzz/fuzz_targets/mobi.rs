//! Metadata and covers of Mobipocket books.

#![no_main]

use std::io::Cursor;

use ledge_kind_books::formats::mobi;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = mobi::inspect(Cursor::new(book));
    let _ = mobi::cover(Cursor::new(book));
});
