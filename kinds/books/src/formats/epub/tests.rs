use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use ledge_core::registry::naming::Credit;

use super::*;
use crate::fixtures::{JPEG, ZipBuilder, container, epub, opf};

fn read(bytes: Vec<u8>) -> Inspection {
    inspect(Cursor::new(bytes)).expect("a book")
}

fn described(metadata: &str) -> Inspection {
    read(epub(&opf(metadata, "", "")).bytes())
}

fn cover_of(zip: &ZipBuilder) -> Option<Vec<u8>> {
    cover(Cursor::new(zip.bytes())).expect("a book")
}

fn credit(name: &str, role: &str) -> Credit {
    Credit {
        name: name.to_owned(),
        role: role.to_owned(),
    }
}

#[test]
fn date_before_year_1_has_negative_year() {
    for (date, year) in [("-0380", -380), ("-0043-03-15", -43), ("-9999", -9999)] {
        let book = described(&format!("<dc:title>T</dc:title><dc:date>{date}</dc:date>"));
        assert_eq!(book.year, Some(year), "{date}");
        assert_eq!(book.facts["date"], date);
    }
}

#[test]
fn epub_2_metadata_is_read_from_attributes() {
    let book = described(
        "<dc:title> A  Title </dc:title>
         <dc:creator opf:role='aut' opf:file-as='Example, Ann'>Ann Example</dc:creator>
         <dc:creator opf:role='aut'>Unknown</dc:creator>
         <dc:creator opf:role='ill'>Ida Inks</dc:creator>
         <dc:contributor opf:role='bkp'>calibre (5.0) [https://calibre-ebook.com]</dc:contributor>
         <dc:contributor opf:role='trl'>Translator, Tom</dc:contributor>
         <dc:date opf:event='modification'>2020-02-02</dc:date>
         <dc:date opf:event='publication'>1999-05-04</dc:date>
         <dc:identifier opf:scheme='ISBN'>978-0-306-40615-7</dc:identifier>
         <dc:publisher>Press &amp; Co</dc:publisher><dc:language>en</dc:language>
         <dc:subject>One</dc:subject><dc:subject>Two</dc:subject><dc:subject>One</dc:subject>
         <dc:description>&lt;p&gt;First.&lt;/p&gt;&lt;p&gt;Second.&lt;/p&gt;</dc:description>
         <meta name='calibre:series' content='The Cycle'/>
         <meta name='calibre:series_index' content='0.5'/>",
    );
    assert_eq!(book.title.as_deref(), Some("A Title"));
    assert_eq!(
        book.credits,
        [
            credit("Ann Example", "author"),
            credit("Ida Inks", "illustrator"),
            credit("Tom Translator", "translator"),
        ]
    );
    assert_eq!(book.year, Some(1999));
    assert_eq!(book.description.as_deref(), Some("First.\n\nSecond."));
    let series = book.series.expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("The Cycle", Some(0.5))
    );
    assert_eq!(
        serde_json::to_value(&book.facts).expect("JSON"),
        json!({
            "date": "1999-05-04",
            "isbn": "9780306406157",
            "language": "en",
            "publisher": "Press & Co",
            "subjects": ["One", "Two"],
        })
    );
}

#[test]
fn epub_3_metadata_is_read_from_refinements() {
    let book = described(
        "<dc:title id='s'>A Subtitle Given First</dc:title>
         <meta refines='#s' property='title-type'>subtitle</meta>
         <dc:title id='m'>The Main Title</dc:title>
         <meta refines='#m' property='title-type'>main</meta>
         <dc:creator id='b'>Bob Sample</dc:creator>
         <meta refines='#b' property='display-seq'>2</meta>
         <dc:creator id='a'>Ann Example</dc:creator>
         <meta refines='#a' property='display-seq'>1</meta>
         <meta refines='#a' property='role' scheme='marc:relators'>aut</meta>
         <meta refines='#a' property='role' scheme='marc:relators'>ill</meta>
         <meta property='belongs-to-collection' id='x'>A Set</meta>
         <meta property='belongs-to-collection' id='c'>The Cycle</meta>
         <meta refines='#c' property='collection-type'>series</meta>
         <meta refines='#c' property='group-position'>2</meta>
         <meta property='rendition:layout'>pre-paginated</meta>",
    );
    assert_eq!(book.title.as_deref(), Some("The Main Title"));
    assert_eq!(book.facts["subtitle"], "A Subtitle Given First");
    assert_eq!(book.facts["fixed_layout"], true);
    assert_eq!(
        book.credits,
        [
            credit("Ann Example", "author"),
            credit("Ann Example", "illustrator"),
            credit("Bob Sample", "author"),
        ]
    );
    let series = book.series.expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("The Cycle", Some(2.0))
    );
}

#[test]
fn spine_provides_extent_and_direction() {
    let spine =
        "<spine page-progression-direction='rtl'><itemref idref='a'/><itemref idref='b'/></spine>";
    let book = read(epub(&opf("<dc:title>T</dc:title>", "", spine)).bytes());
    assert_eq!(book.extent, Some(2));
    assert_eq!(book.facts["direction"], "rtl");
}

#[test]
fn package_is_found_despite_wrong_container() {
    let package = opf("<dc:title>Found</dc:title>", "", "");
    let archives = [
        ZipBuilder::new().deflated("content.opf", package.as_bytes()),
        ZipBuilder::new()
            .stored(
                "META-INF/container.xml",
                container("oebps/Book.opf").as_bytes(),
            )
            .deflated("OEBPS/book.opf", package.as_bytes()),
        ZipBuilder::new()
            .stored("meta-inf/CONTAINER.XML", container("a%20b.opf").as_bytes())
            .deflated("a b.opf", package.as_bytes()),
        ZipBuilder::new()
            .stored("META-INF/container.xml", b"<container>")
            .deflated("x/y.opf", package.as_bytes()),
    ];
    for archive in archives {
        assert_eq!(read(archive.bytes()).title.as_deref(), Some("Found"));
    }
}

#[test]
fn package_in_utf_16_is_read() {
    let text = opf("<dc:title>Книга</dc:title>", "", "");
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(text.encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    let zip = ZipBuilder::new().deflated("x.opf", &utf16);
    assert_eq!(read(zip.bytes()).title.as_deref(), Some("Книга"));
}

#[test]
fn covers_are_found_by_every_convention() {
    let page = "<html><body><img src='../img/c.jpg'/></body></html>";
    let drawing = "<svg><image xlink:href='c.jpg'/></svg>";
    let inline = format!(
        "<svg><image xlink:href='data:image/jpeg;base64,{}'/></svg>",
        STANDARD.encode(JPEG)
    );
    let item = |id: &str, href: &str, rest: &str| {
        format!("<item id='{id}' href='{href}' media-type='image/jpeg' {rest}/>")
    };
    let guide = "</manifest><guide><reference type='cover' href='text/p.xhtml'/></guide><manifest>";
    let cases: &[(&str, String)] = &[
        ("", item("x", "img/c.jpg", "properties='cover-image'")),
        ("", item("x", "img/c.svg", "properties='nav cover-image'")),
        ("", item("x", "img/i.svg", "properties='cover-image'")),
        (
            "<meta name='cover' content='x'/>",
            item("x", "img/c.jpg", ""),
        ),
        (
            "<meta content='x' name='cover'/>",
            item("x", "IMG/C.JPG", ""),
        ),
        (
            "<meta name='cover' content='img/c.jpg'/>",
            item("x", "img/c.jpg", ""),
        ),
        (
            "<meta name='cover' content='p'/>",
            item("p", "text/p.xhtml", ""),
        ),
        ("", guide.to_owned()),
        ("", item("cover", "img/c.jpg", "")),
        ("", item("Cover-Image", "img/c.jpg", "")),
        ("", item("i1", "img/front%20cover.jpg", "")),
        (
            "",
            item("x", "img/as%20written.jpg", "properties='cover-image'"),
        ),
        ("", item("x", "t%C3%A9xt/c.jpg", "properties='cover-image'")),
        (
            "",
            item("x", "text/encoded.xhtml", "properties='cover-image'"),
        ),
        (
            "",
            item("x", "text/wrapper.xhtml", "properties='cover-image'"),
        ),
        ("", item("x", "img/page", "properties='cover-image'")),
        // Files that are not pictures are skipped.
        (
            "<meta name='cover' content='s'/>",
            item("s", "style.css", "") + &item("cover", "img/c.jpg", ""),
        ),
        (
            "<meta name='cover' content='b'/>",
            item("b", "img/bomb.jpg", "") + &item("cover", "img/c.jpg", ""),
        ),
    ];
    let encoded = "<html><svg><image xlink:href='../img/front%20cover.jpg'/></svg></html>";
    let wrapper = "<html><body><object data='../img/c.svg'/></body></html>";
    for (metadata, manifest) in cases {
        let zip = epub(&opf(metadata, manifest, ""))
            .stored("img/c.jpg", JPEG)
            .stored("img/front cover.jpg", JPEG)
            .deflated("img/c.svg", drawing.as_bytes())
            .deflated("img/i.svg", inline.as_bytes())
            .stored("img/as%20written.jpg", JPEG)
            .stored("t\u{e9}xt/c.jpg", JPEG)
            .deflated("text/encoded.xhtml", encoded.as_bytes())
            .deflated("text/wrapper.xhtml", wrapper.as_bytes())
            .deflated("img/page", drawing.as_bytes())
            .stored("style.css", b"body { margin: 0 }")
            .deflated("img/bomb.jpg", &vec![0; 33 << 20])
            .deflated("text/p.xhtml", page.as_bytes());
        assert_eq!(
            cover_of(&zip).as_deref(),
            Some(JPEG),
            "{metadata} {manifest}"
        );
    }
}

#[test]
fn drawings_with_circular_references_terminate() {
    let item = "<item id='x' href='a.svg' media-type='image/svg+xml' properties='cover-image'/>";
    let zip = epub(&opf("", item, ""))
        .stored(
            "a.svg",
            b"<svg><image href='b.svg'/><image href='b.svg'/></svg>",
        )
        .stored(
            "b.svg",
            b"<svg><image href='a.svg'/><image href='a.svg'/></svg>",
        );
    assert_eq!(cover_of(&zip), None);
}

#[test]
fn covers_outside_the_archive_are_ignored() {
    for href in [
        "../../../etc/passwd",
        "file:///etc/passwd",
        "http://192.0.2.1/c.jpg",
        "/etc/passwd",
        "link.jpg",
    ] {
        let item = format!(
            "<item id='x' href='{href}' media-type='image/jpeg' properties='cover-image'/>"
        );
        let zip = epub(&opf("", &item, "")).link("link.jpg", "/etc/passwd");
        assert_eq!(cover_of(&zip), None, "{href}");
    }
}

#[test]
fn books_without_a_readable_package_are_errors() {
    let error = |zip: &ZipBuilder| {
        inspect(Cursor::new(zip.bytes()))
            .expect_err("no book")
            .to_string()
    };
    let outside = ZipBuilder::new()
        .stored(CONTAINER, container("../../etc/passwd").as_bytes())
        .stored("x.opf", b"<package/>");
    assert_eq!(
        error(&outside),
        "names a package document outside its archive"
    );
    let empty = ZipBuilder::new();
    assert_eq!(error(&empty), "is an EPUB without a package document");
    let blank = ZipBuilder::new().stored("x.opf", b"<package/>");
    assert_eq!(error(&blank), "its package document is empty");
    let mut locked = epub(&opf("<dc:title>T</dc:title>", "", ""));
    locked.encrypt();
    assert!(error(&locked).contains("is encrypted"));
    let endless = ZipBuilder::new().deflated("x.opf", &vec![b' '; 9 << 20]);
    assert!(error(&endless).starts_with("gave up: `x.opf`"));
    let deep = ZipBuilder::new().deflated("x.opf", "<a>".repeat(200_000).as_bytes());
    assert!(error(&deep).starts_with("gave up: its XML is nested"));
}

#[test]
fn truncated_package_is_read_up_to_the_cut() {
    let text = opf("<dc:title>T</dc:title><dc:creator>A</dc:creator>", "", "");
    let (start, _) = text.split_once("<manifest>").expect("a manifest");
    let zip = ZipBuilder::new().deflated("x.opf", format!("{start}<item id=").as_bytes());
    assert_eq!(read(zip.bytes()).title.as_deref(), Some("T"));
}

#[test]
fn drm_is_reported_and_obfuscated_fonts_are_not_drm() {
    let encryption = |algorithm: &str| {
        let document = format!(
            "<encryption><enc:EncryptedData><enc:EncryptionMethod Algorithm='{algorithm}'/>\
             </enc:EncryptedData></encryption>"
        );
        let zip = epub(&opf("<dc:title>T</dc:title>", "", ""));
        read(zip.deflated(ENCRYPTION, document.as_bytes()).bytes())
    };
    assert_eq!(encryption(FONT_ALGORITHMS[0]).facts.get("drm"), None);
    assert_eq!(
        encryption("http://www.w3.org/2001/04/xmlenc#aes128-cbc").facts["drm"],
        true
    );
}

#[test]
fn section_is_found_by_the_name_of_its_file() {
    let manifest = "<item id='a' href='Text/one.xhtml' media-type='application/xhtml+xml'/>
                    <item id='b' href='Text/two%20b.xhtml' media-type='application/xhtml+xml'/>
                    <item id='c' href='../out.xhtml' media-type='application/xhtml+xml'/>";
    let spine = "<spine><itemref idref='b'/><itemref idref='none'/><itemref idref='a'/>\
                 <itemref idref='c'/></spine>";
    let book = epub(&opf("<dc:title>T</dc:title>", manifest, spine)).bytes();
    let name = {
        let mut zip = Zip::open(Cursor::new(&book)).expect("a book");
        package(&mut zip, Scope::Files).expect("a package").0
    };
    let folder = name
        .rsplit_once('/')
        .map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let found = |href: &str| section_of(Cursor::new(&book), href).expect("a book");
    for (href, section) in [
        (format!("{folder}Text/one.xhtml"), Some(2)),
        ("Text/one.xhtml#part".to_owned(), Some(2)),
        (format!("/{folder}Text/two%20b.xhtml"), Some(0)),
        ("Text/three.xhtml".to_owned(), None),
        ("../../etc/passwd".to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(found(&href), section, "{href}");
    }
}
