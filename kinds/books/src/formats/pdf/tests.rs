use std::io::{Cursor, Seek as _, Write as _};

use super::*;
use crate::fixtures;

/// Returns a document of these objects, numbered from 1, with a table and this trailer.
fn document(objects: &[&str], trailer: &str) -> Vec<u8> {
    fixtures::pdf(objects, trailer)
}

const CATALOGUE: &str = "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>";
const PAGES: &str = "<</Type/Pages/Count 7/Kids[]>>";

fn read(bytes: &[u8]) -> Inspection {
    inspect(Cursor::new(bytes), Duration::from_secs(5)).expect("a document")
}

/// Reads a document as the subprocess does.
fn read_by_worker(bytes: &[u8]) -> Inspection {
    let output = worker::metadata(bytes.to_vec()).expect("a document");
    worker::inspection_of(&output).expect("its output")
}

fn sample() -> Vec<u8> {
    let information = "<</Title(A Title)/Author(Example, Ann; Bob Sample)/Subject(About)\
        /Keywords(one, two)/CreationDate(D:20120304050607Z)>>";
    document(
        &[CATALOGUE, PAGES, information, "null"],
        "/Root 1 0 R/Info 3 0 R",
    )
}

#[test]
fn information_and_pages_are_read() {
    let found = read(&sample());
    assert_eq!(found.title.as_deref(), Some("A Title"));
    let names: Vec<_> = found
        .credits
        .iter()
        .map(|credit| credit.name.as_str())
        .collect();
    assert_eq!(names, ["Ann Example", "Bob Sample"]);
    assert_eq!(found.description.as_deref(), Some("About"));
    assert_eq!(found.extent, Some(7));
    assert_eq!(
        serde_json::to_value(&found.facts).expect("JSON"),
        json!({"date": "2012-03-04", "subjects": ["one", "two"]})
    );
}

#[test]
fn xmp_provides_values_missing_in_information() {
    let xmp = "<x><dc:title><rdf:Alt><rdf:li>From XMP</rdf:li></rdf:Alt></dc:title>\
        <dc:creator><rdf:Seq><rdf:li>Ann Example</rdf:li></rdf:Seq></dc:creator></x>";
    let stream = format!("<</Length {}>>\nstream\n{xmp}\nendstream", xmp.len());
    let information = "<</Title(untitled.doc)>>";
    let objects = [CATALOGUE, PAGES, information, &stream];
    let found = read(&document(&objects, "/Root 1 0 R/Info 3 0 R"));
    assert_eq!(found.title.as_deref(), Some("From XMP"));
    assert_eq!(found.credits, [Credit::author("Ann Example")]);
}

#[test]
fn worker_reads_the_same_metadata_as_the_direct_reader() {
    let xmp = "<x><dc:publisher><rdf:li>Press</rdf:li></dc:publisher></x>";
    let stream = format!("<</Length {}>>\nstream\n{xmp}\nendstream", xmp.len());
    let information = "<</Title(A Title)/Author(Example, Ann; Bob Sample)/Subject(About)\
        /Keywords(one, two)/CreationDate(D:20120304050607Z)>>";
    let objects = [CATALOGUE, PAGES, information, &stream];
    let bytes = document(&objects, "/Root 1 0 R/Info 3 0 R");
    let found = read_by_worker(&bytes);
    assert_eq!(found.facts["publisher"], "Press");
    assert_eq!(found, read(&bytes));
}

#[test]
fn document_without_table_is_repaired_by_worker() {
    let whole = sample();
    let table = whole
        .windows(4)
        .position(|window| window == b"xref")
        .expect("a table");
    let mut bytes = whole[..table].to_vec();
    assert_eq!(read_by_worker(&bytes).extent, Some(7));
    bytes.extend(b"trailer <</Root 1 0 R/Info 3 0 R>> startxref 99999999 %%EOF");
    let error = inspect(Cursor::new(&bytes), Duration::from_secs(5)).expect_err("no table");
    assert!(matches!(error, ReadError::Damaged(_)), "{error}");
    let found = read_by_worker(&bytes);
    assert_eq!(
        (found.title.as_deref(), found.extent),
        (Some("A Title"), Some(7))
    );
}

#[test]
fn pages_are_counted_without_valid_count() {
    let page = "<</Type/Page>>";
    let inner = "<</Type/Pages/Kids[4 0 R 5 0 R 2 0 R]>>";
    let objects = [
        "<</Pages 2 0 R>>",
        "<</Kids[3 0 R 4 0 R]/Count -1>>",
        inner,
        page,
        page,
    ];
    // The tree contains a cycle and refers to one page twice.
    let bytes = document(&objects, "/Root 1 0 R");
    assert_eq!(read(&bytes).extent, None);
    assert_eq!(read_by_worker(&bytes).extent, Some(2));
}

#[test]
fn repeatedly_referenced_page_is_parsed_once() {
    let page = format!("<</Type/Page/A({})>>", "x".repeat(100_000));
    let root = format!("<</Kids[{}]>>", "3 0 R ".repeat(200_000));
    let objects = ["<</Pages 2 0 R>>", &root, &page];
    let bytes = document(&objects, "/Root 1 0 R");
    let found = ledge_proving::in_time("page tree", || read_by_worker(&bytes));
    assert_eq!(found.extent, Some(1));
}

#[test]
fn unterminated_trailers_do_not_delay_worker() {
    // The first trailers do not end: each is read to the end of the document.
    let mut bytes = b"%PDF-1.4\n".to_vec();
    bytes.extend(b"trailer<</A(".repeat(20_000));
    let information = "<</Title(A Title)>>";
    let objects = [CATALOGUE, PAGES, information];
    let whole = document(&objects, "/Root 1 0 R/Info 3 0 R");
    let table = whole.windows(4).rposition(|window| window == b"xref");
    bytes.extend(&whole[..table.expect("a table")]);
    bytes.extend(b")".repeat(20_000));
    bytes.extend(b"\ntrailer <</Root 1 0 R/Info 3 0 R>>");
    let _ = ledge_proving::in_time("trailers", || worker::metadata(bytes));
}

#[test]
fn bytes_before_the_header_are_skipped() {
    let bytes = [b"junk\n".as_slice(), &sample()].concat();
    assert_eq!(read(&bytes).title.as_deref(), Some("A Title"));
}

#[test]
fn encrypted_document_has_no_metadata_in_plain() {
    let objects = [
        CATALOGUE,
        PAGES,
        "<</Title(\u{1}\u{2})>>",
        "<</Filter/Standard>>",
    ];
    let found = read(&document(&objects, "/Root 1 0 R/Info 3 0 R/Encrypt 4 0 R"));
    assert_eq!((found.title, found.extent), (None, Some(7)));
    assert_eq!(found.facts["encrypted"], true);
}

/// Encryption with RC4 and a 40-bit key (ISO 32000-2, 7.6, algorithms 1 to 4). The user password is
/// empty, and object 3 is the information dictionary. Generated outside of this project.
const ENCRYPTION: &str = "<</Filter/Standard/V 1/R 2/P -4\
    /O<000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f>\
    /U<6034a5e50ee97dd8750b2e21f4e56e0def6ec2d286854367833bb92462017063>>>";
const ENCRYPTED: &str = "<</Title<11d5b1eb8384d1>\
    /Author<158d84ef8784d18e453e2b6f>\
    /CreationDate<14cfd7b2c6da8491554b75349dd83ddf2b>>>";
const LOCKED: &str = "/Root 1 0 R/Info 3 0 R/Encrypt 4 0 R\
    /ID[<00000000000000000000000000000000><00000000000000000000000000000000>]";

#[test]
fn encrypted_document_with_empty_password_is_decrypted() {
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>";
    let pages = "<</Type/Pages/Count 2/Kids[5 0 R 6 0 R]>>";
    let catalogue = "<</Type/Catalog/Pages 2 0 R>>";
    let locked_by = |encryption: &str| {
        let objects = [catalogue, pages, ENCRYPTED, encryption, page, page];
        document(&objects, LOCKED)
    };
    let bytes = locked_by(ENCRYPTION);
    let plain = read(&bytes);
    assert_eq!((plain.title, plain.extent), (None, Some(2)));
    let found = read_by_worker(&bytes);
    assert_eq!(found.title.as_deref(), Some("A Title"));
    assert_eq!(found.credits, [Credit::author("Ann Example")]);
    assert_eq!(found.extent, Some(2));
    assert_eq!(
        serde_json::to_value(&found.facts).expect("JSON"),
        json!({"date": "2012-03-04"})
    );
    // Changes the check value, so that the empty password is wrong.
    let shut = locked_by(&ENCRYPTION.replace("/U<", "/U<00"));
    let error = worker::metadata(shut).expect_err("locked");
    assert!(error.to_string().contains("password"), "{error}");
    assert!(worker::inspection_of(b"no output").is_err());
}

// No subprocess can be started in a test, so only the unencrypted values are available.
#[test]
fn encrypted_document_without_subprocess_has_plain_values() {
    let objects = [CATALOGUE, PAGES, ENCRYPTED, ENCRYPTION];
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&document(&objects, LOCKED))
        .expect("disk space");
    file.rewind().expect("a seekable file");
    let found = inspect_file(Path::new("a.pdf"), file, Duration::from_secs(5)).expect("a document");
    assert_eq!((found.title, found.extent), (None, Some(7)));
    assert_eq!(found.facts["encrypted"], true);
}

#[test]
fn content_that_is_not_pdf_is_rejected() {
    let error = |bytes: &[u8]| {
        inspect(Cursor::new(bytes), Duration::from_secs(5))
            .expect_err("none")
            .to_string()
    };
    assert_eq!(error(b"<html>"), "is not a PDF");
    assert_eq!(error(b""), "is not a PDF");
    assert_eq!(error(b"%PDF-1.4\n"), "is a PDF without a catalogue");
    let looped = b"%PDF-1.4\nxref\n0 0\ntrailer <</Prev 9>>\nstartxref\n9\n%%EOF";
    assert_eq!(error(looped), "is a PDF without a catalogue");
}

// The error alone does not prove it, because the subprocess would return the same error.
#[test]
fn content_that_is_not_pdf_starts_no_subprocess() {
    let cover = |bytes: &[u8]| {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(bytes).expect("disk space");
        file.rewind().expect("a seekable file");
        cover::cover(Path::new("a.pdf"), file, Duration::from_secs(5))
    };
    assert_eq!(cover(b"").expect_err("none").to_string(), "is not a PDF");
    assert_eq!(
        cover(b"<html>").expect_err("none").to_string(),
        "is not a PDF"
    );
    // No subprocess can be started in a test, so a valid document has no result.
    assert!(cover(&sample()).expect("no error").is_none());
}
