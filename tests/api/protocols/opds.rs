//! OPDS: feeds, entries, files and pages for reading apps.

mod access;
mod entries;
mod feeds;
mod v2;
mod v2_progression;

use std::fs;

use ledge_fixtures::EpubSpec;
use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use roxmltree::{Document, Node};

use crate::catalogue::books::{comic, epub};
use crate::http::conventions::id_of;
use crate::protocols::devices::{Device, reader};

const ROOT: &str = "application/atom+xml;profile=opds-catalog;kind=navigation";
const SHELF: &str = "application/atom+xml;profile=opds-catalog;kind=acquisition";

const ATOM: &str = "http://www.w3.org/2005/Atom";
const DCTERMS: &str = "http://purl.org/dc/terms/";
const OPDS: &str = "http://opds-spec.org/2010/catalog";
const PSE: &str = "http://vaemendis.net/opds-pse/ns";
const SEARCH: &str = "http://a9.com/-/spec/opensearch/1.1/";
const THREAD: &str = "http://purl.org/syndication/thread/1.0";

/// A library of two books, a comic and a song, a library of one secret book, and users with apps:
/// `mia` sees the first library, the administrator both.
struct Shelf {
    server: Server,
    admin: Client,
    mia: Client,
    app: Device,
    books: i64,
    secret: i64,
}

fn book(title: &str, author: &str) -> Vec<u8> {
    ledge_fixtures::epub(&EpubSpec {
        title: title.to_owned(),
        authors: vec![author.to_owned()],
        ..EpubSpec::default()
    })
}

fn shelf() -> Shelf {
    let server = Server::start();
    let admin = server.admin();
    let files: [(&str, &str, Vec<u8>); 5] = [
        ("books", "harbour.epub", epub()),
        ("books", "lantern.cbz", comic()),
        (
            "books",
            "a <b> & \"c\"; d.epub",
            book("]]> <x> & \u{1}\u{202e}", "Zoë <&> Q"),
        ),
        ("books", "song.mp3", b"song".to_vec()),
        ("secret", "hidden.epub", book("Hidden", "Nora Nobody")),
    ];
    for (folder, name, content) in files {
        fs::create_dir_all(server.folder().join(folder)).expect("a folder");
        fs::write(server.folder().join(folder).join(name), content).expect("a file");
    }
    let [books, secret] = ["books", "secret"]
        .map(|name| scanned_library(&admin, name, &server.folder().join(name)).0);
    let (id, mia) = server.user(&admin, "mia");
    admin
        .send("PUT", &format!("/libraries/{books}/grants/{id}"), &[], None)
        .expect(204);
    let app = reader(&server, &mia, "mia");
    until("covers", || {
        let harbour = all_items(&admin, "/items").into_iter();
        harbour
            .filter(|item| item["title"] == "The Quiet Harbour")
            .find(|item| !item["cover"].is_null())
    });
    Shelf {
        server,
        admin,
        mia,
        app,
        books,
        secret,
    }
}

impl Shelf {
    fn item(&self, title: &str) -> i64 {
        let items = all_items(&self.admin, "/items");
        let item = items.iter().find(|item| item["title"] == title);
        id_of(item.expect(title))
    }

    fn file(&self, title: &str) -> i64 {
        let item = self.admin.get(&format!("/items/{}", self.item(title)));
        id_of(&item.expect(200).json()["files"][0])
    }
}

/// Parses a feed or an entry strictly.
fn xml(answer: &Answer) -> &str {
    let text = std::str::from_utf8(&answer.body).expect("UTF-8");
    assert!(text.starts_with("<?xml") && text.ends_with('>'), "{text}");
    for part in ["<![CDATA[", "<!--", "\u{feff}"] {
        assert!(!text.contains(part), "{part} in {text}");
    }
    text
}

fn child<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    let found = node
        .children()
        .find(|child| child.has_tag_name((ATOM, name)));
    found.and_then(|child| child.text()).unwrap_or_default()
}

fn titles(answer: &Answer) -> Vec<String> {
    let document = Document::parse(xml(answer)).expect("well-formed XML");
    let entries = entries(&document);
    entries
        .into_iter()
        .map(|entry| child(entry, "title").to_owned())
        .collect()
}

fn entries<'a>(document: &'a Document<'a>) -> Vec<Node<'a, 'a>> {
    let root = document.root_element();
    let entries = root.children();
    entries
        .filter(|node| node.has_tag_name((ATOM, "entry")))
        .collect()
}

/// Returns the links with this relation.
fn links<'a>(node: Node<'a, 'a>, rel: &str) -> Vec<Node<'a, 'a>> {
    let children = node.children();
    let links = children.filter(|child| child.has_tag_name((ATOM, "link")));
    links
        .filter(|link| link.attribute("rel") == Some(rel))
        .collect()
}

/// Returns the path of an absolute address of this server.
fn path<'a>(shelf: &Shelf, href: &'a str) -> &'a str {
    let base = format!("http://127.0.0.1:{}", shelf.server.port());
    href.strip_prefix(&base).expect("an absolute address")
}
