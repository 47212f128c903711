//! Mutation tests: the readers of books return soon and without a panic for every damaged file.
//!
//! `LEDGE_MUTATIONS` sets the number of mutations per file.

use std::io::Cursor;
use std::time::Duration;

use ledge_core::http::publications::places::Place;
use ledge_proving::{seven, survives};

use crate::archive::Archive;
use crate::fixtures::{self, JPEG, ZipBuilder, container};
use crate::formats::{comic, epub, fb2, mobi, pdf, picture, plain};

const TIME: Duration = Duration::from_secs(5);

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
fn damaged_epubs_are_parsed_or_rejected() {
    for is_packed in [false, true] {
        let seed = epub_file(is_packed);
        let whole = epub::inspect(Cursor::new(&seed)).expect("a book");
        assert_eq!(whole.title.as_deref(), Some("A Title"));
        assert!(epub::cover(Cursor::new(&seed)).expect("a book").is_some());
        survives(&seed, |bytes| {
            let _ = epub::inspect(Cursor::new(bytes));
            let _ = epub::cover(Cursor::new(bytes));
            let pointer = "/body/DocFragment[1]/body/img.0";
            if let Ok(Some(place)) = epub::places::from_xpointer(Cursor::new(bytes), pointer) {
                let _ = epub::places::to_xpointer(Cursor::new(bytes), &place);
            }
        });
    }
}

#[test]
fn damaged_positions_are_parsed_or_rejected() {
    let book = epub_file(false);
    let pointer = b"/body/DocFragment[1]/body/p[2]/autoBoxing/text()[3].14";
    survives(pointer, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = epub::places::from_xpointer(Cursor::new(&book), &text);
    });
    survives(b"epubcfi(/6/2[c]!/4[a^]b]/2,/1:0,/3:5~2@1:2)", |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let _ = epub::places::from_cfi(Cursor::new(&book), &text);
        let place = Place {
            position: 0,
            within: Some(0.5),
            locator: Some(text),
        };
        let _ = epub::places::to_xpointer(Cursor::new(&book), &place);
    });
}

#[test]
fn damaged_comics_are_parsed_or_rejected() {
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
        fixtures::solid_rar(files),
        seven(files),
        fixtures::solid_sevenz(files),
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
            if let Ok(mut archive) = Archive::open(Cursor::new(bytes.to_vec())) {
                let pages = comic::pages::indexes(&archive.index().members());
                let sizes = comic::sizes::measure(&mut archive, &pages);
                assert_eq!(sizes.len(), pages.len());
            }
        });
    }
}

#[test]
fn damaged_mobipocket_books_are_parsed_or_rejected() {
    let fields: &[(u32, &[u8])] = &[
        (100, b"Example, Ann"),
        (103, b"<p>One &amp; two</p>"),
        (104, b"9780306406157"),
        (106, b"1999-05-04"),
        (201, &[0, 0, 0, 0]),
        (503, b"A Title"),
    ];
    let seed = fixtures::mobi("Full Name", fields, JPEG);
    assert!(mobi::cover(Cursor::new(&seed)).expect("a book").is_some());
    survives(&seed, |bytes| {
        let _ = mobi::inspect(Cursor::new(bytes));
        let _ = mobi::cover(Cursor::new(bytes));
    });
}

#[test]
fn damaged_fictionbooks_are_parsed_or_rejected() {
    let seed = b"<?xml version='1.0' encoding='utf-8'?><FictionBook><description><title-info>
        <author><first-name>Ann</first-name><last-name>Example</last-name></author>
        <book-title>T</book-title><annotation><p>One</p></annotation>
        <coverpage><image l:href='#c'/></coverpage><sequence name='S' number='1'/></title-info>
        </description><body/><binary id='c'>cGljdHVyZQ==</binary></FictionBook>";
    assert!(fb2::cover(seed.as_slice()).expect("a book").is_some());
    survives(seed, |bytes| {
        let _ = fb2::inspect(bytes);
        let _ = fb2::cover(bytes);
    });
}

#[test]
fn damaged_pdfs_are_parsed_or_rejected() {
    let xmp = "<x><dc:title><rdf:li>T</rdf:li></dc:title></x>";
    let stream = format!("<</Length {}>>stream\n{xmp}\nendstream", xmp.len());
    let seed = fixtures::pdf(
        &[
            "<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R>>",
            "<</Type/Pages/Count 2/Kids[3 0 R 6 0 R]>>",
            "<</Type/Page/Parent 2 0 R>>",
            "<</Title(A \\(T\\))/Author<416e6e>/CreationDate(D:20120304)>>",
            &stream,
            "<</Type/Page/Parent 2 0 R>>",
        ],
        "/Root 1 0 R/Info 4 0 R",
    );
    let whole = pdf::inspect(Cursor::new(&seed), TIME).expect("a document");
    assert_eq!(
        (whole.title.as_deref(), whole.extent),
        (Some("A (T)"), Some(2))
    );
    survives(&seed, |bytes| {
        let _ = pdf::inspect(Cursor::new(bytes), TIME);
    });
}

#[test]
fn damaged_texts_are_parsed_or_rejected() {
    let seed = b"The Project Gutenberg eBook\n\nTitle: A\n       B\nAuthor: C, D\n\xe9\n";
    survives(seed, |bytes| {
        let _ = plain::inspect(bytes);
    });
}

#[test]
fn damaged_picture_headers_do_not_panic() {
    for seed in [
        &b"\xff\xd8\xff\xe0\0\x04AB\xff\xff\xc2\0\x11\x08\x01\x02\x03\x04"[..],
        b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x07\0\0\0\x05",
        b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x01\x02\0\x03\x04\0",
    ] {
        assert!(picture::size(seed).is_some());
        survives(seed, |bytes| {
            let _ = picture::size(bytes);
        });
    }
}

/// Archives compressed by real packers, which the fixtures cannot build.
#[test]
fn damaged_real_books_are_parsed_or_rejected() {
    const TRIED: &[&str] = &[
        "books/comics/komga-rar4.cbr",
        "books/comics/komga-rar5.cbr",
        "books/comics/Seven Up 01.cb7",
        "books/pdf/komga.pdf",
        "books/pdf/french_diacritics.pdf",
    ];
    let Some(corpus) = std::env::var_os("LEDGE_TEST_CORPUS") else {
        println!("skipped: LEDGE_TEST_CORPUS is not set");
        return;
    };
    for name in TRIED {
        let seed = std::fs::read(std::path::Path::new(&corpus).join(name)).expect("a file");
        survives(&seed, |bytes| {
            let _ = comic::inspect(Cursor::new(bytes.to_vec()), TIME);
            let _ = comic::cover(Cursor::new(bytes.to_vec()), TIME);
            let _ = pdf::inspect(Cursor::new(bytes), TIME);
        });
    }
}
