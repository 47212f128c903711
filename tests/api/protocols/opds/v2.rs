//! OPDS 2.0: JSON feeds and publications.

use std::fs;

use ledge_tests::server::scanned_library;
use ledge_tests::{Answer, Server};
use serde_json::{Value, json};

use super::{Shelf, path, shelf};
use crate::catalogue::books::epub;
use crate::protocols::devices::reader;

const FEED: &str = "application/opds+json";

/// Parses a feed or a publication. Its members are neither absent nor empty.
pub(super) fn parsed(answer: &Answer) -> Value {
    let value = answer.json();
    let title = value["metadata"]["title"].as_str().unwrap_or_default();
    assert!(!title.is_empty(), "{value}");
    assert!(link(&value, "self").is_some(), "{value}");
    assert_full(&value);
    if answer.header("content-type") == FEED {
        let lists = ["navigation", "publications", "groups"];
        assert!(lists.iter().any(|list| value[list].is_array()), "{value}");
        for rel in ["start", "search"] {
            assert!(link(&value, rel).is_some(), "{rel}");
        }
    }
    value
}

fn assert_full(value: &Value) {
    match value {
        Value::Null => panic!("a member is null"),
        Value::String(text) => assert!(!text.is_empty(), "an empty text"),
        Value::Array(values) => {
            assert!(!values.is_empty(), "an empty list");
            values.iter().for_each(assert_full);
        }
        Value::Object(members) => {
            assert!(!members.is_empty(), "an empty object");
            members.values().for_each(assert_full);
        }
        Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn link<'a>(value: &'a Value, rel: &str) -> Option<&'a Value> {
    let mut links = list(value, "links").iter();
    links.find(|link| link["rel"] == rel)
}

pub(super) fn follow<'a>(shelf: &Shelf, link: &'a Value) -> &'a str {
    path(shelf, link["href"].as_str().expect("an address"))
}

fn titles(feed: &Value) -> Vec<&str> {
    let publications = list(feed, "publications").iter();
    publications
        .map(|one| one["metadata"]["title"].as_str().expect("a title"))
        .collect()
}

fn entries(feed: &Value) -> Vec<&str> {
    let navigation = list(feed, "navigation").iter();
    navigation
        .map(|entry| entry["title"].as_str().expect("a title"))
        .collect()
}

fn get(shelf: &Shelf, path: &str) -> Value {
    let answer = shelf.app.get(path).expect(200);
    assert_eq!(answer.header("content-type"), FEED);
    parsed(&answer)
}

#[test]
fn root_contains_the_shelves_and_the_first_publications() {
    let shelf = shelf();
    let root = get(&shelf, "/opds/v2");
    assert_eq!(
        list(&get(&shelf, "/opds/v2/"), "navigation"),
        list(&root, "navigation")
    );
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
    assert_eq!(entries(&root), expected);
    for entry in list(&root, "navigation") {
        let feed = get(&shelf, follow(&shelf, entry));
        let items = &entry["properties"]["numberOfItems"];
        assert_eq!(items, &feed["metadata"]["numberOfItems"], "{entry}");
    }
    let all = &root["navigation"][4]["properties"]["numberOfItems"];
    assert_eq!(all, 3);
    // Nothing is started, so that the group has no publications.
    let [new] = list(&root, "groups") else {
        panic!("one group: {root}");
    };
    assert_eq!(
        new["metadata"],
        json!({ "title": "New", "numberOfItems": 3 })
    );
    assert_eq!(titles(new).len(), 3);
    let own = get(&shelf, follow(&shelf, &new["links"][0]));
    assert_eq!(titles(&own), titles(new));
    let place = json!({ "position": 1 });
    let item = shelf.item("In the Fog");
    shelf
        .mia
        .put(&format!("/items/{item}/progress"), &place)
        .expect(200);
    let root = get(&shelf, "/opds/v2");
    assert_eq!(titles(&root["groups"][0]), ["In the Fog"]);
}

#[test]
fn root_is_json_for_apps_that_accept_nothing_else() {
    let shelf = shelf();
    let of = |accept: &str| {
        let answer = shelf.app.send_with("GET", "/opds", &[("Accept", accept)]);
        let answer = answer.expect(200);
        assert!(answer.header("vary").contains("accept"));
        answer.header("content-type").to_owned()
    };
    assert_eq!(of("application/opds+json"), FEED);
    assert_eq!(of("application/opds+json, application/json;q=0.5"), FEED);
    for accept in [
        "*/*",
        "application/opds+json, */*;q=0.1",
        "application/opds+json, application/atom+xml",
        "application/json",
    ] {
        assert!(of(accept).starts_with("application/atom+xml"), "{accept}");
    }
    let other = [("Accept", FEED)];
    let versioned = shelf.app.send_with("GET", "/opds/v1.2", &other).expect(200);
    assert!(
        versioned
            .header("content-type")
            .starts_with("application/atom+xml")
    );
}

#[test]
fn publication_has_the_facts_files_and_covers_of_the_item() {
    let shelf = shelf();
    let item = shelf.item("The Quiet Harbour");
    let answer = shelf.app.get(&format!("/opds/v2/items/{item}")).expect(200);
    assert_eq!(
        answer.header("content-type"),
        "application/opds-publication+json"
    );
    let publication = parsed(&answer);
    let metadata = &publication["metadata"];
    assert_eq!(metadata["@type"], "http://schema.org/Book");
    assert_eq!(metadata["title"], "The Quiet Harbour");
    assert_eq!(metadata["sortAs"], "Quiet Harbour");
    assert_eq!(metadata["description"], "Boats, mostly.");
    assert_eq!(metadata["language"], "en");
    assert_eq!(metadata["author"][0]["name"], "Ann Example");
    assert_eq!(metadata["author"][1]["name"], "Bob Sample");
    let series = &metadata["belongsTo"]["series"][0];
    assert_eq!(series["name"], "Harbours");
    for linked in [series, &metadata["author"][0]] {
        let feed = get(&shelf, follow(&shelf, &linked["links"][0]));
        assert_eq!(titles(&feed), ["The Quiet Harbour"]);
    }
    let atom = shelf.app.get(&format!("/opds/items/{item}")).expect(200);
    let identifier = metadata["identifier"].as_str().expect("an id");
    assert!(super::xml(&atom).contains(&format!("<id>{identifier}</id>")));
    let file = link(&publication, "http://opds-spec.org/acquisition").expect("a file");
    assert_eq!(file["type"], "application/epub+zip");
    let login = &file["properties"]["authenticate"];
    assert_eq!(login["type"], "application/opds-authentication+json");
    shelf.app.get(follow(&shelf, login)).expect(200);
    let content = shelf.app.get(follow(&shelf, file)).expect(200);
    assert_eq!(content.body, epub());
    assert_eq!(file["size"], content.body.len());
    let images = list(&publication, "images");
    assert!((1..=3).contains(&images.len()));
    for image in images {
        let picture = shelf.app.get(follow(&shelf, image)).expect(200);
        let picture = image::load_from_memory(&picture.body).expect("a picture");
        assert_eq!(image["width"], picture.width());
        assert_eq!(image["height"], picture.height());
    }
    let comic = shelf.item("In the Fog");
    let comic = parsed(
        &shelf
            .app
            .get(&format!("/opds/v2/items/{comic}"))
            .expect(200),
    );
    assert_eq!(comic["metadata"]["@type"], "http://schema.org/ComicIssue");
    assert_eq!(comic["metadata"]["numberOfPages"], 3);
    let feed = get(&shelf, "/opds/v2/publications?query=harbour");
    assert_eq!(feed["publications"][0], publication, "the same in a list");
}

#[test]
fn facets_search_and_names_lead_to_feeds() {
    let shelf = shelf();
    let feed = get(&shelf, "/opds/v2/publications?sort=new");
    assert_eq!(feed["metadata"]["numberOfItems"], 3);
    assert_eq!(feed["metadata"]["itemsPerPage"], 50);
    assert_eq!(feed["metadata"]["currentPage"], 1);
    let groups = list(&feed, "facets");
    let names: Vec<&Value> = groups
        .iter()
        .map(|group| &group["metadata"]["title"])
        .collect();
    assert_eq!(names, ["Sort", "State"]);
    let active = groups.iter().flat_map(|group| list(group, "links"));
    let active: Vec<&Value> = active.filter(|facet| facet["rel"] == "self").collect();
    assert_eq!(active.len(), 1);
    assert_eq!(active[0]["title"], "New");
    let unstarted = &groups[1]["links"][0];
    assert_eq!(unstarted["properties"]["numberOfItems"], 3);
    assert_eq!(titles(&get(&shelf, follow(&shelf, unstarted))).len(), 3);
    let search = link(&feed, "search").expect("a search");
    assert_eq!(search["templated"], true);
    let template = follow(&shelf, search);
    assert_eq!(template, "/opds/v2/publications{?query}");
    let found = get(
        &shelf,
        &template.replace("{?query}", "?query=quiet+harbour"),
    );
    assert_eq!(titles(&found), ["The Quiet Harbour"]);
    // An empty shelf leads back to the root.
    let empty = get(&shelf, "/opds/v2/publications?state=finished");
    assert_eq!(entries(&empty), ["Ledge"]);
    assert_eq!(empty["metadata"]["numberOfItems"], 0);
    let authors = get(&shelf, "/opds/v2/authors");
    assert_eq!(
        entries(&authors),
        ["Ann Example", "Bob Sample", "Ida Inks", "Zoë <&> Q"]
    );
    for feed in ["authors", "series"] {
        let names = get(&shelf, &format!("/opds/v2/{feed}"));
        assert!(!list(&names, "navigation").is_empty(), "{feed}");
        for entry in list(&names, "navigation") {
            let items = &entry["properties"]["numberOfItems"];
            let publications = get(&shelf, follow(&shelf, entry));
            let total = &publications["metadata"]["numberOfItems"];
            assert!(total.as_u64() > Some(0), "{entry}");
            assert_eq!(items, total, "{entry}");
        }
    }
    let of_ida = get(&shelf, follow(&shelf, &authors["navigation"][2]));
    assert_eq!(titles(&of_ida), ["In the Fog"]);
    for path in [
        "publications?page=x",
        "publications?state=odd",
        "authors?letter=1",
    ] {
        shelf.app.get(&format!("/opds/v2/{path}")).expect(404);
    }
}

#[test]
fn many_publications_and_authors_are_paged() {
    let server = Server::start();
    let admin = server.admin();
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    for n in 0..120_u8 {
        let letter = |n: u8| char::from(b'a' + n);
        let (first, second, third) = (
            letter(n % 2).to_ascii_uppercase(),
            letter(n / 20),
            letter(n % 20),
        );
        let name = format!("{first}{second}{third} Example - Book {n:03}.epub");
        fs::write(media.join(name), n.to_string()).expect("a file");
    }
    scanned_library(&admin, "media", &media);
    let app = reader(&server, &admin, "admin");
    let base = format!("http://127.0.0.1:{}", server.port());
    let mut next = Some("/opds/v2/publications".to_owned());
    let (mut all, mut pages) = (Vec::new(), 0);
    while let Some(path) = next {
        let feed = parsed(&app.get(&path).expect(200));
        pages += 1;
        assert_eq!(feed["metadata"]["currentPage"], pages);
        assert_eq!(link(&feed, "previous").is_some(), pages > 1);
        all.extend(titles(&feed).into_iter().map(str::to_owned));
        let href = link(&feed, "next").and_then(|link| link["href"].as_str());
        next = href.map(|href| href.replace(&base, ""));
    }
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!((pages, all.len(), distinct.len()), (3, 120, 120));
    let letters = parsed(&app.get("/opds/v2/authors").expect(200));
    assert_eq!(entries(&letters), ["A", "B"]);
    let authors = parsed(&app.get("/opds/v2/authors?letter=b").expect(200));
    assert_eq!(entries(&authors).len(), 50);
    let more = link(&authors, "next").expect("another page")["href"].as_str();
    let more = more.expect("an address").replace(&base, "");
    assert_eq!(entries(&parsed(&app.get(&more).expect(200))).len(), 10);
}

#[test]
fn invisible_content_is_absent_and_other_sites_read_only_these_feeds() {
    let shelf = shelf();
    let hidden = shelf.item("Hidden");
    let pairs = [
        (format!("items/{hidden}"), "items/99999"),
        (
            format!("publications?library={}", shelf.secret),
            "publications?library=99999",
        ),
    ];
    for (hidden, absent) in pairs {
        let hidden = shelf.app.get(&format!("/opds/v2/{hidden}")).expect(404);
        let absent = shelf.app.get(&format!("/opds/v2/{absent}")).expect(404);
        assert_eq!(hidden.body, absent.body);
    }
    for path in [
        "/opds/v2",
        "/opds/v2/authors",
        "/opds/v2/publications?q=hidden",
    ] {
        let text = get(&shelf, path).to_string();
        assert!(
            !text.contains("Nora") && !text.contains("\"Hidden\""),
            "{path}"
        );
    }
    let song = shelf.item("song");
    shelf.app.get(&format!("/opds/v2/items/{song}")).expect(404);
    let other = [("Origin", "https://player.example")];
    for (path, expected) in [
        ("/opds/v2", "*"),
        ("/opds/v2/publications", "*"),
        ("/opds", ""),
    ] {
        let answer = shelf.app.send_with("GET", path, &other).expect(200);
        assert_eq!(
            answer.header("access-control-allow-origin"),
            expected,
            "{path}"
        );
        assert_eq!(answer.header("access-control-allow-credentials"), "");
    }
    let anonymous = shelf.server.client().anonymous();
    let preflight = [
        ("Origin", "https://player.example"),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "authorization"),
    ];
    let answer = anonymous.send("OPTIONS", "//opds/v2/publications", &preflight, None);
    assert_eq!(
        answer.expect(200).header("access-control-allow-origin"),
        "*"
    );
}
