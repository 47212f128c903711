//! What PDFs say. Their first pages are rendered in a process of its own, within its limits.

#![no_main]

use std::io::Cursor;
use std::time::Duration;

use ledge_kind_books::pdf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|book: &[u8]| {
    let _ = pdf::inspect(Cursor::new(book), Duration::from_secs(4));
});
