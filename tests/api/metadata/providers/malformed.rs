//! Undocumented response formats: they count as failures that are retried, and not as "not found".

use ledge_tests::server::scanned_library;
use ledge_tests::{Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

use super::{dune, enrich, igdb, media, open_library, picture, put, server};

/// Returns formats that no provider documents. There are few, because the rate limits apply here
/// too.
fn forms() -> Vec<Value> {
    vec![
        json!(null),
        json!("text"),
        json!({ "error": { "code": 503, "message": "not now" } }),
    ]
}

/// Provider whose responses to one request vary, and an item to enrich.
pub(super) struct World {
    _folder: tempfile::TempDir,
    pub(super) server: Server,
    pub(super) admin: Client,
    pub(super) item: i64,
    provider: &'static str,
}

impl World {
    pub(super) fn new(
        provider: &'static str,
        name: &str,
        bytes: Vec<u8>,
        settings: &[(&str, &str)],
    ) -> Self {
        let server = server(settings);
        let (folder, media) = media();
        put(&media, name, bytes);
        let admin = server.admin();
        scanned_library(&admin, "Media", &media);
        let items = admin.get("/items").expect(200).json();
        Self {
            _folder: folder,
            server,
            item: items["items"][0]["id"].as_i64().expect("an id"),
            admin,
            provider,
        }
    }

    /// Refreshes the item, and returns the newest attempt.
    pub(super) fn attempt(&self) -> Value {
        let (_, matches) = enrich(&self.admin, self.item);
        let mut of_provider = matches
            .into_iter()
            .filter(|one| one["provider"] == self.provider);
        of_provider.next().expect("an attempt")
    }

    /// Asserts that the response was recorded as a failure, is not valid, and is retried later.
    /// Returns the attempt.
    #[track_caller]
    pub(super) fn is_failure(&self, form: &Value) -> Value {
        let attempt = self.attempt();
        assert_eq!(attempt["outcome"], "failure", "{form}: {attempt}");
        assert!(attempt["error"].is_string(), "{form}: {attempt}");
        assert!(attempt["expires_at"].is_null(), "{form}: {attempt}");
        self.is_tried_again();
        attempt
    }

    #[track_caller]
    fn is_tried_again(&self) {
        let jobs = self.admin.get("/jobs?status=queued&kind=enrich_item");
        let jobs = jobs.expect(200).json();
        assert_eq!(jobs["total"], 1, "{jobs}");
        let job = &jobs["items"][0];
        assert!(job["run_at"].as_str() > job["created_at"].as_str(), "{job}");
    }

    #[track_caller]
    pub(super) fn is_found(&self) {
        let attempt = self.attempt();
        assert_eq!(attempt["outcome"], "ok", "{attempt}");
        assert!(attempt["error"].is_null(), "{attempt}");
        assert!(attempt["expires_at"].is_string(), "{attempt}");
    }
}

/// Replies with `form` to paths with this prefix, and correctly to all others.
pub(super) fn instead(
    path: &'static str,
    form: Value,
    sound: fn(&Asked) -> Reply,
) -> impl Fn(&Asked) -> Reply + Send + Sync {
    move |asked| {
        if asked.path.starts_with(path) {
            Reply::json(&form)
        } else {
            sound(asked)
        }
    }
}

fn asks_open_library(fake: &Fake) -> World {
    let url = fake.url();
    let settings = [
        ("LEDGE_OPENLIBRARY_URL", url.as_str()),
        ("LEDGE_OPENLIBRARY_COVERS_URL", url.as_str()),
    ];
    World::new("openlibrary", "dune.epub", dune(), &settings)
}

#[test]
fn undocumented_answers_of_open_library_are_failures() {
    let fake = Fake::start(open_library);
    let world = asks_open_library(&fake);
    for path in ["/search.json", "/works/"] {
        for form in forms().into_iter().chain([json!([])]) {
            fake.answer(instead(path, form.clone(), open_library));
            world.is_failure(&form);
        }
    }
    for form in [json!({ "docs": null }), json!({ "docs": [null] })] {
        fake.answer(instead("/search.json", form.clone(), open_library));
        world.is_failure(&form);
    }
    fake.answer(open_library);
    world.is_found();
}

#[test]
fn undocumented_response_instead_of_cover_is_retried() {
    let fake = Fake::start(open_library);
    let world = asks_open_library(&fake);
    for form in forms().into_iter().chain([json!([])]) {
        fake.answer(instead("/b/id/", form.clone(), open_library));
        let attempt = world.attempt();
        assert_eq!(attempt["outcome"], "ok", "{form}: {attempt}");
        assert!(attempt["error"].is_string(), "{form}: {attempt}");
        assert!(attempt["expires_at"].is_null(), "{form}: {attempt}");
        world.is_tried_again();
    }
    fake.answer(open_library);
    world.is_found();
}

fn google(asked: &Asked) -> Reply {
    if asked.path.starts_with("/books/content") {
        return picture();
    }
    super::google_books(asked)
}

#[test]
fn undocumented_answers_of_google_books_are_failures() {
    let none = Fake::start(|_| Reply::json(&json!({ "numFound": 0, "docs": [] })));
    let fake = Fake::start(google);
    let (none, url) = (none.url(), fake.url());
    let settings = [
        ("LEDGE_OPENLIBRARY_URL", none.as_str()),
        ("LEDGE_GOOGLEBOOKS_URL", url.as_str()),
    ];
    let world = World::new("googlebooks", "dune.epub", dune(), &settings);
    let further = [json!([]), json!({ "items": null }), json!({ "items": [5] })];
    for form in forms().into_iter().chain(further) {
        fake.answer(instead("/books/v1/volumes", form.clone(), google));
        world.is_failure(&form);
    }
    fake.answer(|_| Reply::json(&json!({ "kind": "books#volumes", "totalItems": 0 })));
    assert_eq!(world.attempt()["outcome"], "notfound");
    fake.answer(google);
    world.is_found();
}

#[test]
fn undocumented_answers_of_igdb_are_failures() {
    let fake = Fake::start(igdb);
    let url = fake.url();
    let settings = [
        ("LEDGE_IGDB_URL", url.as_str()),
        ("LEDGE_IGDB_TOKEN_URL", url.as_str()),
        ("LEDGE_IGDB_IMAGES_URL", url.as_str()),
        ("LEDGE_IGDB_CLIENT_ID", "abcdefg12345"),
        ("LEDGE_IGDB_CLIENT_SECRET", "hijklmn67890"),
    ];
    let rom = ledge_fixtures::gb_rom("HARBOUR");
    let world = World::new("igdb", "Quiet Harbour.gb", rom, &settings);
    // This precedes the first stored token.
    for form in forms().into_iter().chain([json!([])]) {
        fake.answer(instead("/oauth2/token", form.clone(), igdb));
        world.is_failure(&form);
    }
    let syntax_error = json!([{ "title": "Syntax Error", "status": 400 }]);
    for form in forms()
        .into_iter()
        .chain([json!({}), json!([null]), syntax_error])
    {
        fake.answer(instead("/v4/games", form.clone(), igdb));
        world.is_failure(&form);
    }
    fake.answer(igdb);
    world.is_found();
}

#[test]
fn undocumented_local_metadata_files_are_failures() {
    let server = server(&[]);
    let (_folder, media) = media();
    put(&media, "Some Book/book.epub", dune());
    put(&media, "Some Book/metadata.json", "{}");
    let admin = server.admin();
    scanned_library(&admin, "Media", &media);
    let items = admin.get("/items").expect(200).json();
    let item = items["items"][0]["id"].as_i64().expect("an id");
    for form in [
        "null",
        "[]",
        "\"text\"",
        "{\"title\": []}",
        "{\"metadata\": 5}",
    ] {
        put(&media, "Some Book/metadata.json", form);
        let (_, matches) = enrich(&admin, item);
        let mut local = matches
            .iter()
            .filter(|one| one["provider"] == "local_files");
        let attempt = local.next().expect("an attempt");
        assert_eq!(attempt["outcome"], "failure", "{form}: {attempt}");
        assert!(attempt["expires_at"].is_null(), "{form}: {attempt}");
    }
}
