use std::io::Cursor;
use std::path::Path;

use ledge_core::registry::reading::ReadTools;
use ledge_proving::{seven, seven_coded};

use super::*;
use crate::fixtures::{JPEG, ZipBuilder, rar, tar};

const TIME: Duration = Duration::from_secs(5);

const INFO: &str = "<?xml version='1.0'?><ComicInfo>
    <Title>The First Patrol</Title><Series>Test Patrol</Series><Number>1</Number>
    <Volume>2019</Volume><Year>2019</Year><Month>3</Month><Count>-1</Count>
    <Writer>Ann Example, Bob Sample</Writer><Penciller>Ida Inks</Penciller>
    <Publisher>Example Comics</Publisher><LanguageISO>en</LanguageISO>
    <Genre>Action, Drama</Genre><Summary>One &amp; two.</Summary><GTIN>978-0-306-40615-7</GTIN>
    <Manga>YesAndRightToLeft</Manga>
    <Pages><Page Image='0'/><Page Image='1' Type='FrontCover'/></Pages></ComicInfo>";

fn comic() -> ZipBuilder {
    ZipBuilder::new()
        .stored("2.jpg", b"second")
        .stored("10.jpg", b"tenth")
        .stored("1.jpg", JPEG)
        .stored("__MACOSX/._1.jpg", b"litter")
}

fn read(bytes: Vec<u8>) -> Inspection {
    inspect(Cursor::new(bytes), TIME).expect("a comic")
}

fn cover_of(bytes: Vec<u8>) -> Option<Vec<u8>> {
    cover(Cursor::new(bytes), TIME).expect("a comic")
}

#[test]
fn pages_are_counted_and_the_first_is_the_cover() {
    let bytes = comic().bytes();
    assert_eq!(read(bytes.clone()).extent, Some(3));
    assert_eq!(cover_of(bytes).as_deref(), Some(JPEG));
}

#[test]
fn archive_format_is_detected_by_its_bytes() {
    let files: &[(&str, &[u8])] = &[("b.png", b"second"), ("a.png", JPEG), ("notes.txt", b"x")];
    for bytes in [tar(files), rar(files), seven(files)] {
        assert_eq!(read(bytes.clone()).extent, Some(2));
        assert_eq!(cover_of(bytes).as_deref(), Some(JPEG));
    }
}

#[test]
fn archive_with_huge_dictionary_is_rejected() {
    // LZMA2 with a dictionary of 4 GiB.
    let huge = seven_coded(&[("a.jpg", JPEG)], &[0x21, 0x21, 1, 40]);
    let error = cover(Cursor::new(huge), TIME).expect_err("refused");
    assert_eq!(
        error.to_string(),
        "gave up: is packed in a way that takes too much to unpack"
    );
}

#[test]
fn comic_info_provides_metadata_and_front_cover() {
    let bytes = comic().deflated("ComicInfo.xml", INFO.as_bytes()).bytes();
    let comic = read(bytes.clone());
    assert_eq!(comic.title.as_deref(), Some("The First Patrol"));
    assert_eq!(comic.year, Some(2019));
    assert_eq!(comic.description.as_deref(), Some("One & two."));
    let series = comic.series.expect("a series");
    assert_eq!(
        (series.name.as_str(), series.index),
        ("Test Patrol", Some(1.0))
    );
    let credits: Vec<_> = comic
        .credits
        .iter()
        .map(|c| (c.name.as_str(), c.role.as_str()))
        .collect();
    assert_eq!(
        credits,
        [
            ("Ann Example", "author"),
            ("Bob Sample", "author"),
            ("Ida Inks", "penciller")
        ]
    );
    assert_eq!(
        serde_json::to_value(&comic.facts).expect("JSON"),
        json!({
            "date": "2019-03",
            "direction": "rtl",
            "isbn": "9780306406157",
            "issue": "1",
            "language": "en",
            "publisher": "Example Comics",
            "subjects": ["Action", "Drama"],
            "volume": "2019",
        })
    );
    assert_eq!(cover_of(bytes).as_deref(), Some(&b"second"[..]));
}

#[test]
fn comic_in_7z_has_same_metadata_and_cover() {
    let files: &[(&str, &[u8])] = &[
        ("Comic/2.jpg", b"second"),
        ("Comic/10.jpg", b"tenth"),
        ("Comic/1.jpg", JPEG),
        ("Comic/ComicInfo.xml", INFO.as_bytes()),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("Comic.CB7");
    std::fs::write(&path, seven(files)).expect("a file");
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: TIME,
    };
    let found = crate::inspect::inspect(&path, &tools).expect("a comic");
    assert_eq!(found.title.as_deref(), Some("The First Patrol"));
    assert_eq!(found.extent, Some(3));
    assert_eq!(found.facts["language"], "en");
    assert_eq!(found.credits.len(), 3);
    let front = crate::inspect::cover(&path, &tools).expect("a comic");
    assert_eq!(front.as_deref(), Some(&b"second"[..]), "the front cover");
    let plain = cover_of(seven(&files[..3]));
    assert_eq!(plain.as_deref(), Some(JPEG), "the first page");
}

#[test]
fn volume_is_series_index_without_issue() {
    let info = "<ComicInfo><Series>S</Series><Volume>2</Volume></ComicInfo>";
    let comic = read(comic().stored("sub/comicinfo.XML", info.as_bytes()).bytes());
    assert_eq!(comic.series.expect("a series").index, Some(2.0));
}

#[test]
fn unreadable_comic_info_is_ignored() {
    for info in ["", "<a>".repeat(10_000).as_str(), "<ComicInfo><Title>"] {
        let comic = read(comic().deflated("ComicInfo.xml", info.as_bytes()).bytes());
        assert_eq!(comic.extent, Some(3));
    }
}

#[test]
fn encrypted_comics_are_marked_and_empty_ones_rejected() {
    let mut locked = comic();
    locked.encrypt();
    let found = read(locked.bytes());
    assert_eq!(found.extent, Some(3));
    assert_eq!(found.facts["encrypted"], true);
    let error = cover(Cursor::new(locked.bytes()), TIME).expect_err("locked");
    assert!(error.to_string().contains("encrypted"));
    let empty = ZipBuilder::new().bytes();
    assert!(inspect(Cursor::new(empty), TIME).is_err());
    let text = ZipBuilder::new().stored("a.txt", b"").bytes();
    assert_eq!(read(text.clone()).extent, Some(0));
    assert_eq!(cover_of(text), None);
}

#[test]
fn page_above_size_limit_is_not_unpacked() {
    let bytes = ZipBuilder::new()
        .deflated("1.jpg", &vec![0; 40 << 20])
        .bytes();
    assert_eq!(read(bytes.clone()).extent, Some(1));
    assert!(cover(Cursor::new(bytes), TIME).is_err());
}
