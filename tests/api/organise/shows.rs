//! Seasons and episodes of shows, and the marking of their files.

use std::fs;

use ledge_core::db::open;
use ledge_tests::server::scan;
use ledge_tests::{Answer, Client, Server};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, invalid, library_of, list, page, refused};
use crate::playing::subtitles;

const EPISODE: &str = "file_id season episode last_episode title air_date description still duration \
    missing progress";

/// A show with two seasons, specials and a file without a number, and a film.
const VIDEO: &[(&str, &str)] = &[
    ("Show/Season 01/Show S01E01 Pilot.mkv", "1"),
    ("Show/Season 01/Show S01E02 Second 1080p.mkv", "2"),
    ("Show/Season 01/Show S01E02 Second 720p.mkv", "3"),
    ("Show/Season 02/Show S02E01 Return.mkv", "4"),
    ("Show/Season 02/Show S02E02.mkv", "5"),
    ("Show/Season 02/Making Of.mkv", "6"),
    ("Show/Specials/Show S00E01 Holiday.mkv", "7"),
    ("Metropolis (1927)/Metropolis (1927).mkv", "8"),
];

struct Cinema {
    server: Server,
    admin: Client,
    library: i64,
    show: i64,
    film: i64,
}

impl Cinema {
    fn new() -> Self {
        let (server, admin, library) = library_of(VIDEO);
        let items = page(&admin.get("/items"));
        let titled = |title: &str| {
            let found = items.iter().find(|item| item["title"] == title);
            id_of(found.expect(title))
        };
        Self {
            show: titled("Show"),
            film: titled("Metropolis"),
            server,
            admin,
            library,
        }
    }

    /// Returns the id of the file whose name contains this text.
    #[track_caller]
    fn file(&self, part: &str) -> i64 {
        let detail = self.admin.get(&format!("/items/{}", self.show));
        let detail = detail.expect(200).json();
        let files = detail["files"].as_array().expect("files");
        let named = |file: &&Value| file["name"].as_str().expect("a name").contains(part);
        id_of(files.iter().find(named).expect(part))
    }

    fn mark(&self, body: &Value) -> Answer {
        self.admin.post(&format!("/items/{}/mark", self.show), body)
    }

    /// Marks files and returns the number of changed ones.
    #[track_caller]
    fn changed(&self, body: &Value) -> u64 {
        let marked = self.mark(body).expect(200).json();
        has_keys(&marked, "changed");
        marked["changed"].as_u64().expect("a number")
    }

    fn seasons(&self) -> Vec<Value> {
        list(&self.admin.get(&format!("/items/{}/seasons", self.show)))
    }

    fn episodes(&self, query: &str) -> Vec<Value> {
        page(
            &self
                .admin
                .get(&format!("/items/{}/episodes{query}", self.show)),
        )
    }

    /// Returns the numbers of finished episodes by season.
    fn finished(&self) -> Vec<u64> {
        let seasons = self.seasons().into_iter();
        let finished = seasons.map(|season| season["finished"].as_u64().expect("a number"));
        finished.collect()
    }
}

/// Returns season and number of each episode.
fn numbers(episodes: &[Value]) -> Vec<(i64, Option<i64>)> {
    let number = |episode: &Value| {
        has_keys(episode, EPISODE);
        (
            episode["season"].as_i64().expect("a number"),
            episode["episode"].as_i64(),
        )
    };
    episodes.iter().map(number).collect()
}

#[test]
fn seasons_are_listed_in_order_with_specials_last() {
    let cinema = Cinema::new();
    let season = |season: i64, episodes: u64| {
        json!({
            "season": season, "poster": null, "episodes": episodes, "finished": 0,
            "duration": null,
        })
    };
    // The versions of an episode count once, and the file without a number counts.
    assert_eq!(cinema.seasons(), [season(1, 2), season(2, 3), season(0, 1)]);
    let film = format!("/items/{}/seasons", cinema.film);
    refused(&cinema.admin.get(&film), 404, "not_found");
}

#[test]
fn episode_has_the_date_of_its_sidecar_file() {
    let cinema = Cinema::new();
    let folder = cinema.server.folder().join("media/Show");
    for (name, aired) in [
        ("Season 01/Show S01E01 Pilot", "<aired>2001-02-03</aired>"),
        // One version of the episode has the date.
        (
            "Season 01/Show S01E02 Second 720p",
            "<aired> 2001-02-10 20:15 </aired>",
        ),
        ("Season 02/Show S02E01 Return", "<aired>2001-02-30</aired>"),
        ("Season 02/Show S02E02", "<aired>soon</aired>"),
        (
            "Specials/Show S00E01 Holiday",
            "<premiered>2001-12-24</premiered>",
        ),
    ] {
        let nfo = format!("<episodedetails>{aired}</episodedetails>");
        fs::write(folder.join(format!("{name}.nfo")), nfo).expect("a file");
    }
    scan(&cinema.admin, cinema.library);
    let episodes = cinema.episodes("");
    let dates = episodes.iter().map(|episode| episode["air_date"].as_str());
    let expected = [
        Some("2001-02-03"),
        Some("2001-02-10"),
        None,
        None,
        None,
        None,
    ];
    assert_eq!(dates.collect::<Vec<_>>(), expected);
    // A removed file removes the date.
    fs::remove_file(folder.join("Season 01/Show S01E01 Pilot.nfo")).expect("gone");
    scan(&cinema.admin, cinema.library);
    assert_eq!(cinema.episodes("?season=1")[0]["air_date"], Value::Null);
}

#[test]
fn episodes_are_listed_once_in_order_with_titles() {
    let cinema = Cinema::new();
    let all = [
        (1, Some(1)),
        (1, Some(2)),
        (2, Some(1)),
        (2, Some(2)),
        (2, None),
        (0, Some(1)),
    ];
    let episodes = cinema.episodes("");
    assert_eq!(numbers(&episodes), all);
    let titles: Vec<&Value> = episodes.iter().map(|episode| &episode["title"]).collect();
    assert_eq!(titles[..3], ["Pilot", "Second", "Return"]);
    assert_eq!((titles[3], titles[5]), (&Value::Null, &json!("Holiday")));
    for episode in &episodes {
        for name in ["air_date", "still", "duration", "progress"] {
            assert_eq!(episode[name], Value::Null, "{name}");
        }
        assert_eq!(episode["missing"], false);
    }
    assert_eq!(numbers(&cinema.episodes("?season=2")), all[2..5]);
    assert_eq!(numbers(&cinema.episodes("?season=0")), all[5..]);
    assert_eq!(cinema.episodes("?season=9"), [] as [Value; 0]);
    let path = format!("/items/{}/episodes?season=2&offset=1&limit=1", cinema.show);
    let window = cinema.admin.get(&path).expect(200).json();
    assert_eq!(
        (&window["total"], &window["offset"], &window["limit"]),
        (&json!(3), &json!(1), &json!(1))
    );
    assert_eq!(
        numbers(window["items"].as_array().expect("items")),
        all[3..4]
    );
    invalid(
        &cinema
            .admin
            .get(&format!("/items/{}/episodes?limit=0", cinema.show)),
        "limit",
    );
    let film = format!("/items/{}/episodes", cinema.film);
    refused(&cinema.admin.get(&film), 404, "not_found");
}

#[test]
fn lengths_are_whole_seconds_of_each_episode_once() {
    let cinema = Cinema::new();
    let database = open::writable(&cinema.server.database()).expect("the database");
    let lengths = [
        ("S01E01 Pilot", 90),
        ("1080p", 60),
        ("720p", 61),
        ("S02E02", 30),
    ];
    for (part, extent) in lengths {
        let file = cinema.file(part);
        let sql = format!("UPDATE file SET extent = {extent} WHERE id = {file}");
        database.execute_batch(&sql).expect("a length");
    }
    let durations = |values: &[Value]| -> Vec<Option<i64>> {
        values
            .iter()
            .map(|value| value["duration"].as_i64())
            .collect()
    };
    let episodes = durations(&cinema.episodes(""));
    assert_eq!(episodes, [Some(90), Some(61), None, Some(30), None, None]);
    assert_eq!(durations(&cinema.seasons()), [Some(151), Some(30), None]);
}

#[test]
fn read_length_of_an_episode_is_its_extent() {
    let (server, admin, library) = library_of(&[("Show/Season 01/Show S01E01.mkv", "1")]);
    let file = server.folder().join("media/Show/Season 01/Show S01E01.mkv");
    fs::write(file, subtitles::film()).expect("a film");
    scan(&admin, library);
    let show = id_of(&page(&admin.get("/items"))[0]);
    let detail = admin.get(&format!("/items/{show}")).expect(200).json();
    let extent = &detail["files"][0]["extent"];
    assert!(extent.is_i64(), "{detail}");
    let episodes = page(&admin.get(&format!("/items/{show}/episodes")));
    assert_eq!(&episodes[0]["duration"], extent);
}

#[test]
fn version_represents_episode_by_presence_and_progress() {
    let cinema = Cinema::new();
    let second = || cinema.episodes("?season=1")[1].clone();
    let (small, large) = (cinema.file("720p"), cinema.file("1080p"));
    assert_eq!(second()["file_id"], small, "the first by name");
    let body = json!({"file_id": large, "position": 5});
    let progress = format!("/items/{}/progress", cinema.show);
    cinema.admin.put(&progress, &body).expect(200);
    assert_eq!(second()["file_id"], large, "the started one");
    assert_eq!(second()["progress"]["position"], 5);
    assert_eq!(
        cinema.changed(&json!({"finished": true, "files": [small]})),
        1
    );
    assert_eq!(second()["file_id"], small, "the finished one");
    assert_eq!(cinema.finished(), [1, 0, 0]);
    let name = VIDEO[2].0;
    fs::remove_file(cinema.server.folder().join("media").join(name)).expect("gone");
    scan(&cinema.admin, cinema.library);
    let episode = second();
    assert_eq!(
        (&episode["file_id"], &episode["missing"]),
        (&json!(large), &json!(false))
    );
    // The episode stays finished, by its missing version.
    assert_eq!(episode["progress"]["file_id"], small);
    assert_eq!(cinema.finished(), [1, 0, 0]);
    fs::remove_file(cinema.server.folder().join("media").join(VIDEO[1].0)).expect("gone");
    scan(&cinema.admin, cinema.library);
    assert_eq!(second()["missing"], true);
    assert_eq!(cinema.seasons()[0]["episodes"], 2);
}

#[test]
fn marking_selects_all_some_season_or_up_to_a_file() {
    let cinema = Cinema::new();
    let pilot = cinema.file("Pilot");
    assert_eq!(
        cinema.changed(&json!({"finished": true, "files": [pilot, pilot]})),
        1
    );
    assert_eq!(cinema.finished(), [1, 0, 0]);
    assert_eq!(
        cinema.changed(&json!({"finished": true, "season": 1})),
        2,
        "both versions"
    );
    assert_eq!(cinema.finished(), [2, 0, 0]);
    assert_eq!(cinema.changed(&json!({"finished": true, "season": 0})), 1);
    assert_eq!(cinema.finished(), [2, 0, 1]);
    assert_eq!(
        cinema.changed(&json!({"finished": true})),
        3,
        "the other files"
    );
    assert_eq!(cinema.finished(), [2, 3, 1]);
    assert_eq!(cinema.changed(&json!({"finished": false, "season": 1})), 3);
    assert_eq!(cinema.finished(), [0, 3, 1]);
    assert_eq!(cinema.changed(&json!({"finished": false})), 4);
    assert_eq!(cinema.finished(), [0, 0, 0]);
    assert_eq!(cinema.changed(&json!({"finished": false})), 0);
}

#[test]
fn marking_up_to_a_file_includes_specials_only_for_a_special() {
    let cinema = Cinema::new();
    let until = |part: &str| json!({"finished": true, "until": cinema.file(part)});
    assert_eq!(cinema.changed(&until("Return")), 4);
    assert_eq!(cinema.finished(), [2, 1, 0]);
    assert_eq!(cinema.changed(&until("Holiday")), 3);
    assert_eq!(cinema.finished(), [2, 3, 1]);
    let back = json!({"finished": false, "until": cinema.file("Pilot")});
    assert_eq!(cinema.changed(&back), 1);
    assert_eq!(cinema.finished(), [1, 3, 1]);
}

#[test]
fn marked_files_have_progress_like_any_other_write() {
    let cinema = Cinema::new();
    let progress = format!("/items/{}/progress", cinema.show);
    let pilot = cinema.file("Pilot");
    let body = json!({"file_id": pilot, "position": 7, "finished": true, "locator": "here"});
    cinema.admin.put(&progress, &body).expect(200);
    let before = list(&cinema.admin.get(&progress));
    cinema.changed(&json!({"finished": true, "season": 1}));
    let places = list(&cinema.admin.get(&progress));
    assert_eq!(places.len(), 3);
    let kept = places.iter().find(|place| place["file_id"] == pilot);
    assert_eq!(kept, before.first(), "finished files are not written again");
    // The item continues after the marked files.
    let home = cinema.admin.get("/home").expect(200).json();
    assert_eq!(home["continue"][0]["file_id"], cinema.file("Return"));
    cinema.changed(&json!({"finished": true}));
    let detail = cinema
        .admin
        .get(&format!("/items/{}", cinema.show))
        .expect(200)
        .json();
    assert_eq!(detail["progress"]["item_finished"], true);
    // The overwritten positions are in the history.
    cinema.changed(&json!({"finished": false}));
    assert_eq!(list(&cinema.admin.get(&progress)), [] as [Value; 0]);
    let history = list(&cinema.admin.get(&format!("{progress}/history")));
    assert_eq!(history.len(), VIDEO.len() - 1);
    let has_locator = |place: &Value| place["locator"] == "here";
    assert!(history.iter().any(has_locator), "{history:?}");
}

#[test]
fn invalid_marks_name_the_field_and_write_nothing() {
    let cinema = Cinema::new();
    let pilot = cinema.file("Pilot");
    let film = cinema.admin.get(&format!("/items/{}", cinema.film));
    let other = id_of(&film.expect(200).json()["files"][0]);
    for (body, field) in [
        (json!({}), "finished"),
        (json!({"finished": null}), "finished"),
        (json!({"finished": 1}), "finished"),
        (json!({"finished": true, "files": []}), "files"),
        (
            json!({"finished": true, "files": [pilot, 987_654_321]}),
            "files",
        ),
        (json!({"finished": true, "files": [pilot, other]}), "files"),
        (
            json!({"finished": true, "files": vec![pilot; 1001]}),
            "files",
        ),
        (json!({"finished": true, "season": 9}), "season"),
        (json!({"finished": true, "season": "1"}), "season"),
        (json!({"finished": true, "until": other}), "until"),
        (json!({"finished": true, "until": 987_654_321}), "until"),
        (
            json!({"finished": true, "files": [pilot], "season": 1}),
            "season",
        ),
        (
            json!({"finished": true, "season": 1, "until": pilot}),
            "until",
        ),
        (json!({"finished": true, "episodes": [1]}), "episodes"),
    ] {
        invalid(&cinema.mark(&body), field);
    }
    assert_eq!(cinema.finished(), [0, 0, 0]);
    assert_eq!(
        cinema.changed(&json!({"finished": true, "files": [pilot], "season": null})),
        1
    );
}

#[test]
fn marks_of_items_without_seasons_apply_to_their_files() {
    let cinema = Cinema::new();
    let path = format!("/items/{}/mark", cinema.film);
    let mark = |body: &Value| cinema.admin.post(&path, body).expect(200).json();
    assert_eq!(mark(&json!({"finished": true})), json!({"changed": 1}));
    assert_eq!(mark(&json!({"finished": true})), json!({"changed": 0}));
    assert_eq!(mark(&json!({"finished": false})), json!({"changed": 1}));
    invalid(
        &cinema
            .admin
            .post(&path, &json!({"finished": true, "season": 1})),
        "season",
    );
}

#[test]
fn progress_and_items_of_others_are_invisible() {
    let cinema = Cinema::new();
    let (id, mia) = cinema.server.user(&cinema.admin, "mia");
    let of = |name: &str| format!("/items/{}/{name}", cinema.show);
    let requests = || {
        [
            mia.get(&of("seasons")),
            mia.get(&of("episodes")),
            mia.post(&of("mark"), &json!({"finished": true})),
        ]
    };
    for answer in requests() {
        refused(&answer, 404, "not_found");
    }
    let grant = format!("/libraries/{}/grants/{id}", cinema.library);
    cinema.admin.send("PUT", &grant, &[], None).expect(204);
    cinema.changed(&json!({"finished": true}));
    let seasons = list(&mia.get(&of("seasons")));
    assert!(
        seasons.iter().all(|season| season["finished"] == 0),
        "{seasons:?}"
    );
    let episodes = page(&mia.get(&of("episodes")));
    let is_unstarted = |episode: &Value| episode["progress"].is_null();
    assert!(episodes.iter().all(is_unstarted), "{episodes:?}");
    let marked = mia.post(&of("mark"), &json!({"finished": true, "season": 2}));
    assert_eq!(marked.expect(200).json(), json!({"changed": 3}));
    assert_eq!(cinema.finished(), [2, 3, 1]);
    cinema.admin.delete(&grant).expect(204);
    for answer in requests() {
        refused(&answer, 404, "not_found");
    }
}
