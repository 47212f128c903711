//! Shelves, names, facets, pages and search.

use std::fs;

use ledge_tests::Server;
use ledge_tests::server::scanned_library;
use roxmltree::Document;

use super::{OPDS, ROOT, SEARCH, SHELF, THREAD, entries, links, path, shelf, titles, xml};
use crate::protocols::devices::reader;

#[test]
fn root_and_shelves_are_feeds_of_visible_publications() {
    let shelf = shelf();
    for path in ["/opds", "/opds/", "/opds/v1.2", "/opds/v1.2/"] {
        let root = shelf.app.get(path).expect(200);
        assert_eq!(root.header("content-type"), ROOT);
        assert!(root.header("last-modified").is_empty());
        assert!(root.header("content-encoding").is_empty());
        let expected = [
            "Continue",
            "New",
            "Favourites",
            "Unstarted",
            "All",
            "Authors",
            "Series",
            "Subjects",
        ];
        assert_eq!(titles(&root), expected, "one library");
    }
    let root = shelf.app.get("/opds").expect(200);
    let document = Document::parse(xml(&root)).expect("well-formed XML");
    for entry in entries(&document) {
        let [link] = links(entry, "subsection").try_into().unwrap_or_else(|_| {
            let other = [
                "http://opds-spec.org/sort/new",
                "http://opds-spec.org/shelf",
            ];
            let link = other.iter().find_map(|rel| links(entry, rel).pop());
            [link.expect("a link")]
        });
        let href = link.attribute("href").expect("an address");
        let feed = shelf.app.get(path(&shelf, href)).expect(200);
        assert_eq!(Some(feed.header("content-type")), link.attribute("type"));
        Document::parse(xml(&feed)).expect("well-formed XML");
    }
    let all = shelf.app.get("/opds/v1.2/publications").expect(200);
    assert_eq!(all.header("content-type"), SHELF);
    assert_eq!(
        titles(&all).len(),
        3,
        "neither the song nor the hidden book"
    );
    let head = shelf
        .app
        .send("HEAD", "/opds/v1.2/publications")
        .expect(200);
    assert_eq!(head.header("content-type"), SHELF);
    assert!(head.body.is_empty());
}

#[test]
fn names_lead_to_their_publications() {
    let shelf = shelf();
    let authors = shelf.app.get("/opds/v1.2/authors").expect(200);
    assert_eq!(
        titles(&authors),
        ["Ann Example", "Bob Sample", "Ida Inks", "Zoë <&> Q"]
    );
    assert_eq!(
        titles(&shelf.app.get("/opds/v1.2/authors?letter=i").expect(200)),
        ["Ida Inks"]
    );
    assert!(titles(&shelf.app.get("/opds/v1.2/authors?letter=x").expect(200)).is_empty());
    assert_eq!(
        titles(&shelf.app.get("/opds/v1.2/series").expect(200)),
        ["Harbours", "Lantern"]
    );
    let document = Document::parse(xml(&authors)).expect("well-formed XML");
    let ann = entries(&document).remove(0);
    let [link] = links(ann, "subsection").try_into().expect("a link");
    let href = link.attribute("href").expect("an address");
    assert_eq!(
        titles(&shelf.app.get(path(&shelf, href)).expect(200)),
        ["The Quiet Harbour"]
    );
    // The administrator sees both libraries, and a list of them.
    let admin = reader(&shelf.server, &shelf.admin, "admin");
    assert_eq!(
        titles(&admin.get("/opds/v1.2/libraries").expect(200)),
        ["books", "secret"]
    );
    assert!(titles(&admin.get("/opds").expect(200)).contains(&"Libraries".to_owned()));
    let hidden = admin.get(&format!("/opds/v1.2/publications?library={}", shelf.secret));
    assert_eq!(titles(&hidden.expect(200)), ["Hidden"]);
}

#[test]
fn facets_pages_and_search_describe_the_feed() {
    let shelf = shelf();
    let feed = shelf
        .app
        .get("/opds/v1.2/publications?sort=new")
        .expect(200);
    let document = Document::parse(xml(&feed)).expect("well-formed XML");
    let root = document.root_element();
    let facets = links(root, "http://opds-spec.org/facet");
    let active: Vec<_> = facets
        .iter()
        .filter(|link| link.attribute((OPDS, "activeFacet")) == Some("true"))
        .map(|link| {
            (
                link.attribute((OPDS, "facetGroup")),
                link.attribute("title"),
            )
        })
        .collect();
    assert_eq!(active, [(Some("Sort"), Some("New"))]);
    assert!(facets.iter().all(|link| link.attribute("title").is_some()));
    let count = |title| {
        let facet = facets
            .iter()
            .find(|link| link.attribute("title") == Some(title));
        facet
            .and_then(|link| link.attribute((THREAD, "count")))
            .map(str::to_owned)
    };
    assert_eq!(count("Unstarted").as_deref(), Some("3"));
    assert_eq!(count("Finished").as_deref(), Some("0"));
    let total = root
        .children()
        .find(|node| node.has_tag_name((SEARCH, "totalResults")));
    assert_eq!(total.and_then(|node| node.text()), Some("3"));
    for rel in ["next", "previous", "first", "last"] {
        assert!(links(root, rel).is_empty(), "{rel}");
    }
}

#[test]
fn unknown_values_name_no_feed_and_search_is_described() {
    let shelf = shelf();
    let beyond = shelf.app.get("/opds/v1.2/publications?page=9").expect(200);
    assert!(titles(&beyond).is_empty());
    for query in [
        "page=x",
        "page=0",
        "sort=odd",
        "state=odd",
        "library=x",
        "author=99",
    ] {
        shelf
            .app
            .get(&format!("/opds/v1.2/publications?{query}"))
            .expect(404);
    }
    let description = shelf.app.get("/opds/v1.2/search.xml").expect(200);
    assert!(!description.header("last-modified").is_empty());
    let text = xml(&description);
    Document::parse(text).expect("well-formed XML");
    assert!(text.contains("?q={searchTerms}"), "{text}");
    let found = shelf
        .app
        .get("/opds/v1.2/publications?q=quiet+harbour")
        .expect(200);
    assert_eq!(titles(&found), ["The Quiet Harbour"]);
}

#[test]
fn many_publications_and_authors_are_paged() {
    let server = Server::start();
    let admin = server.admin();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    for n in 0..120 {
        let letter = |n: u8| char::from(b'a' + n);
        let (first, second, third) = (
            letter(n % 4).to_ascii_uppercase(),
            letter(n / 20),
            letter(n % 20),
        );
        let name = format!("{first}{second}{third} Example - Book {n:03}.epub");
        fs::write(media.join(name), n.to_string()).expect("a file");
    }
    scanned_library(&admin, "media", &media);
    let app = reader(&server, &admin, "admin");
    let mut all = Vec::new();
    for page in 1..=3 {
        let feed = app
            .get(&format!("/opds/v1.2/publications?page={page}"))
            .expect(200);
        let document = Document::parse(xml(&feed)).expect("well-formed XML");
        let root = document.root_element();
        assert_eq!(links(root, "next").len(), usize::from(page < 3));
        assert_eq!(links(root, "previous").len(), usize::from(page > 1));
        all.extend(titles(&feed));
    }
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((all.len(), distinct.len()), (120, 120));
    let letters = app.get("/opds/v1.2/authors").expect(200);
    assert_eq!(titles(&letters), ["A", "B", "C", "D"]);
    assert_eq!(
        titles(&app.get("/opds/v1.2/authors?letter=b").expect(200)).len(),
        30
    );
}
