//! Damaged books: whatever becomes of a file's bytes, its reader answers, and soon.
//!
//! `LEDGE_MUTATIONS` says how many states of every file are tried.

use std::io::Cursor;
use std::time::{Duration, Instant};

use crate::fixtures::{self, JPEG, ZipBuilder, container};
use crate::{comic, epub};

const TIME: Duration = Duration::from_secs(5);

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }

    fn byte(&mut self) -> u8 {
        const TELLING: &[u8] = &[
            0, 1, 0x7f, 0x80, 0xff, b'<', b'>', b'&', b'"', b'/', b'0', b'9',
        ];
        match self.next(3) {
            0 => TELLING[self.next(TELLING.len())],
            _ => u8::try_from(self.next(256)).unwrap_or(0),
        }
    }

    /// One to eight changes: bytes replaced, inserted, left out, repeated, swapped, cut off.
    fn mutate(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.next(8) {
            let at = self.next(bytes.len());
            let len = self.next(24).min(bytes.len().saturating_sub(at));
            match self.next(8) {
                0..=3 if !bytes.is_empty() => bytes[at] = self.byte(),
                4 => {
                    let new: Vec<u8> = (0..len).map(|_| self.byte()).collect();
                    bytes.splice(at..at, new);
                }
                5 => drop(bytes.drain(at..at + len)),
                6 => {
                    let part = bytes[at..at + len].to_vec();
                    let to = self.next(bytes.len());
                    bytes.splice(to..to, part);
                }
                7 if self.next(4) == 0 => bytes.truncate(at),
                _ => {}
            }
        }
        bytes
    }
}

fn mutations() -> usize {
    std::env::var("LEDGE_MUTATIONS")
        .ok()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1_000)
}

fn survives(seed: &[u8], mut read: impl FnMut(&[u8])) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..mutations() {
        let bytes = numbers.mutate(seed);
        let start = Instant::now();
        read(&bytes);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(5), "round {round} took {took:?}");
    }
}

const PACKAGE: &str = "<?xml version='1.0' encoding='UTF-8'?>
<package version='3.0'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>
<dc:title id='t'>A Title</dc:title><meta refines='#t' property='title-type'>main</meta>
<dc:creator id='a' opf:role='aut'>Example, Ann</dc:creator>
<meta refines='#a' property='display-seq'>1</meta><dc:date>1999-05-04</dc:date>
<dc:identifier>urn:isbn:9780306406157</dc:identifier>
<dc:description>&lt;p&gt;One&amp;eacute;&lt;/p&gt;</dc:description>
<meta name='calibre:series' content='S'/><meta name='calibre:series_index' content='1.5'/>
<meta name='cover' content='c'/></metadata>
<manifest><item id='c' href='p%20.xhtml' media-type='image/jpeg'/></manifest>
<spine page-progression-direction='rtl'><itemref idref='c'/></spine>
<guide><reference type='cover' href='p .xhtml'/></guide></package>";

fn epub_file(is_packed: bool) -> Vec<u8> {
    let container = container("book.opf");
    let files: &[(&str, &[u8])] = &[
        ("META-INF/container.xml", container.as_bytes()),
        ("book.opf", PACKAGE.as_bytes()),
        ("p .xhtml", b"<html><img src='c.jpg'/></html>"),
        ("c.jpg", JPEG),
    ];
    packed(files, is_packed)
}

fn packed(files: &[(&str, &[u8])], is_packed: bool) -> Vec<u8> {
    let put = |zip: ZipBuilder, (name, bytes): &(&str, &[u8])| {
        if is_packed {
            zip.deflated(name, bytes)
        } else {
            zip.stored(name, bytes)
        }
    };
    files.iter().fold(ZipBuilder::new(), put).bytes()
}

#[test]
fn damaged_epubs_are_read_or_refused() {
    for is_packed in [false, true] {
        let seed = epub_file(is_packed);
        let whole = epub::inspect(Cursor::new(&seed)).expect("a book");
        assert_eq!(whole.title.as_deref(), Some("A Title"));
        assert!(epub::cover(Cursor::new(&seed)).expect("a book").is_some());
        survives(&seed, |bytes| {
            let _ = epub::inspect(Cursor::new(bytes));
            let _ = epub::cover(Cursor::new(bytes));
        });
    }
}

#[test]
fn damaged_comics_are_read_or_refused() {
    let files: &[(&str, &[u8])] = &[
        ("a/10.jpg", b"tenth"),
        ("a/2.jpg", JPEG),
        (
            "ComicInfo.xml",
            b"<ComicInfo><Series>S</Series><Number>1.5</Number></ComicInfo>",
        ),
    ];
    let archives = [
        packed(files, false),
        packed(files, true),
        fixtures::tar(files),
        fixtures::rar(files),
        fixtures::seven(files),
    ];
    for seed in archives {
        let whole = comic::inspect(Cursor::new(seed.clone()), TIME).expect("a comic");
        assert_eq!(whole.extent, Some(2));
        assert_eq!(whole.series.expect("a series").index, Some(1.5));
        let cover = comic::cover(Cursor::new(seed.clone()), TIME).expect("a comic");
        assert_eq!(cover.as_deref(), Some(JPEG));
        survives(&seed, |bytes| {
            let _ = comic::inspect(Cursor::new(bytes.to_vec()), TIME);
            let _ = comic::cover(Cursor::new(bytes.to_vec()), TIME);
        });
    }
}

/// Archives that no fixture can be built of: what real packers compressed.
#[test]
fn damaged_real_books_are_read_or_refused() {
    const TRIED: &[&str] = &[
        "books/comics/komga-rar4.cbr",
        "books/comics/komga-rar5.cbr",
        "books/comics/Seven Up 01.cb7",
    ];
    let Some(corpus) = std::env::var_os("LEDGE_TEST_CORPUS") else {
        println!("skipped: LEDGE_TEST_CORPUS names no folder");
        return;
    };
    for name in TRIED {
        let seed = std::fs::read(std::path::Path::new(&corpus).join(name)).expect("a file");
        survives(&seed, |bytes| {
            let _ = comic::inspect(Cursor::new(bytes.to_vec()), TIME);
            let _ = comic::cover(Cursor::new(bytes.to_vec()), TIME);
        });
    }
}
