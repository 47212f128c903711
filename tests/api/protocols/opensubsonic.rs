//! OpenSubsonic: recordings in music apps.

mod access;
mod browsing;
mod envelope;
mod lists;
mod login;
mod media;
mod search;
mod user;
mod user_lists;

use std::fs;
use std::path::Path;

use ledge_fixtures::{AudioTags, mp3};
use ledge_tests::server::{all_items, scanned_library, until};
use ledge_tests::{Answer, Client, Server};
use serde_json::Value;

use crate::http::conventions::id_of;
use crate::protocols::devices::issue;

/// A library with an album, a single, an audiobook and a text, a library with one secret album, and
/// users with apps: `mia` sees the first library, the administrator both.
pub(super) struct Music {
    pub(super) server: Server,
    pub(super) admin: Client,
    pub(super) mia: Client,
    pub(super) app: MusicApp,
    pub(super) library: i64,
    pub(super) secret: i64,
}

/// An app with the secret of its app password.
pub(super) struct MusicApp {
    client: Client,
    pub(super) secret: String,
}

impl MusicApp {
    /// Creates an app of a user with a new app password for recordings.
    pub(super) fn new(server: &Server, owner: &Client) -> Self {
        let issued = issue(owner, &["recordings"]);
        Self {
            client: server.client().anonymous(),
            secret: issued["secret"].as_str().expect("a secret").to_owned(),
        }
    }

    /// Calls a method with parameters such as `getAlbum?id=al-1`.
    pub(super) fn call(&self, method: &str) -> Answer {
        self.send("GET", method, &[])
    }

    pub(super) fn send(&self, verb: &str, method: &str, headers: &[(&str, &str)]) -> Answer {
        let joint = if method.contains('?') { '&' } else { '?' };
        let path = format!("//rest/{method}{joint}apiKey={}", self.secret);
        self.client.send(verb, &path, headers, None)
    }

    /// Returns the successful response of a method as JSON.
    pub(super) fn json(&self, method: &str) -> Value {
        let response = self.envelope(method);
        assert_eq!(response["status"], "ok", "{method}: {response}");
        response
    }

    /// Returns the error code of a method.
    pub(super) fn code(&self, method: &str) -> i64 {
        let response = self.envelope(method);
        assert_eq!(response["status"], "failed", "{method}: {response}");
        response["error"]["code"].as_i64().expect("a code")
    }

    fn envelope(&self, method: &str) -> Value {
        let joint = if method.contains('?') { '&' } else { '?' };
        let answer = self.call(&format!("{method}{joint}f=json"));
        answer.expect(200).json()["subsonic-response"].clone()
    }
}

fn tags(album: &str, artist: &str, title: &str) -> AudioTags {
    AudioTags {
        title: title.to_owned(),
        artist: artist.to_owned(),
        album: album.to_owned(),
        genre: "Rock".to_owned(),
        ..AudioTags::default()
    }
}

fn write(folder: &Path, name: &str, tags: &AudioTags) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, mp3(tags)).expect("a file");
}

fn fill(music: &Path, secret: &Path) {
    let rooftops = |track, title: &str, artist: &str| AudioTags {
        album_artist: "The Paper Orchestra".to_owned(),
        year: Some(2021),
        track: Some((track, 2)),
        cover: Some(ledge_fixtures::png(300, 300, 1)),
        ..tags("Rooftops", artist, title)
    };
    let gutter = rooftops(1, "Gutter", "The Paper Orchestra");
    write(music, "Orchestra/Rooftops/01.mp3", &gutter);
    let chimney = rooftops(2, "Chimney ]]> <x> & \"q\"", "Guest Singer");
    write(music, "Orchestra/Rooftops/02.mp3", &chimney);
    fs::write(
        music.join("Orchestra/Rooftops/01.lrc"),
        "[00:01.50]One\n[00:02.00]Two\n",
    )
    .expect("lyrics");
    let alone = AudioTags {
        year: Some(1999),
        ..tags("", "Zoë Solo", "Alone")
    };
    write(music, "Alone.mp3", &alone);
    for (track, title) in [(1, "Chapter One"), (2, "Chapter Two")] {
        let chapter = AudioTags {
            genre: "Audiobook".to_owned(),
            track: Some((track, 2)),
            ..tags("The Long Story", "Ada Author", title)
        };
        write(music, &format!("Story/{track}.mp3"), &chapter);
    }
    fs::write(music.join("text.epub"), crate::catalogue::books::epub()).expect("a text");
    let hidden = AudioTags {
        year: Some(2021),
        track: Some((1, 1)),
        // Without a cover, a request for it would fail without a check of the access.
        cover: Some(ledge_fixtures::png(300, 300, 2)),
        ..tags("Hidden Album", "Nora Nobody", "Hidden Song")
    };
    write(secret, "Hidden/01.mp3", &hidden);
}

pub(super) fn music() -> Music {
    let server = Server::start();
    let admin = server.admin();
    let folders = ["music", "secret"].map(|name| server.folder().join(name));
    fill(&folders[0], &folders[1]);
    let [library, secret] = [("Music", &folders[0]), ("Secret", &folders[1])]
        .map(|(name, folder)| scanned_library(&admin, name, folder).0);
    let (id, mia) = server.user(&admin, "mia");
    admin
        .send(
            "PUT",
            &format!("/libraries/{library}/grants/{id}"),
            &[],
            None,
        )
        .expect(204);
    let app = MusicApp::new(&server, &mia);
    until("covers", || {
        let items = all_items(&admin, "/items");
        let has_cover = |title: &str| {
            let mut items = items.iter();
            items.any(|item| item["title"] == title && !item["cover"].is_null())
        };
        (has_cover("Rooftops") && has_cover("Hidden Album")).then_some(())
    });
    Music {
        server,
        admin,
        mia,
        app,
        library,
        secret,
    }
}

impl Music {
    /// Returns the number of an item.
    pub(super) fn item(&self, title: &str) -> i64 {
        let items = all_items(&self.admin, "/items");
        let item = items.iter().find(|item| item["title"] == title);
        id_of(item.expect(title))
    }

    /// Returns the number of a file of an item, from 0.
    pub(super) fn file(&self, title: &str, at: usize) -> i64 {
        let item = self.admin.get(&format!("/items/{}", self.item(title)));
        id_of(&item.expect(200).json()["files"][at])
    }

    /// Returns the number of a person.
    pub(super) fn person(&self, name: &str) -> i64 {
        let people = self
            .admin
            .get(&format!("/people?q={name}"))
            .expect(200)
            .json();
        id_of(&people["items"][0])
    }
}

/// Returns the values of a member of all elements of a list.
fn all(list: &Value, member: &str) -> Vec<String> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    let value = |element: &Value| element[member].as_str().unwrap_or_default().to_owned();
    list.iter().map(value).collect()
}
