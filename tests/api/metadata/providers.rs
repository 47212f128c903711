//! Providers with fake servers that implement their formats, at configured URLs.

mod anilist;
mod audnexus;
mod comicvine;
mod failures;
mod local_media;
mod malformed;
mod musicbrainz;
mod tmdb;
mod tvmaze;
mod wikidata;

use std::fs;
use std::path::{Path, PathBuf};

use ledge_fixtures::EpubSpec;
use ledge_tests::server::{program, scanned_library};
use ledge_tests::{Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

use crate::metadata::enrich::ended;

/// Creates a folder for media outside the server's own folder.
fn media() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let media = folder.path().join("media");
    fs::create_dir(&media).expect("a folder");
    (folder, media)
}

fn put(media: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = media.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

fn dune() -> Vec<u8> {
    ledge_fixtures::epub(&EpubSpec {
        title: "Dune".to_owned(),
        authors: vec!["Herbert, Frank".to_owned()],
        language: "en".to_owned(),
        description: String::new(),
        cover: None,
        ..EpubSpec::default()
    })
}

/// Starts a server with configured provider URLs. Other providers have no reachable server.
fn server(settings: &[(&str, &str)]) -> Server {
    Server::with(&program("ledge"), settings)
}

/// Starts a server that uses the fake as Open Library, for works and covers.
fn asking_open_library(fake: &Fake) -> Server {
    let url = fake.url();
    server(&[
        ("LEDGE_OPENLIBRARY_URL", &url),
        ("LEDGE_OPENLIBRARY_COVERS_URL", &url),
    ])
}

/// Returns the only item, after its enrichment.
fn enriched(admin: &Client, media: &Path) -> (Value, Vec<Value>) {
    scanned_library(admin, "Media", media);
    let items = admin.get("/items").expect(200).json();
    assert_eq!(items["total"], 1, "{items}");
    let id = items["items"][0]["id"].as_i64().expect("an id");
    enrich(admin, id)
}

/// Refreshes an item with all providers. Returns the item and its attempts.
fn enrich(admin: &Client, id: i64) -> (Value, Vec<Value>) {
    let queued = admin.post(&format!("/items/{id}/enrich"), &json!({ "force": true }));
    let job = queued.expect(202).json()["job_id"].clone();
    ended(admin, &job);
    let item = admin.get(&format!("/items/{id}")).expect(200).json();
    let matches = admin
        .get(&format!("/items/{id}/matches"))
        .expect(200)
        .json();
    (item, matches["items"].as_array().expect("items").clone())
}

/// Returns the body of a request.
fn text(asked: &Asked) -> String {
    String::from_utf8_lossy(&asked.body).into_owned()
}

fn picture() -> Reply {
    Reply::bytes("image/png", ledge_fixtures::png(200, 300, 7))
}

fn open_library(asked: &Asked) -> Reply {
    if asked
        .path
        .starts_with("/search.json?title=Dune&author=Herbert")
    {
        return Reply::json(&json!({ "numFound": 1, "start": 0, "docs": [{
            "key": "/works/OL893415W", "title": "Dune", "author_name": ["Frank Herbert"],
            "first_publish_year": 1965, "cover_i": 11_481_354, "language": ["eng"]
        }] }));
    }
    match asked.path.as_str() {
        "/works/OL893415W.json" => Reply::json(&json!({
            "key": "/works/OL893415W", "type": { "key": "/type/work" }, "title": "Dune",
            "description": { "type": "/type/text", "value": "Set on the desert planet." }
        })),
        "/b/id/11481354-L.jpg?default=false" => picture(),
        target if target.starts_with("/search.json") => {
            Reply::json(&json!({ "numFound": 0, "docs": [] }))
        }
        _ => Reply::status(404),
    }
}

fn google_books(asked: &Asked) -> Reply {
    if asked.path.starts_with("/books/content?id=B1hSG45JCX4C") {
        return picture();
    }
    assert!(
        asked.path.starts_with("/books/v1/volumes?q="),
        "{}",
        asked.path
    );
    Reply::json(
        &json!({ "kind": "books#volumes", "totalItems": 1, "items": [{
        "kind": "books#volume", "id": "B1hSG45JCX4C",
        "volumeInfo": {
            "title": "Dune", "authors": ["Frank Herbert"], "publishedDate": "1965-08-01",
            "description": "<p>Set on the <b>desert</b> planet.</p>",
            "industryIdentifiers": [{ "type": "ISBN_13", "identifier": "9781101658055" }],
            "imageLinks": { "thumbnail":
                "http://books.google.com/books/content?id=B1hSG45JCX4C&zoom=1&edge=curl" }
        }
    }] }),
    )
}

#[test]
fn open_library_provides_year_description_and_cover() {
    let fake = Fake::start(open_library);
    let server = asking_open_library(&fake);
    let (_folder, media) = media();
    put(&media, "dune.epub", dune());
    let (item, matches) = enriched(&server.admin(), &media);
    assert_eq!(item["year"], 1965);
    assert_eq!(item["authors"], "Frank Herbert", "{item}");
    assert_eq!(item["description"], "Set on the desert planet.");
    assert_eq!(item["provider_ids"], json!({ "openlibrary": "OL893415W" }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let ours = &matches[0];
    assert_eq!(
        (&ours["provider"], &ours["outcome"]),
        (&json!("openlibrary"), &json!("ok"))
    );
    assert_eq!(ours["provider_id"], "OL893415W");
    let agents: Vec<_> = fake.asked();
    assert!(
        agents
            .iter()
            .all(|one| one.header("user-agent").starts_with("Ledge/")),
        "{agents:?}"
    );
}

/// Fake Open Library with a work that was merged into another one, and an edition of it.
fn merged(asked: &Asked) -> Reply {
    match asked.path.as_str() {
        "/works/OL1W.json" => Reply::json(&json!({
            "key": "/works/OL1W", "type": { "key": "/type/redirect" },
            "location": "/works/OL893415W"
        })),
        "/books/OL7353617M.json" => Reply::json(&json!({
            "key": "/books/OL7353617M", "works": [{ "key": "/works/OL893415W" }]
        })),
        target if target.starts_with("/search.json?q=key") => Reply::json(&json!({
            "numFound": 1, "start": 0, "docs": [{
                "key": "/works/OL893415W", "title": "Dune", "author_name": ["Frank Herbert"],
                "first_publish_year": 1965
            }]
        })),
        _ => open_library(asked),
    }
}

#[test]
fn work_is_chosen_by_any_form_of_its_id() {
    let fake = Fake::start(merged);
    let server = asking_open_library(&fake);
    let (_folder, media) = media();
    put(&media, "dune.epub", dune());
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let items = admin.get("/items").expect(200).json();
    let id = items["items"][0]["id"].as_i64().expect("an id");
    let path = format!("/items/{id}/matches/openlibrary");
    for written in ["/works/OL893415W", "ol893415w", "OL7353617M", "OL1W"] {
        let chosen = admin.put(&path, &json!({ "provider_id": written }));
        let item = chosen.expect(200).json();
        assert_eq!(item["year"], 1965, "{written}");
        assert_eq!(
            item["provider_ids"],
            json!({ "openlibrary": "OL893415W" }),
            "{written}"
        );
        admin.delete(&path).expect(204);
    }
    for none in ["OL9M", "nonsense"] {
        let refused = admin.put(&path, &json!({ "provider_id": none }));
        assert_eq!(refused.status, 422, "{none}: {refused:?}");
    }
    // A refresh of the choice returns the same work.
    admin
        .put(&path, &json!({ "provider_id": "OL7353617M" }))
        .expect(200);
    let (item, matches) = enrich(&admin, id);
    assert_eq!(item["provider_ids"], json!({ "openlibrary": "OL893415W" }));
    assert_eq!(
        (&matches[0]["outcome"], &matches[0]["is_chosen"]),
        (&json!("ok"), &json!(true)),
        "{matches:?}"
    );
}

#[test]
fn google_books_is_queried_if_open_library_has_no_match() {
    let none = Fake::start(|_| Reply::json(&json!({ "numFound": 0, "docs": [] })));
    let google = Fake::start(google_books);
    let (none, google) = (none.url(), google.url());
    let server = server(&[
        ("LEDGE_OPENLIBRARY_URL", &none),
        ("LEDGE_OPENLIBRARY_COVERS_URL", &none),
        ("LEDGE_GOOGLEBOOKS_URL", &google),
    ]);
    let (_folder, media) = media();
    put(&media, "dune.epub", dune());
    let (item, matches) = enriched(&server.admin(), &media);
    let outcomes: Vec<_> = matches
        .iter()
        .map(|one| (&one["provider"], &one["outcome"]))
        .collect();
    let expected = [("openlibrary", "notfound"), ("googlebooks", "ok")];
    for (provider, outcome) in expected {
        assert!(
            outcomes.contains(&(&json!(provider), &json!(outcome))),
            "{outcomes:?}"
        );
    }
    assert_eq!(item["year"], 1965);
    assert_eq!(item["description"], "Set on the desert planet.");
    assert_eq!(item["provider_ids"]["googlebooks"], "B1hSG45JCX4C");
}

/// Fake IGDB with its token server and covers.
fn igdb(asked: &Asked) -> Reply {
    match asked.path.as_str() {
        "/oauth2/token" => {
            assert!(text(asked).contains("client_secret=hijklmn67890"));
            Reply::json(&json!({ "access_token": "new", "expires_in": 5_587_808,
                                 "token_type": "bearer" }))
        }
        "/v4/games" if asked.header("authorization") != "Bearer new" => Reply::status(401),
        "/v4/games" if text(asked).starts_with("search \"Quiet Harbour\"") => Reply::json(&json!([
            { "id": 1, "name": "Quiet Harbour 2", "platforms": [33] },
            { "id": 2, "name": "Quiet Harbour", "platforms": [18, 6],
              "first_release_date": 600_000_000 },
            { "id": 3, "name": "Quiet Harbour", "platforms": [33], "summary": "Boats.",
              "first_release_date": 640_000_000, "cover": { "id": 1, "image_id": "co1abc" },
              "involved_companies": [{ "developer": true, "company": { "name": "Example" } }] }
        ])),
        "/igdb/image/upload/t_cover_big/co1abc.jpg" => picture(),
        _ => Reply::json(&json!([])),
    }
}

#[test]
fn igdb_matches_game_by_platform_and_keeps_title() {
    let fake = Fake::start(igdb);
    let url = fake.url();
    let server = server(&[
        ("LEDGE_IGDB_URL", &url),
        ("LEDGE_IGDB_TOKEN_URL", &url),
        ("LEDGE_IGDB_IMAGES_URL", &url),
        ("LEDGE_IGDB_CLIENT_ID", "abcdefg12345"),
        ("LEDGE_IGDB_CLIENT_SECRET", "hijklmn67890"),
    ]);
    let (_folder, media) = media();
    let rom = ledge_fixtures::gb_rom("HARBOUR");
    put(&media, "Quiet Harbour (USA) (Rev 1) [!].gb", rom);
    let admin = server.admin();
    let (item, matches) = enriched(&admin, &media);
    assert_eq!(item["title"], "Quiet Harbour (USA) (Rev 1) [!]");
    assert_eq!(item["year"], 1990, "{matches:?}");
    assert_eq!(item["provider_ids"], json!({ "igdb": "3" }));
    assert_eq!(item["description"], "Boats.");
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let games = |fake: &Fake| -> Vec<Asked> {
        let asked = fake.asked();
        asked
            .into_iter()
            .filter(|one| one.path == "/v4/games")
            .collect()
    };
    assert_eq!(games(&fake)[0].header("client-id"), "abcdefg12345");
    assert!(text(&games(&fake)[0]).contains("platforms = (33)"));

    // The token survives the process.
    let mut server = server;
    server.restart();
    enrich(&server.admin(), item["id"].as_i64().expect("an id"));
    let tokens = fake
        .asked()
        .iter()
        .filter(|one| one.path == "/oauth2/token")
        .count();
    assert_eq!((tokens, games(&fake).len()), (1, 2));
}

#[test]
fn local_metadata_files_are_used_without_network() {
    let server = server(&[]);
    let (_folder, media) = media();
    put(&media, "Some Book/book.epub", dune());
    let sidecar = json!({ "title": "Dune", "authors": ["Frank Herbert"], "publishedYear": "1965",
                          "description": "<p>Sand.</p>", "series": ["Dune #1"] });
    put(&media, "Some Book/metadata.json", sidecar.to_string());
    let (item, matches) = enriched(&server.admin(), &media);
    assert_eq!(item["year"], 1965, "{matches:?}");
    assert_eq!(
        item["provider_ids"],
        json!({ "local_files": "metadata.json" })
    );
    assert_eq!(
        (&matches[0]["provider"], &matches[0]["outcome"]),
        (&json!("local_files"), &json!("ok"))
    );
}

#[test]
fn missing_local_metadata_files_record_no_attempt() {
    let server = server(&[]);
    let (_folder, media) = media();
    put(&media, "Some Book/book.epub", dune());
    let (_, matches) = enriched(&server.admin(), &media);
    let asked = matches.iter().map(|one| &one["provider"]);
    assert!(asked.clone().count() > 0, "{matches:?}");
    assert!(
        asked.clone().all(|provider| provider != "local_files"),
        "{matches:?}"
    );
}

#[test]
fn provider_without_credentials_is_disabled_and_logged_once() {
    let server = server(&[("LEDGE_LOG", "info")]);
    let log = server.log();
    assert_eq!(log.matches("LEDGE_IGDB_CLIENT_SECRET").count(), 1, "{log}");
}
