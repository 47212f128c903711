//! Hostile archives: many entries, false sizes, and scripts in books.

mod builders;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::thread;

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};

use crate::http::conventions::{id_of, invalid};
use builders::Entry;

/// Number of entries of an archive that targets memory.
const MANY: usize = 100_000;
/// Number of concurrent requests.
const PARALLEL: usize = 200;
/// Maximum resident memory of the server in kilobytes: during the requests, and a minute after
/// them.
const MOST_AT_PEAK: u64 = 200_000;
const MOST_AFTERWARDS: u64 = 60_000;
/// Most memory while slow clients read pages of 30 MB: two responses, and two pages that are read,
/// each with a copy and the memory of the buffer that it outgrew.
const MOST_OF_SLOW_READERS: u64 = 320_000;

const GIF: &[u8] = b"GIF89a\x02\x01\x04\x03";

/// Server with a scanned library of the given files.
struct Books {
    server: Server,
    admin: Client,
    library: i64,
}

impl Books {
    fn of(files: &[(&str, Vec<u8>)]) -> Self {
        let server = Server::start();
        let media = server.folder().join("media");
        fs::create_dir(&media).expect("a folder");
        for (name, bytes) in files {
            fs::write(media.join(name), bytes).expect("room");
        }
        let admin = server.admin();
        let (library, status) = scanned_library(&admin, "Books", &media);
        assert_eq!(status["status"], "done", "{status}");
        Self {
            server,
            admin,
            library,
        }
    }

    /// Returns the path of the entries of the file with this name.
    fn inside(&self, name: &str) -> String {
        for card in all_items(&self.admin, "/items") {
            let item = self.admin.get(&format!("/items/{}", card["id"]));
            let item = item.expect(200).json();
            let files = item["files"].as_array().expect("files");
            if let Some(file) = files.iter().find(|file| file["path"] == name) {
                return format!("/kinds/books/files/{}", id_of(file));
            }
        }
        panic!("no file {name}");
    }

    /// Sends many requests concurrently. `path` returns the path of each. Returns their statuses.
    fn burst(&self, count: usize, path: impl Fn(usize) -> String + Sync) -> Vec<u16> {
        let ask = |n| self.admin.get(&path(n)).status;
        thread::scope(|scope| {
            let asked: Vec<_> = (0..count).map(|n| scope.spawn(move || ask(n))).collect();
            let answers = asked.into_iter().map(std::thread::ScopedJoinHandle::join);
            answers.map(|answer| answer.expect("an answer")).collect()
        })
    }

    /// Returns a value in kilobytes from the status of the server's process.
    fn memory(&self, name: &str) -> u64 {
        let facts = fs::read_to_string(self.process("status")).expect("facts");
        let line = facts.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.expect("a size").parse().expect("a number")
    }

    fn process(&self, file: &str) -> std::path::PathBuf {
        let pid = self.server.pid().to_string();
        Path::new("/proc").join(pid).join(file)
    }

    /// Sends requests for entries of a file, and checks the server's memory.
    #[track_caller]
    fn stays_small(&self, name: &str, count: usize, below: impl Fn(usize) -> String + Sync) {
        let inside = self.inside(name);
        // Resets the peak value.
        fs::write(self.process("clear_refs"), "5").expect("a new peak");
        let statuses = self.burst(count, |n| format!("{inside}/{}", below(n)));
        let peak = self.memory("VmHWM");
        assert!(peak <= MOST_AT_PEAK, "{peak} kB for {name}");
        let expected = |status: &u16| matches!(status, 200 | 404 | 422);
        assert!(statuses.iter().all(expected), "{name}: {statuses:?}");
    }
}

/// Returns the entries of a large book. The first one is a page or a chapter.
fn huge(name: impl Fn(usize) -> String) -> Vec<Entry> {
    let entries = (0..MANY).map(|n| Entry::stored(&name(n), if n == 0 { GIF } else { b"" }));
    entries.collect()
}

#[test]
fn parallel_requests_of_huge_archives_need_little_memory() {
    let pages = huge(|n| format!("pages/{n:06}.gif"));
    let mut chapters = huge(|n| format!("text/{n:06}.xhtml"));
    chapters.truncate(MANY - 2);
    chapters.extend(builders::package());
    let books = Books::of(&[
        ("huge.cbz", builders::zip(&pages)),
        ("huge.cbt", builders::tar(&pages)),
        ("huge.cbr", builders::rar(&pages)),
        ("huge.cb7", builders::seven_of_empty_files(MANY)),
        ("huge.epub", builders::zip(&chapters)),
    ]);
    for name in ["huge.cbz", "huge.cbt", "huge.cbr", "huge.cb7"] {
        books.stays_small(name, PARALLEL, |n| format!("pages/{n}"));
        books.stays_small(name, PARALLEL / 4, |_| "pages".to_owned());
    }
    books.stays_small("huge.epub", PARALLEL, |n| {
        format!("entries/text/{n:06}.xhtml")
    });
    books.stays_small("huge.epub", PARALLEL / 4, |_| "entries".to_owned());
    let first = books
        .admin
        .get(&format!("{}/pages/0", books.inside("huge.cbz")));
    assert_eq!(first.expect(200).body, GIF);
    let list = books
        .admin
        .get(&format!("{}/entries", books.inside("huge.epub")));
    let list = list.expect(200).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(MANY));
    until("memory that was returned", || {
        (books.memory("VmRSS") <= MOST_AFTERWARDS).then_some(())
    });
}

/// Requests a page and reads nothing but the status line.
fn unread_page(books: &Books, path: &str) -> (TcpStream, BufReader<TcpStream>) {
    let mut stream = TcpStream::connect(("127.0.0.1", books.server.port())).expect("a connection");
    let token = books.admin.token().expect("a token");
    let head = format!(
        "GET /api/v1{path} HTTP/1.1\r\nHost: ledge\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a request");
    // Small: most of the page must stay with the server.
    let reader = BufReader::with_capacity(16, stream.try_clone().expect("a stream"));
    (stream, reader)
}

fn status(reader: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a status");
    line.trim_end().to_owned()
}

#[test]
fn slow_readers_of_large_pages_need_little_memory() {
    let page = [GIF, &vec![7; 30 << 20]].concat();
    let large = [Entry::stored("1.gif", &page)];
    let books = Books::of(&[
        ("large.cbz", builders::zip(&large)),
        ("large.cbt", builders::tar(&large)),
        ("large.cbr", builders::rar(&large)),
        ("small.cbz", builders::zip(&[Entry::stored("1.gif", GIF)])),
    ]);
    let page_of = |name: &str| format!("{}/pages/0", books.inside(name));
    let (rar, small) = (page_of("large.cbr"), page_of("small.cbz"));
    let [zip, tar] = ["large.cbz", "large.cbt"].map(page_of);
    // Resets the peak value.
    fs::write(books.process("clear_refs"), "5").expect("a new peak");

    let mut unread: Vec<_> = (0..40)
        .map(|n| unread_page(&books, if n % 2 == 0 { &zip } else { &tar }))
        .collect();
    for (_, reader) in &mut unread {
        assert_eq!(status(reader), "HTTP/1.1 200 OK");
    }
    // Pages of RAR archives are unpacked as a whole. One takes the share of its user; the others
    // are refused.
    let mut whole: Vec<_> = (0..12).map(|_| unread_page(&books, &rar)).collect();
    let statuses = whole.iter_mut().map(|(_, reader)| status(reader));
    let served = statuses.filter(|status| status == "HTTP/1.1 200 OK");
    assert_eq!(served.count(), 1);
    assert_eq!(books.admin.get(&small).expect(200).body, GIF);
    // Nor does the user delay others.
    let (ada, reader) = books.server.user(&books.admin, "ada");
    let grant = format!("/libraries/{}/grants/{ada}", books.library);
    books.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(reader.get(&rar).expect(200).body.len(), page.len());
    drop((unread, whole));
    let peak = books.memory("VmHWM");
    assert!(peak <= MOST_OF_SLOW_READERS, "{peak} kB");
    assert_eq!(books.admin.get(&rar).expect(200).body.len(), page.len());
}

#[test]
fn comic_of_thousands_of_pages_is_listed_and_read() {
    let pages: Vec<Entry> = (0..5_000)
        .map(|n| Entry::stored(&format!("{n}.gif"), GIF))
        .collect();
    let files = [
        ("zip.cbz", builders::zip(&pages)),
        ("tar.cbt", builders::tar(&pages)),
        ("rar.cbr", builders::rar(&pages)),
    ];
    let books = Books::of(&files);
    for (name, _) in files {
        let inside = books.inside(name);
        let list = books.admin.get(&format!("{inside}/pages")).expect(200);
        let list = list.json();
        assert_eq!(list["items"][4_999]["name"], "4999.gif", "{name}");
        let page = books.admin.get(&format!("{inside}/pages/4999")).expect(200);
        assert_eq!(page.body, GIF, "{name}");
    }
}

/// Returns incompressible bytes, more than the server sends at once.
fn large() -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..700_000).map(|_| next()).collect()
}

/// Asserts that the response is an error or that the transfer fails.
#[track_caller]
fn is_no_success(client: &Client, method: &str, path: &str, headers: &[(&str, &str)]) {
    if let Ok(answer) = client.try_send(method, path, headers, None) {
        assert_eq!(answer.status, 422, "{method} {path}: {answer:?}");
    }
}

#[test]
fn entry_of_another_size_than_declared_is_never_a_success() {
    let large = large();
    let small = GIF.repeat(20);
    let mut entries = builders::package();
    let mut names = Vec::new();
    for (size, body) in [("small", &small), ("large", &large)] {
        for (by, declared) in [("more", body.len() + 9), ("fewer", body.len() - 9)] {
            let declared = u32::try_from(declared).expect("small");
            for entry in [
                Entry::stored(&format!("{size}-{by}-stored.gif"), body),
                Entry::deflated(&format!("{size}-{by}-packed.gif"), body),
            ] {
                names.push(entry.name.clone());
                entries.push(entry.declaring(declared));
            }
        }
    }
    entries.push(Entry::deflated("true.gif", &large));
    let zip = builders::zip(&entries);
    let rar = [
        Entry::stored("1.gif", &small).declaring(20),
        Entry::stored("2.gif", &small).declaring(999),
    ];
    let books = Books::of(&[
        ("lies.epub", zip.clone()),
        ("lies.cbz", zip),
        ("lies.cbr", builders::rar(&rar)),
    ]);
    let (book, comic) = (books.inside("lies.epub"), books.inside("lies.cbz"));
    let whole = books.admin.get(&format!("{book}/entries/true.gif"));
    assert!(whole.expect(200).body == large);
    let other = ("If-None-Match", "\"other\"");
    for name in &names {
        let path = format!("{book}/entries/{name}");
        is_no_success(&books.admin, "GET", &path, &[]);
        is_no_success(&books.admin, "GET", &path, &[other, ("Range", "bytes=0-9")]);
        if name.starts_with("small") {
            invalid(&books.admin.get(&path), "file");
            let head = books.admin.send("HEAD", &path, &[], None);
            assert_eq!(head.status, 422, "{name}");
        }
    }
    let list = books
        .admin
        .get(&format!("{comic}/pages"))
        .expect(200)
        .json();
    for page in list["items"].as_array().expect("pages") {
        for query in ["", "?width=100"] {
            let path = format!("{comic}/pages/{}{query}", page["n"]);
            let name = page["name"].as_str().expect("a name");
            if name == "true.gif" {
                assert!(books.admin.get(&path).expect(200).body == large);
            } else if name.starts_with("large") && query.is_empty() {
                // The damage is found after the response has begun.
                is_no_success(&books.admin, "GET", &path, &[]);
            } else {
                invalid(&books.admin.get(&path), "file");
            }
        }
    }
    let packed = books.inside("lies.cbr");
    for page in ["pages/0", "pages/1"] {
        invalid(&books.admin.get(&format!("{packed}/{page}")), "file");
    }
}

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg' \
                   xmlns:xlink='http://www.w3.org/1999/xlink'>";

#[track_caller]
fn is_sandboxed(answer: &Answer, mime: &str, name: &str) {
    assert_eq!(answer.header("content-type"), mime, "{name}");
    let policy = answer.header("content-security-policy");
    assert_eq!(policy, "sandbox; default-src 'none'", "{name}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{name}");
}

#[test]
fn scripts_in_books_have_no_media_type_that_runs() {
    const BYTES: &str = "application/octet-stream";
    const PICTURE: &str = "image/svg+xml";
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>";
    let drawing = |inside: &str| format!("{SVG}{inside}</svg>");
    let files = [
        ("run.js", "alert(1)".to_owned(), BYTES),
        ("RUN.JS", "alert(1)".to_owned(), BYTES),
        ("run.mjs", "alert(1)".to_owned(), BYTES),
        ("Run.Mjs", "alert(1)".to_owned(), BYTES),
        ("run.wasm", "\0asm".to_owned(), BYTES),
        ("RUN.WASM", "\0asm".to_owned(), BYTES),
        ("script.svg", drawing("<script>alert(1)</script>"), BYTES),
        ("SCRIPT.SVG", drawing("<script>alert(1)</script>"), BYTES),
        ("event.svg", drawing("<path onload='alert(1)'/>"), BYTES),
        ("foreign.svg", drawing("<foreignObject/>"), BYTES),
        (
            "link.svg",
            drawing("<a xlink:href='java&#x0a;script:x'/>"),
            BYTES,
        ),
        ("broken.svg", format!("{SVG}<g>"), BYTES),
        ("drawing.xml", drawing("<script>alert(1)</script>"), BYTES),
        ("cover.svg", drawing("<image xlink:href='c.png'/>"), PICTURE),
        ("Map.SVG", drawing("<path d='M0 0h9'/>"), PICTURE),
        (
            "toc.xml",
            "<toc><script/></toc>".to_owned(),
            "application/xml",
        ),
        ("page.xhtml", page.to_owned(), "application/xhtml+xml"),
        ("page.html", page.to_owned(), "text/html"),
    ];
    let mut entries = builders::package();
    entries.extend(
        files
            .iter()
            .map(|(name, text, _)| Entry::deflated(name, text.as_bytes())),
    );
    let books = Books::of(&[("scripts.epub", builders::zip(&entries))]);
    let book = books.inside("scripts.epub");
    for (name, text, mime) in &files {
        let path = format!("{book}/entries/{name}");
        let answer = books.admin.get(&path).expect(200);
        is_sandboxed(&answer, mime, name);
        assert_eq!(answer.body, text.as_bytes(), "{name}");
        let head = books.admin.send("HEAD", &path, &[], None).expect(200);
        is_sandboxed(&head, mime, name);
        let etag = answer.header("etag").to_owned();
        let again = books
            .admin
            .send("GET", &path, &[("If-None-Match", &etag)], None);
        assert_eq!(again.status, 304, "{name}");
    }
    let list = books
        .admin
        .get(&format!("{book}/entries"))
        .expect(200)
        .json();
    for row in list["items"].as_array().expect("entries") {
        let mime = row["mime"].as_str().expect("a type");
        assert!(
            !mime.contains("javascript") && !mime.contains("wasm"),
            "{row}"
        );
    }
}
