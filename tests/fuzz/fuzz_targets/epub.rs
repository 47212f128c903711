//! Metadata, covers and positions of EPUBs.

#![no_main]

use std::io::Cursor;

use ledge_kind_books::formats::epub;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = epub::inspect(Cursor::new(book));
    let _ = epub::cover(Cursor::new(book));
    let pointer = "/body/DocFragment[1]/body/p[1]/text().3";
    if let Ok(Some(place)) = epub::places::from_xpointer(Cursor::new(book), pointer) {
        let _ = epub::places::to_xpointer(Cursor::new(book), &place);
    }
});
