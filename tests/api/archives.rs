//! Hostile archives: many entries, sizes that are not true, and scripts in books.

mod builders;

use std::fs;
use std::path::Path;
use std::thread;

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};

use crate::conventions::{id_of, invalid};
use builders::Entry;

/// Entries of an archive that is made to take memory.
const MANY: usize = 100_000;
/// Requests at once.
const PARALLEL: usize = 200;
/// Most memory of the server, in kilobytes: during the requests, and a minute after them.
const MOST_AT_PEAK: u64 = 200_000;
const MOST_AFTERWARDS: u64 = 60_000;

const GIF: &[u8] = b"GIF89a\x02\x01\x04\x03";

/// A server with a scanned library of these files.
struct Books {
    server: Server,
    admin: Client,
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
        let (_, status) = scanned_library(&admin, "Books", &media);
        assert_eq!(status["status"], "done", "{status}");
        Self { server, admin }
    }

    /// The path of what is inside the file of this name.
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

    /// Sends many requests at once; `path` makes the path of each. Returns their statuses.
    fn burst(&self, count: usize, path: impl Fn(usize) -> String + Sync) -> Vec<u16> {
        let ask = |n| self.admin.get(&path(n)).status;
        thread::scope(|scope| {
            let asked: Vec<_> = (0..count).map(|n| scope.spawn(move || ask(n))).collect();
            let answers = asked.into_iter().map(std::thread::ScopedJoinHandle::join);
            answers.map(|answer| answer.expect("an answer")).collect()
        })
    }

    /// A number of kilobytes in the facts of the server's process.
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

    /// Sends requests for the inside of a file, and looks at the server's memory.
    #[track_caller]
    fn stays_small(&self, name: &str, count: usize, below: impl Fn(usize) -> String + Sync) {
        let inside = self.inside(name);
        // Begins a new peak.
        fs::write(self.process("clear_refs"), "5").expect("a new peak");
        let statuses = self.burst(count, |n| format!("{inside}/{}", below(n)));
        let peak = self.memory("VmHWM");
        assert!(peak <= MOST_AT_PEAK, "{peak} kB for {name}");
        let expected = |status: &u16| matches!(status, 200 | 404 | 422);
        assert!(statuses.iter().all(expected), "{name}: {statuses:?}");
    }
}

/// A book of many entries; the first is a page or a chapter.
fn huge(name: impl Fn(usize) -> String) -> Vec<Entry> {
    let entries = (0..MANY).map(|n| Entry::stored(&name(n), if n == 0 { GIF } else { b"" }));
    entries.collect()
}

#[test]
fn parallel_requests_of_huge_archives_take_little_memory() {
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

/// Bytes that cannot be packed, more than are sent at once.
fn large() -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..700_000).map(|_| next()).collect()
}

/// The answer is an error, or the transfer fails.
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
            let answer = books.admin.get(&path);
            if page["name"] == "true.gif" {
                assert!(answer.expect(200).body == large);
            } else {
                invalid(&answer, "file");
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
