//! Ranges, conditions, interrupted transfers and limits of archives.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

use ledge_tests::server::{scan, until};
use ledge_tests::{Client, Server};

use super::{ALBUM, ENTRIES, archive_of, ask, has_entries, item};
use crate::http::conventions::{library_of, refused};

#[test]
fn ranges_are_parts_of_the_archive() {
    let (mut server, admin, _) = library_of(ALBUM);
    let path = archive_of(item(&admin, "audio"));
    let length = ask(&admin, "HEAD", &path, &[])
        .header("content-length")
        .to_owned();
    let length: usize = length.parse().expect("a length");
    // No checksum is known yet, so the files are read for the ranges after them.
    let part = |first: usize, last: usize| {
        let range = format!("bytes={first}-{last}");
        let answer = ask(&admin, "GET", &path, &[("Range", &range)]).expect(206);
        let content_range = format!("bytes {first}-{last}/{length}");
        assert_eq!(answer.header("content-range"), content_range);
        assert_eq!(
            answer.header("content-length"),
            answer.body.len().to_string()
        );
        answer.body
    };
    let last = part(length - 1, length - 1);
    let pieces: Vec<u8> = (0..length)
        .step_by(7)
        .rev()
        .map(|first| part(first, (first + 6).min(length - 1)))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .flatten()
        .collect();
    let whole = admin.get(&path).expect(200).body;
    assert_eq!(whole.len(), length);
    assert!(pieces == whole && last == whole[length - 1..]);
    has_entries(&server, &pieces, &ENTRIES);
    // A resumed download has the same bytes, also after a restart.
    server.restart();
    for first in [1, 40, 60, length / 2, length - 30] {
        let range = format!("bytes={first}-");
        let answer = ask(&admin, "GET", &path, &[("Range", &range)]).expect(206);
        assert!(answer.body == whole[first..], "{first}");
        let resumed = [&whole[..first], &answer.body].concat();
        has_entries(&server, &resumed, &ENTRIES);
    }
    let range = [("Range", "bytes=-9")];
    let answer = ask(&admin, "GET", &path, &range).expect(206);
    assert!(answer.body == whole[length - 9..]);
}

#[test]
fn conditions_compare_the_strong_entity_tag() {
    let (server, admin, library) = library_of(ALBUM);
    let path = archive_of(item(&admin, "audio"));
    let whole = admin.get(&path).expect(200);
    let tag = whole.header("etag");
    let get = |headers: &[(&str, &str)]| ask(&admin, "GET", &path, headers);
    let same = get(&[("If-None-Match", tag)]).expect(304);
    assert_eq!((same.header("etag"), same.body.len()), (tag, 0));
    get(&[("If-None-Match", "\"other\"")]).expect(200);
    refused(
        &get(&[("If-Match", "\"other\"")]),
        412,
        "precondition_failed",
    );
    let range = ("Range", "bytes=3-5");
    let part = get(&[range, ("If-Range", tag)]).expect(206);
    assert_eq!(part.body, &whole.body[3..=5]);
    for other in [
        "\"other\"",
        &format!("W/{tag}"),
        "Fri, 20 Nov 2026 17:26:00 GMT",
    ] {
        let answer = get(&[range, ("If-Range", other)]).expect(200);
        assert_eq!(answer.body, whole.body, "{other}");
    }
    // Several ranges and malformed ones count as the whole archive.
    for ranges in ["bytes=0-1,4-5", "bytes=5-4", "items=0-1"] {
        let answer = get(&[("Range", ranges)]).expect(200);
        assert_eq!(answer.body, whole.body, "{ranges}");
    }
    let beyond = format!("bytes={}-", whole.body.len());
    let answer = get(&[("Range", &beyond)]);
    refused(&answer, 416, "range_not_satisfiable");
    let content_range = format!("bytes */{}", whole.body.len());
    assert_eq!(answer.header("content-range"), content_range);
    // A changed file has another tag.
    let file = server.folder().join("media").join(ALBUM[0].0);
    fs::write(file, "other").expect("a file");
    scan(&admin, library);
    let changed = get(&[("If-None-Match", tag)]).expect(200);
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(
        get(&[range, ("If-Range", tag)]).expect(200).body,
        changed.body
    );
}

/// Size of a file that exceeds the buffers of sockets.
const LONG: u64 = 64 << 20;

struct Long {
    server: Server,
    admin: Client,
    path: String,
    file: PathBuf,
    library: i64,
}

fn long() -> Long {
    let (server, admin, library) = library_of(&[("Box/Album/01 - One.mp3", "")]);
    let file = server.folder().join("media/Box/Album/01 - One.mp3");
    let opened = File::options().write(true).open(&file).expect("a file");
    opened.set_len(LONG).expect("a sparse file");
    scan(&admin, library);
    let path = archive_of(item(&admin, "audio"));
    Long {
        server,
        admin,
        path,
        file,
        library,
    }
}

impl Long {
    /// Sends a request and reads the first bytes of the response.
    fn begin(&self) -> (TcpStream, Vec<u8>) {
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.server.port())).expect("a connection");
        let token = self.admin.token().expect("a token");
        write!(
            stream,
            "GET /api/v1{} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n",
            self.path
        )
        .expect("a request");
        let mut part = vec![0; 1 << 12];
        stream.read_exact(&mut part).expect("a beginning");
        (stream, part)
    }
}

/// Asserts that the rest of a response is shorter than announced.
fn is_aborted((mut stream, mut answer): (TcpStream, Vec<u8>)) {
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{:?}", &answer[..12]);
    // An aborted connection may return an error.
    let _ = stream.read_to_end(&mut answer);
    let length = u64::try_from(answer.len()).expect("a length");
    assert!(length < LONG, "{length}");
}

#[test]
fn changed_file_aborts_the_connection() {
    let long = long();
    let open = || {
        File::options()
            .write(true)
            .open(&long.file)
            .expect("a file")
    };
    // Another size, another time, and another file in its place.
    let changes: [&dyn Fn(); 4] = [
        &|| open().set_len(LONG - 1).expect("a shorter file"),
        &|| open().set_len(LONG + 1).expect("a longer file"),
        &|| {
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
            open().set_modified(time).expect("a time");
        },
        &|| open().write_all(b"other content").expect("bytes"),
    ];
    for change in changes {
        open().set_len(LONG).expect("a sparse file");
        scan(&long.admin, long.library);
        let begun = long.begin();
        change();
        is_aborted(begun);
    }
}

#[test]
fn unread_archives_are_limited_by_user() {
    let long = long();
    let mut open: Vec<_> = (0..16).map(|_| long.begin()).collect();
    let answer = ask(&long.admin, "GET", &long.path, &[]);
    refused(&answer, 429, "too_many_requests");
    assert_eq!(answer.header("retry-after"), "10");
    // Another user and requests for headers are not affected.
    ask(&long.admin, "HEAD", &long.path, &[]).expect(200);
    let (mia_id, mia) = long.server.user(&long.admin, "mia");
    let grant = format!("/libraries/{}/grants/{mia_id}", long.library);
    long.admin.send("PUT", &grant, &[], None).expect(204);
    let range = [("Range", "bytes=0-9")];
    ask(&mia, "GET", &long.path, &range).expect(206);
    open.pop();
    until("a permit", || {
        let answer = ask(&long.admin, "GET", &long.path, &range);
        (answer.status == 206).then_some(())
    });
}

#[test]
fn revoked_grant_ends_the_transfer_at_the_next_file() {
    let (server, admin, library) = library_of(&[
        ("Box/Album/01 - One.mp3", ""),
        ("Box/Album/02 - Two.mp3", "secret"),
    ]);
    let file = server.folder().join("media/Box/Album/01 - One.mp3");
    let opened = File::options().write(true).open(&file).expect("a file");
    opened.set_len(LONG).expect("a sparse file");
    scan(&admin, library);
    let path = archive_of(item(&admin, "audio"));
    let (mia_id, mia) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let long = Long {
        server,
        admin: mia,
        path,
        file,
        library,
    };
    let (mut stream, mut answer) = long.begin();
    admin.delete(&grant).expect(204);
    let _ = stream.read_to_end(&mut answer);
    let is_secret = |window: &[u8]| window == b"secret";
    assert!(!answer.windows(6).any(is_secret));
}
