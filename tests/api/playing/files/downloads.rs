//! Archives of all files of an item or a playlist.

mod transfer;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;

use ledge_tests::server::{scan, scanned_library};
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, library_of, page, refused, write};

const ALBUM: &[(&str, &str)] = &[
    ("Bach/Goldberg/CD 1/01 - Aria.mp3", "first"),
    ("Bach/Goldberg/CD 1/02 - Variatio.mp3", ""),
    ("Bach/Goldberg/CD 2/01 - Quodlibet.mp3", "the third file"),
    ("Emma.epub", "a book"),
];

/// Entries of the archive of the album.
const ENTRIES: [(&str, &str); 3] = [
    ("CD 1/01 - Aria.mp3", "first"),
    ("CD 1/02 - Variatio.mp3", ""),
    ("CD 2/01 - Quodlibet.mp3", "the third file"),
];

fn item(client: &Client, kind: &str) -> i64 {
    let items = page(&client.get(&format!("/items?kind={kind}")));
    id_of(items.first().unwrap_or_else(|| panic!("no {kind}")))
}

fn files(client: &Client, item: i64) -> Vec<i64> {
    let detail = client.get(&format!("/items/{item}")).expect(200).json();
    let files = detail["files"].as_array().expect("files");
    files.iter().map(id_of).collect()
}

fn archive_of(item: i64) -> String {
    format!("/items/{item}/archive")
}

fn ask(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    client.send(method, path, headers, None)
}

/// Names of the program 7-Zip: of its own packages, and of p7zip.
const SEVEN_ZIP: [&str; 2] = ["7zz", "7z"];

/// Runs a program if it is installed. The test prints `NOT RUN` otherwise.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    run_first(&[program], arguments)
}

/// Runs the first installed program of several.
fn run_first(programs: &[&str], arguments: &[&str]) -> Option<String> {
    let is_present = |result: &io::Result<_>| !matches!(result, Err(error) if error.kind() == io::ErrorKind::NotFound);
    let outputs = programs
        .iter()
        .map(|program| Command::new(program).args(arguments).output());
    let found = outputs.into_iter().find(is_present);
    let program = programs.join(" or ");
    let absent = || Err(io::ErrorKind::NotFound.into());
    let output = match found.unwrap_or_else(absent) {
        Ok(output) => output,
        Err(error) => {
            // Unlike `eprintln!`, this is not captured: a skipped check must be visible.
            let _ = writeln!(io::stderr(), "NOT RUN: a check with {program}: {error}");
            return None;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program}: {output:?}");
    Some(text)
}

/// Lists the entries of an archive with Python: name, content as text, flags and method.
const LIST: &str = "
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([
    [entry.filename, archive.read(entry).decode(), entry.flag_bits, entry.compress_type,
     list(entry.date_time)]
    for entry in archive.infolist()]))
";

/// Checks an archive with other programs, and returns its entries as Python lists them.
fn entries(server: &Server, archive: &[u8]) -> Option<Vec<Value>> {
    let path = server.folder().join("archive.zip");
    fs::write(&path, archive).expect("a file");
    let path = path.to_str().expect("a path");
    if let Some(report) = run("unzip", &["-t", path]) {
        assert!(report.contains("No errors detected"), "{report}");
    }
    if let Some(report) = run_first(&SEVEN_ZIP, &["t", path]) {
        assert!(report.contains("Everything is Ok"), "{report}");
    }
    let list = run("python3", &["-c", LIST, path])?;
    let list: Value = serde_json::from_str(&list).expect("JSON");
    Some(list.as_array().expect("entries").clone())
}

#[track_caller]
fn has_entries(server: &Server, archive: &[u8], expected: &[(&str, &str)]) {
    let Some(entries) = entries(server, archive) else {
        return;
    };
    let found: Vec<(&str, &str)> = entries
        .iter()
        .map(|entry| {
            // Bits 3 and 11, and stored.
            assert_eq!(
                (&entry[2], &entry[3]),
                (&json!(0x808), &json!(0)),
                "{entry}"
            );
            (
                entry[0].as_str().expect("a name"),
                entry[1].as_str().expect("a text"),
            )
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn archive_contains_all_files_below_their_common_folder() {
    let (server, admin, _) = library_of(ALBUM);
    let album = item(&admin, "audio");
    let answer = admin.get(&archive_of(album)).expect(200);
    for (name, value) in [
        ("content-type", "application/zip"),
        ("content-length", &answer.body.len().to_string()),
        ("accept-ranges", "bytes"),
        ("cache-control", "private, no-cache"),
        ("x-content-type-options", "nosniff"),
        ("content-encoding", ""),
        (
            "content-disposition",
            "attachment; filename=\"Goldberg.zip\"; filename*=UTF-8''Goldberg.zip",
        ),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    let tag = answer.header("etag");
    assert!(tag.starts_with('"') && tag.len() > 20, "{tag}");
    has_entries(&server, &answer.body, &ENTRIES);
    let book = admin.get(&archive_of(item(&admin, "books"))).expect(200);
    has_entries(&server, &book.body, &[("Emma.epub", "a book")]);
}

#[test]
fn head_has_the_headers_of_get() {
    let (_server, admin, _) = library_of(ALBUM);
    let path = archive_of(item(&admin, "audio"));
    let get = admin.get(&path).expect(200);
    for headers in [&[][..], &[("Range", "bytes=0-9")]] {
        let head = ask(&admin, "HEAD", &path, headers).expect(200);
        assert_eq!(head.body, b"");
        for name in [
            "content-length",
            "etag",
            "content-type",
            "content-disposition",
        ] {
            assert_eq!(head.header(name), get.header(name), "{name}");
        }
    }
}

#[test]
fn entries_have_the_time_of_their_files() {
    let (server, admin, library) = library_of(ALBUM);
    let file = server.folder().join("media").join(ALBUM[3].0);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = File::options().write(true).open(file).expect("a file");
    file.set_modified(time).expect("a time");
    scan(&admin, library);
    let answer = admin.get(&archive_of(item(&admin, "books"))).expect(200);
    if let Some(entries) = entries(&server, &answer.body) {
        assert_eq!(entries[0][4], json!([2001, 9, 9, 1, 46, 40]));
    }
}

#[test]
fn playlist_archive_numbers_its_entries() {
    let (server, admin, library) = library_of(ALBUM);
    let files = files(&admin, item(&admin, "audio"));
    let body = json!({"name": "Evening / 1", "files": [files[2], files[0]]});
    let list = id_of(&admin.post("/playlists", &body).expect(201).json());
    let again = json!({"files": [files[2]]});
    let path = format!("/playlists/{list}");
    admin.post(&format!("{path}/entries"), &again).expect(201);
    let path = format!("{path}/archive");
    let answer = admin.get(&path).expect(200);
    let name = answer.header("content-disposition");
    assert!(name.contains("filename=\"Evening _ 1.zip\""), "{name}");
    let expected = [
        ("0001 01 - Quodlibet.mp3", "the third file"),
        ("0002 01 - Aria.mp3", "first"),
        ("0003 01 - Quodlibet.mp3", "the third file"),
    ];
    has_entries(&server, &answer.body, &expected);
    let head = ask(&admin, "HEAD", &path, &[]).expect(200);
    assert_eq!(head.header("etag"), answer.header("etag"));
    // Missing entries are left out, and the numbers stay consecutive.
    fs::remove_file(server.folder().join("media").join(ALBUM[2].0)).expect("gone");
    scan(&admin, library);
    let answer = admin.get(&path).expect(200);
    has_entries(&server, &answer.body, &[("0001 01 - Aria.mp3", "first")]);
    fs::remove_file(server.folder().join("media").join(ALBUM[0].0)).expect("gone");
    scan(&admin, library);
    refused(&admin.get(&path), 404, "not_found");
}

#[test]
fn absent_files_are_left_out_and_none_is_404() {
    let (server, admin, library) = library_of(ALBUM);
    let album = archive_of(item(&admin, "audio"));
    let media = server.folder().join("media");
    fs::remove_file(media.join(ALBUM[0].0)).expect("gone");
    // The file is left out before a scan notices.
    let before = admin.get(&album).expect(200);
    has_entries(
        &server,
        &before.body,
        &[("CD 1/02 - Variatio.mp3", ""), ENTRIES[2]],
    );
    scan(&admin, library);
    let after = admin.get(&album).expect(200);
    assert_eq!(after.body, before.body);
    for (name, _) in &ALBUM[1..3] {
        fs::remove_file(media.join(name)).expect("gone");
    }
    refused(&admin.get(&album), 404, "not_found");
    scan(&admin, library);
    refused(&admin.get(&album), 404, "not_found");
    refused(
        &ask(&admin, "GET", "/items/987654321/archive", &[]),
        404,
        "not_found",
    );
}

#[test]
fn names_are_relative_and_unique() {
    let (server, admin, library) = library_of(&[("Box/Album/01 - One.mp3", "1")]);
    let folder = server.folder().join("media/Box/Album");
    let names: [&[u8]; 4] = [
        b"02 - back\\slash.mp3",
        b"03 - \xfe.mp3",
        b"03 - \xff.mp3",
        b"04 - line\nbreak.mp3",
    ];
    for name in names {
        let path = folder.join(std::ffi::OsStr::from_bytes(name));
        fs::write(path, "x").expect("a file");
    }
    scan(&admin, library);
    let answer = admin.get(&archive_of(item(&admin, "audio"))).expect(200);
    let expected = [
        ("01 - One.mp3", "1"),
        ("02 - back_slash.mp3", "x"),
        ("03 - \u{fffd}.mp3", "x"),
        ("03 - \u{fffd} (2).mp3", "x"),
        ("04 - line_break.mp3", "x"),
    ];
    has_entries(&server, &answer.body, &expected);
}

#[test]
fn archive_needs_a_grant_for_each_file() {
    let (server, admin, library) = library_of(ALBUM);
    let (mia_id, mia) = server.user(&admin, "mia");
    let other = server.folder().join("other");
    write(&other, "Box/01 - Other.mp3", "other");
    let (attic, _) = scanned_library(&admin, "Attic", &other);
    let albums = page(&admin.get("/items?kind=audio"));
    let of = |library: i64| {
        let found = albums.iter().find(|item| item["library_id"] == library);
        id_of(found.expect("an album"))
    };
    let (album, hidden) = (of(library), of(attic));
    let body = json!({"name": "Both", "public": true, "items": [hidden, album]});
    let list = id_of(&admin.post("/playlists", &body).expect(201).json());
    let list = format!("/playlists/{list}/archive");
    for path in [&archive_of(album), &archive_of(hidden), &list] {
        refused(&mia.get(path), 404, "not_found");
        refused(&server.client().get(path), 401, "unauthenticated");
    }
    let grant = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let visible = [
        ("0001 01 - Aria.mp3", "first"),
        ("0002 02 - Variatio.mp3", ""),
        ("0003 01 - Quodlibet.mp3", "the third file"),
    ];
    let answer = mia.get(&list).expect(200);
    has_entries(&server, &answer.body, &visible);
    let own = admin.get(&list).expect(200);
    assert_ne!(own.header("etag"), answer.header("etag"));
    refused(&mia.get(&archive_of(hidden)), 404, "not_found");
    mia.get(&archive_of(album)).expect(200);
    // Another user's private playlist is absent.
    let private = json!({"public": false});
    admin
        .patch(list.trim_end_matches("/archive"), &private)
        .expect(200);
    refused(&mia.get(&list), 404, "not_found");
    admin.delete(&grant).expect(204);
    refused(&mia.get(&archive_of(album)), 404, "not_found");
}

/// Size of a sparse file beyond 4 GiB.
const LARGE: u64 = (4 << 30) + 10;

/// Lists the names, sizes and offsets of an archive with Python, and reads its last entry.
const LIST_LARGE: &str = "
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
entries = archive.infolist()
print(json.dumps([
    [[entry.filename, entry.file_size, entry.header_offset] for entry in entries],
    archive.read(entries[-1]).decode()]))
";

#[test]
fn files_and_offsets_beyond_4_gib_are_zip64() {
    let (server, admin, library) = library_of(&[
        ("Box/Album/01 - One.mp3", ""),
        ("Box/Album/02 - Two.mp3", "after"),
    ]);
    let folder = server.folder().join("media/Box/Album");
    let large = File::options()
        .write(true)
        .open(folder.join("01 - One.mp3"));
    large
        .expect("a file")
        .set_len(LARGE)
        .expect("a sparse file");
    scan(&admin, library);
    let path = archive_of(item(&admin, "audio"));
    let head = ask(&admin, "HEAD", &path, &[]).expect(200);
    let size: u64 = head.header("content-length").parse().expect("a length");
    assert!(size > LARGE, "{size}");
    // The content of the large file is zeros, like the gap in a sparse file.
    let copy = server.folder().join("copy.zip");
    let file = File::create(&copy).expect("a file");
    file.set_len(size).expect("a sparse file");
    let second = LARGE;
    for (first, last) in [(0, 99), (second, size - 1)] {
        let range = format!("bytes={first}-{last}");
        let part = ask(&admin, "GET", &path, &[("Range", &range)]).expect(206);
        assert_eq!(
            part.header("content-range"),
            format!("bytes {first}-{last}/{size}")
        );
        file.write_all_at(&part.body, first).expect("bytes");
    }
    check_large(&copy, size);
}

fn check_large(copy: &Path, size: u64) {
    let copy = copy.to_str().expect("a path");
    let Some(list) = run("python3", &["-c", LIST_LARGE, copy]) else {
        return;
    };
    let list: Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!(list[1], "after");
    let [first, second] = [0, 1].map(|n| list[0][n].clone());
    assert_eq!(first, json!(["01 - One.mp3", LARGE, 0]));
    assert_eq!(
        (&second[0], &second[1]),
        (&json!("02 - Two.mp3"), &json!(5))
    );
    let offset = second[2].as_u64().expect("an offset");
    assert!(offset > LARGE && offset < size, "{offset}");
    if let Some(list) = run("unzip", &["-l", copy]) {
        assert!(list.contains(&LARGE.to_string()), "{list}");
    }
}
