//! A server with two libraries and one user of each role.

use std::fs;
use std::path::PathBuf;

use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

pub(super) struct House {
    pub(super) server: Server,
    /// Administrator who manages the library without a grant.
    pub(super) admin: Client,
    pub(super) granted: Client,
    pub(super) ungranted: Client,
    /// Signed in while granted. The grant was revoked since.
    pub(super) revoked: Client,
    pub(super) item: i64,
    /// Game in which `granted` has saved twice to the slot `quick`.
    pub(super) game: i64,
    pub(super) file: i64,
    /// File of a readable EPUB, and of a comic.
    pub(super) epub: i64,
    pub(super) comic: i64,
    /// Film with embedded subtitles and a font.
    pub(super) video: i64,
    /// Show with an episode.
    pub(super) show: i64,
    /// Series of the item.
    pub(super) series: i64,
    /// Author of the item.
    pub(super) person: i64,
    /// Item and file of a song.
    pub(super) recording: i64,
    pub(super) song: i64,
    /// Tag of `granted` on the item.
    pub(super) tag: i64,
    /// Public playlist of `granted` with the song.
    pub(super) playlist: i64,
    /// Public collection of `granted` with the item.
    pub(super) collection: i64,
    /// Job of an import that fails.
    pub(super) import: i64,
    pub(super) library: i64,
    pub(super) user: i64,
}

pub(super) fn house() -> House {
    let server = Server::start();
    let admin = server.admin();
    let (library, status) = scanned_library(&admin, "Books", &media(&server));
    assert_eq!(status["status"], "done", "{status}");
    let only = |kind: &str| {
        let list = admin.get(&format!("/items?kind={kind}")).expect(200);
        list.json()["items"][0]["id"].as_i64().expect("an item")
    };
    let titled = |title: &str| {
        let items = all_items(&admin, "/items?kind=books");
        let found = items.iter().find(|item| item["title"] == title);
        found.expect(title)["id"].as_i64().expect("an item")
    };
    let file_of = |item: i64| first_of(&admin, item, "files");
    let (item, game) = (titled("Moby-Dick"), only("games"));
    let books = ["Moby-Dick", "The Quiet Harbour", "In the Fog"];
    let [file, epub, comic] = books.map(|title| file_of(titled(title)));
    let (recording, show) = (only("audio"), only("video&subkind=series"));
    let (video, song) = (file_of(only("video&subkind=film")), file_of(recording));
    let series = series_of(&admin, item);
    let person = first_of(&admin, item, "people");
    for item in [item, recording] {
        wait_for_cover(&admin, item);
    }
    add_pictures(&server, item, person);
    let (granted_id, granted) = server.user(&admin, "granted");
    let (user, ungranted) = server.user(&admin, "ungranted");
    grant(&admin, library, granted_id);
    let revoked = revoked(&server, &admin, (library, item));
    leave_data(&granted, (item, file), game);
    let tag = tag(&granted, item);
    let playlist = list(&granted, "/playlists", &json!({"files": [song]}));
    let collection = list(&granted, "/collections", &json!({"items": [item]}));
    give_up_grant(&admin, library);
    House {
        server,
        granted,
        ungranted,
        revoked,
        item,
        game,
        file,
        epub,
        comic,
        video,
        show,
        series,
        person,
        recording,
        song,
        tag,
        playlist,
        collection,
        import: import(&admin),
        library,
        user,
        admin,
    }
}

fn grant(admin: &Client, library: i64, user: i64) {
    let path = format!("/libraries/{library}/grants/{user}");
    admin.send("PUT", &path, &[], None).expect(204);
}

fn import(admin: &Client) -> i64 {
    let body = json!({"source": "navidrome", "path": "/nowhere/navidrome.db"});
    let job = admin.post("/imports", &body).expect(202).json();
    job["job_id"].as_i64().expect("a job")
}

/// Creates files of every kind, an added core and a BIOS file. Returns the folder of the media.
fn media(server: &Server) -> PathBuf {
    let media = server.folder().join("media");
    fs::create_dir(&media).expect("a folder");
    fs::write(media.join("Melville, Herman - Moby-Dick.epub"), "no book").expect("a file");
    let picture = ledge_fixtures::png(60, 90, 1);
    fs::write(media.join("Melville, Herman - Moby-Dick.png"), picture).expect("a file");
    fs::write(media.join("Lantern Drift.sfc"), "no game").expect("a file");
    fs::write(media.join("Quiet.epub"), crate::catalogue::books::epub()).expect("a file");
    fs::write(media.join("Fog.cbz"), crate::catalogue::books::comic()).expect("a file");
    fs::write(media.join("Two Tongues.mkv"), crate::playing::fonts::film()).expect("a file");
    let season = media.join("Show/Season 1");
    fs::create_dir_all(&season).expect("folders");
    fs::write(season.join("Show S01E01.mkv"), "no film").expect("a file");
    let song = ledge_fixtures::mp3(&ledge_fixtures::AudioTags {
        cover: Some(ledge_fixtures::png(60, 60, 2)),
        ..ledge_fixtures::AudioTags::default()
    });
    fs::write(media.join("Song.mp3"), song).expect("a file");
    for (folder, name) in [("cores", "mgba.wasm"), ("bios", "disksys.rom")] {
        let folder = server.folder().join(folder);
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join(name), "added").expect("a file");
    }
    media
}

/// Returns the id of the first element of a list of an item.
fn first_of(admin: &Client, item: i64, list: &str) -> i64 {
    let detail = admin.get(&format!("/items/{item}")).expect(200).json();
    detail[list][0]["id"].as_i64().expect(list)
}

/// Puts the item into a series and returns the id of the series.
fn series_of(admin: &Client, item: i64) -> i64 {
    let body = json!({"series": {"name": "Whales", "index": 1}});
    let edited = admin.patch(&format!("/items/{item}"), &body).expect(200);
    edited.json()["series_id"].as_i64().expect("a series")
}

fn wait_for_cover(admin: &Client, item: i64) {
    until("a cover", || {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        (!detail["cover"].is_null()).then_some(())
    });
}

/// Adds further pictures to an item and a portrait to a person. Without a provider, the picture of
/// the item's cover serves for all of them.
fn add_pictures(server: &Server, item: i64, person: i64) {
    let database = ledge_core::db::open::writable(&server.database()).expect("a database");
    database
        .execute_batch(&format!(
            "INSERT INTO picture (item_id, role, season, number, provider, cover_id)
             SELECT id, 'backdrop', 0, 0, 'none', cover_id FROM item WHERE id = {item}
             UNION ALL
             SELECT id, 'season', 1, 0, 'none', cover_id FROM item WHERE id = {item}
             UNION ALL
             SELECT id, 'still', 1, 1, 'none', cover_id FROM item WHERE id = {item};
             INSERT INTO picture (person_id, role, provider, cover_id)
             SELECT {person}, 'portrait', 'none', cover_id FROM item WHERE id = {item};"
        ))
        .expect("pictures");
}

/// Revokes the own grant of the administrator.
fn give_up_grant(admin: &Client, library: i64) {
    let own = admin.get("/auth/me").expect(200).json()["id"].clone();
    let path = format!("/libraries/{library}/grants/{own}");
    admin.delete(&path).expect(204);
}

/// Creates a user whose grant for the library was revoked after its use.
fn revoked(server: &Server, admin: &Client, (library, item): (i64, i64)) -> Client {
    let (id, client) = server.user(admin, "revoked");
    let path = format!("/libraries/{library}/grants/{id}");
    admin.send("PUT", &path, &[], None).expect(204);
    client.get(&format!("/items/{item}")).expect(200);
    admin.delete(&path).expect(204);
    client
}

/// Creates a public list with this content, and returns its id.
fn list(owner: &Client, path: &str, content: &Value) -> i64 {
    let mut body = content.clone();
    body["name"] = json!("List");
    body["public"] = json!(true);
    let made = owner.post(path, &body).expect(201).json();
    made["id"].as_i64().expect("an id")
}

/// Saves a game twice, and creates an annotation, an edit and an overwritten position.
fn leave_data(granted: &Client, (item, file): (i64, i64), game: i64) {
    for state in ["one", "two"] {
        let headers = [("Content-Type", "application/octet-stream")];
        let path = format!("/items/{game}/saves/quick");
        let saved = granted.send("PUT", &path, &headers, Some(state.as_bytes()));
        assert!(saved.status < 300, "{saved:?}");
    }
    // The first ones in this database.
    let annotation = json!({"file_id": file, "position": 3, "type": "bookmark"});
    let annotations = format!("/items/{item}/annotations");
    let annotation = granted.post(&annotations, &annotation).expect(201).json();
    assert_eq!(annotation["id"], 1);
    let password = json!({"name": "Reader", "scopes": ["publications"]});
    let password = granted.post("/app-passwords", &password).expect(201).json();
    assert_eq!(password["id"], 1);
    let edit = json!({"ids": [item], "set": {"favourite": true}});
    let edited = granted.patch("/items", &edit).expect(200).json();
    assert_eq!(edited["batch"], 2, "after the series");
    for position in 1..3 {
        let place = json!({"file_id": file, "position": position}).to_string();
        let headers = [("Content-Type", "application/json")];
        let path = format!("/items/{item}/progress");
        let kept = granted.send("PUT", &path, &headers, Some(place.as_bytes()));
        assert_eq!(kept.status, 200, "{kept:?}");
    }
}

/// Adds a tag to the item and returns its id.
fn tag(granted: &Client, item: i64) -> i64 {
    let headers = [("Content-Type", "application/json")];
    let path = format!("/items/{item}/tags");
    let tags = granted.send("PUT", &path, &headers, Some(br#"{"tags": ["own"]}"#));
    let tags = tags.expect(200).json();
    tags["tags"][0]["id"].as_i64().expect("a tag")
}

impl House {
    /// Returns the path with ids of existing objects.
    pub(super) fn real(&self, path: &str) -> String {
        let id = match path.split('/').nth(1) {
            Some("libraries") => self.library,
            Some("items") if path.contains("/saves") => self.game,
            Some("items") if path.contains("/seasons") => self.show,
            Some("items") if path.contains("/episodes") => self.show,
            Some("items") => self.item,
            Some("series") => self.series,
            Some("people") => self.person,
            Some("files") => self.file,
            Some("users") => self.user,
            Some("tags") => self.tag,
            Some("playlists") => self.playlist,
            Some("collections") => self.collection,
            Some("imports") => self.import,
            Some("kinds") if path.contains("/entries") => self.epub,
            Some("kinds") if path.contains("/video/") => self.video,
            Some("kinds") if path.contains("/lyrics") => self.song,
            Some("kinds") if path.contains("/gains") => self.recording,
            Some("kinds") => self.comic,
            _ => 1,
        };
        let provider = match path.split('/').nth(1) {
            // It needs no network.
            Some("metadata") => "local_files",
            _ => "openlibrary",
        };
        let path = path
            .replace("{id}", &id.to_string())
            .replace("{user_id}", &self.user.to_string())
            .replace("{slot}", "quick")
            .replace("{path}", "mimetype")
            .replace("{track}", "e2.vtt")
            .replace("{index}", "0")
            .replace("{file}", "mgba.wasm")
            .replace("{name}", "disksys.rom")
            .replace("{role}", "backdrop")
            .replace("{season}", "1")
            .replace("{number}", "1")
            .replace("{n}", "1")
            .replace("{provider}", provider)
            .replace("{candidate}", "1")
            .replace("{item}", &self.item.to_string())
            .replace("{entry}", "1")
            .replace("{password}", "1")
            .replace("{batch}", "2")
            .replace("{year}", "2024")
            .replace("{annotation}", "1");
        assert!(!path.contains('{'), "{path} asks for nothing that is there");
        path
    }
}
