use std::io::Cursor;

use ledge_proving::ZipBuilder;

use super::*;

fn open(bytes: Vec<u8>) -> ReadResult<Zip<Cursor<Vec<u8>>>> {
    Zip::open(Cursor::new(bytes))
}

fn read(bytes: Vec<u8>, name: &str) -> ReadResult<Vec<u8>> {
    let mut zip = open(bytes)?;
    let entry = zip.find(name).ok_or_else(|| damaged("not in it"))?;
    zip.read(&entry, 1 << 20)
}

fn small() -> ZipBuilder {
    ZipBuilder::new()
        .stored("mimetype", b"application/epub+zip")
        .deflated("a/B.txt", &b"bbbb".repeat(1000))
}

#[test]
fn stored_and_deflated_files_are_read() {
    let bytes = small().bytes();
    assert_eq!(
        read(bytes.clone(), "mimetype").expect("bytes"),
        b"application/epub+zip"
    );
    assert_eq!(read(bytes.clone(), "a/B.txt").expect("bytes").len(), 4000);
    let zip = open(bytes).expect("an archive");
    let names: Vec<_> = zip.entries().iter().map(|entry| zip.name(entry)).collect();
    assert_eq!(names, ["mimetype", "a/B.txt"]);
}

#[test]
fn names_match_exactly_or_loosely() {
    let zip = open(small().bytes()).expect("an archive");
    assert!(zip.find("A/b.txt").is_none());
    assert!(zip.find("a/../mimetype").is_none());
    assert!(zip.find_ignoring_case("A/b.txt").is_some());
    assert!(zip.find_ignoring_case("b.txt").is_none());
}

#[test]
fn archive_is_read_with_data_before_and_after_it() {
    let mut bytes = b"GIF89a, or so".repeat(10);
    bytes.extend(small().bytes());
    assert_eq!(read(bytes.clone(), "mimetype").expect("bytes").len(), 20);
    bytes.extend(vec![b'x'; 20_000]);
    assert_eq!(read(bytes, "mimetype").expect("bytes").len(), 20);
}

#[test]
fn folders_and_links_are_not_listed() {
    let bytes = small()
        .stored("folder/", b"")
        .link("cover.jpg", "/etc/passwd")
        .bytes();
    let zip = open(bytes).expect("an archive");
    assert_eq!(zip.entries().len(), 2);
    assert!(zip.find("cover.jpg").is_none());
}

#[test]
fn zip64_archive_is_read() {
    let bytes = small().long().bytes();
    assert_eq!(read(bytes, "a/B.txt").expect("bytes").len(), 4000);
}

#[test]
fn unpacking_stops_at_the_limit() {
    let bomb = ZipBuilder::new()
        .deflated("zeros", &vec![0; 4 << 20])
        .bytes();
    assert!(matches!(read(bomb, "zeros"), Err(ReadError::Limit(_))));
    // The directory declares a small size.
    let mut lying = ZipBuilder::new().deflated("zeros", &vec![0; 4 << 20]);
    lying.claim_size(10);
    let bytes = lying.bytes();
    assert!(matches!(
        read(bytes.clone(), "zeros"),
        Err(ReadError::Limit(_))
    ));
    let mut zip = open(bytes).expect("an archive");
    let entry = zip.find("zeros").expect("an entry");
    assert_eq!(zip.head(&entry, 100).expect("bytes"), [0; 10]);
}

#[test]
fn encrypted_and_truncated_archives_are_errors() {
    let mut locked = small();
    locked.encrypt();
    let error = read(locked.bytes(), "mimetype").expect_err("locked");
    assert!(error.to_string().contains("`mimetype` in it is encrypted"));
    let whole = small().bytes();
    for length in 0..whole.len() {
        let _ = open(whole[..length].to_vec());
    }
    let half = whole[..whole.len() / 2].to_vec();
    assert!(
        open(half)
            .expect_err("half")
            .to_string()
            .contains("cut short")
    );
    assert!(open(Vec::new()).is_err());
}

#[test]
fn directory_above_the_size_limit_is_rejected() {
    let mut bytes = small().bytes();
    let end = bytes.len() - 22;
    bytes[end + 12..end + 16].copy_from_slice(&(1u32 << 30).to_le_bytes());
    assert!(matches!(open(bytes), Err(ReadError::Limit(_))));
}
