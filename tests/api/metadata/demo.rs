//! The demo library: scans with lookups that read its metadata files, without remote providers.

use ledge_tests::server::{program, scanned_library, until};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{id_of, list, page};

/// Server with the media and the settings of the demo.
struct Demo {
    _server: Server,
    admin: Client,
}

impl Demo {
    /// Takes the steps of `scripts/start.mjs` for these folders of the demo.
    fn with(folders: &[&str]) -> Self {
        let server = Server::with(&program("ledge-example"), &[]);
        let media = server.folder().join("media");
        ledge_fixtures::demo(&media).expect("the demo library");
        let admin = server.admin();
        let settings = json!({ "remote": false, "after_scans": true });
        admin.patch("/metadata/settings", &settings).expect(200);
        for folder in folders {
            let (library, _) = scanned_library(&admin, folder, &media.join(folder));
            until("the end of the lookups", || {
                let path = format!("/libraries/{library}/enrich/status");
                let status = admin.get(&path).expect(200).json();
                (status["status"] == "done").then_some(())
            });
        }
        Self {
            _server: server,
            admin,
        }
    }

    #[track_caller]
    fn item(&self, title: &str) -> Value {
        let items = page(&self.admin.get("/items?limit=200"));
        let found = items.iter().find(|item| item["display_title"] == title);
        let id = id_of(found.expect(title));
        self.admin.get(&format!("/items/{id}")).expect(200).json()
    }

    /// Requires that the server returns a picture at this URL.
    #[track_caller]
    fn has_picture(&self, url: &Value) {
        let url = url.as_str().expect("a URL").trim_start_matches("/api/v1");
        let found = self.admin.get(url).expect(200);
        let kind = found.header("content-type");
        assert!(kind.starts_with("image/"), "{url}: {kind}");
    }
}

/// Returns the person with this name.
#[track_caller]
fn person<'a>(item: &'a Value, name: &str) -> &'a Value {
    let people = item["people"].as_array().expect("people");
    let mut found = people.iter().filter(|person| person["name"] == name);
    found.next().expect(name)
}

#[test]
fn film_of_demo_has_backdrop_logo_plot_and_cast_with_portraits() {
    let demo = Demo::with(&["Video"]);
    let film = demo.item("Harbour Light");
    demo.has_picture(&film["backdrop"]["url"]);
    demo.has_picture(&film["logo"]["url"]);
    let plot = film["description"].as_str().expect("a plot");
    assert!(plot.contains("logbook in eleven hands"), "{plot}");
    let details = &film["details"];
    assert_eq!(details["provider"], "local_files");
    assert_eq!(details["tagline"], "Somebody has to be awake.");
    assert_eq!(details["collection"], "Coast of Grey Skerry");
    assert_eq!(details["studios"], json!(["A Ledge Picture"]));
    assert_eq!(details["certificates"].as_array().map(Vec::len), Some(3));
    assert_eq!(film["genres"], json!(["Drama", "Mystery"]));
    assert_eq!(film["authors"], "Henrike Solberg");
    let lead = person(&film, "Maren Thule");
    assert_eq!(lead["character"], "Runa Aske");
    for one in film["people"].as_array().expect("people") {
        if one["role"] == "actor" {
            demo.has_picture(&one["portrait"]);
        }
    }
    // The other films have the same people.
    let elsewhere = demo.item("Paper Boats");
    assert_eq!(person(&elsewhere, "Maren Thule")["id"], lead["id"]);
}

#[test]
fn show_of_demo_has_pictures_of_seasons_and_episodes_texts_and_an_absent_one() {
    let demo = Demo::with(&["Video"]);
    let show = demo.item("Tide Pools");
    demo.has_picture(&show["backdrop"]["url"]);
    assert_eq!(person(&show, "Yuki Tanabe")["character"], "Kiko");
    let path = format!("/items/{}/seasons", show["id"]);
    let seasons = list(&demo.admin.get(&path));
    assert_eq!(seasons.len(), 2);
    for season in &seasons {
        demo.has_picture(&season["poster"]["url"]);
    }
    let path = format!("/items/{}/episodes", show["id"]);
    let episodes = page(&demo.admin.get(&path));
    assert_eq!(episodes.len(), 4);
    for episode in &episodes {
        assert!(episode["description"].is_string(), "{episode}");
        assert!(episode["air_date"].is_string(), "{episode}");
        demo.has_picture(&episode["still"]["url"]);
    }
    let path = format!("/items/{}/absent-episodes", show["id"]);
    let absent = list(&demo.admin.get(&path));
    assert_eq!(absent.len(), 1, "{absent:?}");
    assert_eq!(absent[0]["title"], "The Night Shift");
}

#[test]
fn albums_audiobooks_and_games_of_demo_are_described() {
    let demo = Demo::with(&["Audio", "Games"]);
    let album = demo.item("Rooftops");
    assert_eq!(album["details"]["studios"], json!(["Attic Light Records"]));
    assert_eq!(album["details"]["released"], "2021-09-17");
    demo.has_picture(&album["backdrop"]["url"]);
    demo.has_picture(&person(&album, "Paper Orchestra")["portrait"]);
    let audiobook = demo.item("Night Ferry");
    assert_eq!(audiobook["details"]["studios"], json!(["Lantern Audio"]));
    assert_eq!(person(&audiobook, "Oskar Lind")["role"], "narrator");
    for title in ["Lantern Drift", "Pocket Tide", "Twin Lanterns"] {
        let game = demo.item(title);
        assert!(game["description"].is_string(), "{game}");
        demo.has_picture(&game["cover"]["url"]);
    }
}
