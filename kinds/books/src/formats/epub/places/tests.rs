//! Tests of positions: round trips, tolerated differences, and hostile documents.

use std::io::Cursor;

use super::*;
use crate::fixtures::{epub, opf};

const ONE: &str = "<html><head><title>T</title><script>x</script></head><body>\n\
    <div><p id='first'>First <b>bold</b> tail</p>\n<p>Second\n   paragraph</p></div>\n\
    <p>Third &amp; last 𝄞 note</p></body></html>";

/// Returns a book of an image page, the document, and a document that is absent.
fn book(document: &str) -> Vec<u8> {
    let manifest = "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>\
                    <item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>\
                    <item id='c' href='c.xhtml' media-type='application/xhtml+xml'/>";
    let spine = "<spine><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/></spine>";
    epub(&opf("<dc:title>T</dc:title>", manifest, spine))
        .deflated("a.xhtml", b"<html><body><img src='a.png'/></body></html>")
        .deflated("b.xhtml", document.as_bytes())
        .bytes()
}

fn from(book: &[u8], value: &str) -> Option<Place> {
    from_xpointer(Cursor::new(book), value).expect("a book")
}

fn back(book: &[u8], place: &Place) -> Option<String> {
    to_xpointer(Cursor::new(book), place).expect("a book").value
}

#[test]
fn pointer_survives_the_way_through_a_cfi() {
    let book = book(ONE);
    for (pointer, cfi) in [
        (
            "/body/DocFragment[2]/body/div/p[1]/text()[1].3",
            "epubcfi(/6/4!/4/2/2/1:3)",
        ),
        (
            "/body/DocFragment[2]/body/div/p[1]/b/text().2",
            "epubcfi(/6/4!/4/2/2/2/1:2)",
        ),
        (
            "/body/DocFragment[2]/body/div/p[1]/text()[2].5",
            "epubcfi(/6/4!/4/2/2/3:5)",
        ),
        // Three spaces and a line break are one character for crengine.
        (
            "/body/DocFragment[2]/body/div/p[2]/text().7",
            "epubcfi(/6/4!/4/2/4/1:10)",
        ),
        // A character outside of the basic plane is one character for crengine, and two for a CFI.
        (
            "/body/DocFragment[2]/body/p/text().15",
            "epubcfi(/6/4!/4/4/1:16)",
        ),
    ] {
        let place = from(&book, pointer).expect(pointer);
        assert_eq!(place.position, 1);
        assert_eq!(place.locator.as_deref(), Some(cfi), "{pointer}");
        assert_eq!(back(&book, &place).as_deref(), Some(pointer));
    }
}

#[test]
fn layout_elements_ids_and_omitted_numbers_are_understood() {
    let book = book(ONE);
    for (pointer, cfi) in [
        (
            "/body/DocFragment[2]/body/autoBoxing[3]/div[1]/p[2]/text().0",
            "epubcfi(/6/4!/4/2/4/1:0)",
        ),
        ("#_doc_fragment_1_ first", "epubcfi(/6/4!/4/2/2)"),
        ("/body/DocFragment[2]/body/p.0", "epubcfi(/6/4!/4/4)"),
        // The closest element before a step without a target.
        (
            "/body/DocFragment[2]/body/div/p[2]/span[4]/text().9",
            "epubcfi(/6/4!/4/2/4)",
        ),
        (
            "/body/DocFragment[2]/body/p/text().999",
            "epubcfi(/6/4!/4/4/1:20)",
        ),
    ] {
        let place = from(&book, pointer).expect(pointer);
        assert_eq!(place.locator.as_deref(), Some(cfi), "{pointer}");
    }
    let starts = [
        ("/body/DocFragment[1].0", 0),
        ("/body/DocFragment.0", 0),
        ("/body/DocFragment[2]", 1),
        ("#_doc_fragment_1_ ", 1),
        // The document of the third section is absent.
        ("/body/DocFragment[3]/body/p[7]/text().3", 2),
    ];
    for (pointer, position) in starts {
        let place = from(&book, pointer).expect(pointer);
        assert_eq!(
            (place.position, place.locator),
            (position, None),
            "{pointer}"
        );
    }
}

#[test]
fn pointers_without_a_section_are_rejected() {
    let book = book(ONE);
    for pointer in [
        "",
        "7",
        "/body/DocFragment[0]/body",
        "/body/DocFragment[4]/body",
        "/body/DocFragment[99999999999999999999]/body",
        "/body/DocFragment[x]/body",
        "/body/p[2]",
        "#_doc_fragment_x_",
        "#_doc_fragment_3_ a",
    ] {
        assert_eq!(from(&book, pointer), None, "{pointer}");
    }
}

#[test]
fn ranges_assertions_and_wrong_steps_of_a_cfi_are_tolerated() {
    let book = book(ONE);
    let pointer = |locator: &str, within| {
        let place = Place {
            position: 1,
            within,
            locator: Some(locator.to_owned()),
        };
        back(&book, &place)
    };
    let second = Some("/body/DocFragment[2]/body/div/p[2]/text().0".to_owned());
    assert_eq!(
        pointer("epubcfi(/6/4[b]!/4/2[x^],y]/4,/1:0,/1:5)", None),
        second
    );
    assert_eq!(pointer("epubcfi(/6/4!/4/2/4)", None), second);
    let third = Some("/body/DocFragment[2]/body/p/text().0".to_owned());
    assert_eq!(pointer("epubcfi(/6/4!/4/4/8/2:7)", None), third);
    for wrong in ["", "epubcfi(", "epubcfi(/6/4)", "epubcfi(/6/4!/x)"] {
        assert_eq!(pointer(wrong, None), None, "{wrong}");
        let middle = pointer(wrong, Some(0.5)).expect("a point");
        assert!(middle.starts_with("/body/DocFragment[2]/body/"), "{middle}");
    }
}

#[test]
fn cfi_of_another_program_names_its_section() {
    let book = book(ONE);
    let place = from_cfi(Cursor::new(&book), "epubcfi(/6/4!/4/4/1:20)").expect("a book");
    let place = place.expect("a place");
    assert_eq!((place.position, place.within), (1, Some(1.0)));
    let outside = from_cfi(Cursor::new(&book), "epubcfi(/6/10!/4)").expect("a book");
    assert_eq!(outside, None);
}

#[test]
fn weights_are_the_sizes_of_the_documents() {
    let sizes = weights(Cursor::new(book(ONE))).expect("a book");
    assert_eq!(sizes, [44, ONE.len() as u64, 0]);
}

#[test]
fn first_file_of_a_name_is_the_section() {
    let manifest = "<item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>";
    let spine = "<spine><itemref idref='a'/></spine>";
    let book = epub(&opf("<dc:title>T</dc:title>", manifest, spine))
        .deflated("a.xhtml", b"first")
        .deflated("a.xhtml", b"the second")
        .bytes();
    assert_eq!(weights(Cursor::new(book)).expect("a book"), [5]);
}

#[test]
fn hostile_documents_become_the_start_of_the_section() {
    let deep = format!("<html><body>{}", "<p>".repeat(65));
    let wide = format!("<html><body>{}</body></html>", "<p/>".repeat(100_001));
    let large = format!("<html><body>{}</body></html>", " ".repeat(4 << 20));
    let path = "/body/DocFragment[2]/body/p[1]/text().0";
    for document in [deep.as_str(), &wide, &large, "", "<html><body><p a='"] {
        let book = book(document);
        let place = from(&book, path).expect("a section");
        assert_eq!((place.position, place.locator), (1, None));
        let place = Place {
            position: 1,
            within: None,
            locator: Some("epubcfi(/6/4!/4/2/1:0)".to_owned()),
        };
        assert_eq!(back(&book, &place), None);
    }
    let long = format!("/body/DocFragment[2]/body{}", "/p".repeat(100_000));
    let place = from(&book(ONE), &long).expect("a section");
    assert_eq!((place.position, place.locator), (1, None));
}

#[test]
fn path_names_a_section_and_a_relative_position() {
    let book = book(ONE);
    let from = |value: &str| from_path(Cursor::new(&book), value).expect("a book");
    for (value, within) in [
        ("b.xhtml", None),
        ("b.xhtml#first", None),
        ("%62.xhtml#progression=0.25", Some(0.25)),
        ("b.xhtml#progression=7", None),
        ("b.xhtml#progression=NaN", None),
    ] {
        let place = from(value).expect(value);
        assert_eq!((place.position, place.within), (1, within), "{value}");
    }
    for value in ["", "/b.xhtml", "../b.xhtml", "x.xhtml", "https://a/b.xhtml"] {
        assert_eq!(from(value), None, "{value}");
    }
    let place = Place {
        position: 1,
        within: Some(0.25),
        locator: None,
    };
    let converted = to_path(Cursor::new(&book), &place).expect("a book");
    assert_eq!(converted.value.as_deref(), Some("b.xhtml"));
    assert_eq!(converted.within, Some(0.25));
    let beyond = Place {
        position: 99,
        ..place
    };
    let converted = to_path(Cursor::new(&book), &beyond).expect("a book");
    assert_eq!(converted.value, None);
}
