//! MusicBrainz with the Cover Art Archive: by ids in tags, by names, and with broken responses.

use std::path::{Path, PathBuf};

use ledge_fixtures::{AudioTags, mp3};
use ledge_tests::server::scanned_library;
use ledge_tests::{After, Asked, Client, Fake, Reply, Server};
use serde_json::{Value, json};

use super::{enrich, enriched, media, picture, put, server};

const RELEASE: &str = "0dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const GROUP: &str = "4dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";
const ARTIST: &str = "6dfd97d0-96cb-4ab4-9d90-1e9e9ea4a2b1";

/// Creates an album of two tracks, with these further tags.
fn album(media: &Path, fields: &[(&str, &str)]) {
    for number in 1..=2 {
        let tags = AudioTags {
            title: format!("Song {number}"),
            artist: "The Band".to_owned(),
            album: "Some Album".to_owned(),
            album_artist: "The Band".to_owned(),
            genre: "Rock".to_owned(),
            track: Some((number, 2)),
            fields: fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..AudioTags::default()
        };
        put(
            media,
            &format!("The Band/Some Album/0{number}.mp3"),
            mp3(&tags),
        );
    }
}

fn release() -> Value {
    json!({
        "id": RELEASE, "title": "Some Album", "status": "Official", "date": "2011-09-26",
        "artist-credit": [{ "name": "The Band", "joinphrase": "",
                            "artist": { "id": ARTIST, "name": "The Band" } }],
        "release-group": { "id": GROUP, "title": "Some Album", "primary-type": "Album",
                           "secondary-types": [], "first-release-date": "1975-09-12",
                           "genres": [{ "name": "art rock", "count": 9 }] },
        "media": [{ "position": 1, "format": "CD", "track-count": 2, "tracks": [
            { "position": 1, "title": "Song 1", "length": 1000, "recording": {} },
            { "position": 2, "title": "Song 2", "length": 1000, "recording": {} }
        ] }],
        "label-info": [], "genres": [], "relations": [],
        "cover-art-archive": { "front": true, "count": 1 }
    })
}

fn musicbrainz(asked: &Asked) -> Reply {
    assert!(
        asked.header("user-agent").starts_with("Ledge/"),
        "{asked:?}"
    );
    let path = asked.path.as_str();
    if path.starts_with(&format!("/ws/2/release/{RELEASE}?inc=")) {
        return Reply::json(&release());
    }
    if path.starts_with("/ws/2/release?query=") {
        return Reply::json(&json!({ "count": 1, "offset": 0, "releases": [{
            "id": RELEASE, "score": 100, "title": "Some Album", "status": "Official",
            "date": "2011-09-26", "track-count": 2,
            "artist-credit": [{ "name": "The Band", "artist": { "id": ARTIST } }],
            "release-group": { "id": GROUP, "primary-type": "Album" },
            "media": [{ "format": "CD", "track-count": 2 }]
        }] }));
    }
    match path {
        "/download/front.png" => picture(),
        _ => Reply::status(404),
    }
}

fn asking(musicbrainz: &Fake, covers: &Fake) -> Server {
    let (musicbrainz, covers) = (musicbrainz.url(), covers.url());
    server(&[
        ("LEDGE_MUSICBRAINZ_URL", &musicbrainz),
        ("LEDGE_COVERARTARCHIVE_URL", &covers),
    ])
}

fn of_provider(matches: &[Value]) -> &Value {
    let mut found = matches
        .iter()
        .filter(|one| one["provider"] == "musicbrainz");
    found.next().expect("an attempt")
}

#[test]
fn release_in_tags_is_applied_with_its_redirected_cover() {
    let fake = Fake::start(musicbrainz);
    let target = format!("{}/download/front.png", fake.url());
    let covers = Fake::start(move |asked| {
        assert_eq!(asked.path, format!("/release/{RELEASE}/front-500"));
        Reply::status(307).header("Location", &target)
    });
    let server = asking(&fake, &covers);
    let (_folder, media) = media();
    album(
        &media,
        &[
            ("MusicBrainz Album Id", RELEASE),
            ("MusicBrainz Release Group Id", GROUP),
            ("ASIN", "B000002L7W"),
        ],
    );
    let (item, matches) = enriched(&server.admin(), &media);
    assert_eq!(item["subkind"], "album", "{item}");
    assert_eq!(item["facts"]["musicbrainz_release"], RELEASE);
    assert_eq!(item["facts"]["musicbrainz_release_group"], GROUP);
    assert_eq!(item["title"], "Some Album");
    assert_eq!(item["authors"], "The Band");
    assert_eq!(item["year"], 1975);
    assert_eq!(item["provider_ids"], json!({ "musicbrainz": RELEASE }));
    assert_eq!(item["cover"]["width"], 200, "{item}");
    let attempt = of_provider(&matches);
    assert_eq!(attempt["outcome"], "ok", "{attempt}");
    assert!(attempt["error"].is_null(), "{attempt}");
    assert_eq!(fake.count("/ws/2/"), 1, "{:?}", fake.asked());
    assert_eq!(covers.count("/"), 1);
}

#[test]
fn album_without_ids_is_found_by_its_names() {
    let fake = Fake::start(musicbrainz);
    let covers = Fake::start(|_| Reply::status(404));
    let server = asking(&fake, &covers);
    let (_folder, media) = media();
    album(&media, &[]);
    let (item, matches) = enriched(&server.admin(), &media);
    assert_eq!(item["year"], 1975, "{matches:?}");
    assert_eq!(item["provider_ids"], json!({ "musicbrainz": RELEASE }));
    assert!(item["cover"].is_null(), "{item}");
    let asked = fake.asked();
    assert!(asked[0].path.contains("tracks%3A2"), "{asked:?}");
    assert!(asked[0].path.contains("fmt=json"), "{asked:?}");
    assert_eq!(asked.len(), 2, "the search and one release");
}

#[test]
fn cover_at_private_address_is_not_fetched() {
    let secret = Fake::start(|_| picture());
    let target = secret.url();
    let fake = Fake::start(musicbrainz);
    let covers = Fake::start(move |_| Reply::status(307).header("Location", &target));
    let server = asking(&fake, &covers);
    let (_folder, media) = media();
    album(&media, &[("MusicBrainz Album Id", RELEASE)]);
    let (item, matches) = enriched(&server.admin(), &media);
    assert_eq!(item["year"], 1975, "the match stays");
    assert!(item["cover"].is_null(), "{item}");
    assert!(of_provider(&matches)["error"].is_string(), "{matches:?}");
    assert_eq!(secret.asked().len(), 0);
}

/// Item without ids, and the provider's responses to the search for it.
struct World {
    _folder: (tempfile::TempDir, PathBuf),
    _server: Server,
    admin: Client,
    item: i64,
    fake: Fake,
}

impl World {
    fn new() -> Self {
        let fake = Fake::start(musicbrainz);
        let covers = Fake::start(|_| Reply::status(404));
        let server = asking(&fake, &covers);
        let folder = media();
        album(&folder.1, &[]);
        let admin = server.admin();
        scanned_library(&admin, "Media", &folder.1);
        let items = admin.get("/items").expect(200).json();
        Self {
            item: items["items"][0]["id"].as_i64().expect("an id"),
            _folder: folder,
            _server: server,
            admin,
            fake,
        }
    }

    fn outcome(&self, reply: impl Fn() -> Reply + Send + Sync + 'static) -> Value {
        self.fake.answer(move |_| reply());
        let (_, matches) = enrich(&self.admin, self.item);
        of_provider(&matches)["outcome"].clone()
    }
}

#[test]
fn broken_responses_are_failures_and_empty_ones_are_not() {
    let world = World::new();
    let none = || Reply::json(&json!({ "count": 0, "offset": 0, "releases": [] }));
    assert_eq!(world.outcome(none), "notfound");
    let broken: [fn() -> Reply; 8] = [
        || Reply::status(404),
        || Reply::status(500),
        || Reply::status(503).header("Retry-After", "1"),
        || Reply::json(&json!({ "error": "not now" })),
        || Reply::bytes("application/json", "{\"releases\": ["),
        || Reply::bytes("text/html", "<html>"),
        || Reply::bytes("application/json", "{").then(After::Endless),
        || Reply::status(302).header("Location", "file:///etc/passwd"),
    ];
    for (at, reply) in broken.into_iter().enumerate() {
        assert_eq!(world.outcome(reply), "failure", "{at}");
    }
    let busy = || Reply::status(429).header("Retry-After", "1");
    assert_eq!(world.outcome(busy), "failure");
    world.fake.answer(musicbrainz);
    let (item, _) = enrich(&world.admin, world.item);
    assert_eq!(item["year"], 1975, "{item}");
}
