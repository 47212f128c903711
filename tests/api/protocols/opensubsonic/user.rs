//! Stars, ratings, plays and players.

use serde_json::{Value, json};

use super::{Music, MusicApp, all, music};

fn starred(app: &MusicApp) -> Value {
    app.json("getStarred2")["starred2"].clone()
}

fn song(app: &MusicApp, id: i64) -> Value {
    app.json(&format!("getSong?id=tr-{id}"))["song"].clone()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the server has its own clock, and accepts no future time"
)]
fn millis_ago(seconds: u64) -> u128 {
    let now = std::time::SystemTime::now();
    let since = now.duration_since(std::time::UNIX_EPOCH).expect("a clock");
    since.as_millis() - u128::from(seconds) * 1000
}

#[test]
fn stars_are_of_songs_albums_and_artists() {
    let music = music();
    let app = &music.app;
    let (album, second) = (music.item("Rooftops"), music.file("Rooftops", 1));
    let (alone, single) = (music.item("Alone"), music.file("Alone", 0));
    let artist = music.person("paper");
    app.json(&format!(
        "star?id=tr-{second}&id=tr-{single}&albumId=al-{album}&artistId=ar-{artist}"
    ));
    let list = starred(app);
    assert_eq!(all(&list["artist"], "name"), ["The Paper Orchestra"]);
    let mut albums = all(&list["album"], "name");
    albums.sort_unstable();
    assert_eq!(albums, ["Alone", "Rooftops"]);
    let mut songs = all(&list["song"], "id");
    songs.sort_unstable();
    let mut expected = [format!("tr-{second}"), format!("tr-{single}")];
    expected.sort_unstable();
    assert_eq!(songs, expected);
    assert!(song(app, second)["starred"].is_string());
    assert!(song(app, music.file("Rooftops", 0))["starred"].is_null());
    // The star of a single is the favourite of the item.
    let favourite =
        |item: i64| music.mia.get(&format!("/items/{item}")).json()["favourite"].clone();
    assert_eq!(
        (favourite(alone), favourite(album)),
        (json!(true), json!(true))
    );
    let files = music.mia.get("/favourites/files").expect(200).json();
    assert_eq!(
        (&files["total"], &files["items"][0]["file_id"]),
        (&json!(1), &json!(second))
    );
    let people = music.mia.get("/favourites/people").expect(200).json();
    assert_eq!(people["items"][0]["name"], "The Paper Orchestra");
    app.json(&format!(
        "unstar?id=tr-{second}&id=tr-{single}&id=al-{album}&id=ar-{artist}"
    ));
    let list = starred(app);
    for kind in ["artist", "album", "song"] {
        assert_eq!(list[kind], json!([]), "{kind}");
    }
    assert_eq!(favourite(alone), json!(false));
}

#[test]
fn bulk_call_with_one_foreign_id_changes_nothing() {
    let music = music();
    let app = &music.app;
    let (album, file) = (music.item("Rooftops"), music.file("Rooftops", 0));
    let hidden = (music.item("Hidden Album"), music.file("Hidden Album", 0));
    let nobody = music.person("nora");
    let text = music.file("The Quiet Harbour", 0);
    for foreign in [
        format!("id=tr-{}", hidden.1),
        format!("albumId=al-{}", hidden.0),
        format!("artistId=ar-{nobody}"),
        format!("id=tr-{text}"),
        format!("albumId=tr-{file}"),
        "id=tr-999999".to_owned(),
        "id=pl-1".to_owned(),
        "id=x".to_owned(),
    ] {
        for method in ["star", "unstar"] {
            let call = format!("{method}?id=tr-{file}&albumId=al-{album}&{foreign}");
            assert_eq!(app.code(&call), 70, "{call}");
        }
    }
    assert_eq!(starred(app)["album"], json!([]));
    assert_eq!(starred(app)["song"], json!([]));
    assert_eq!(app.code("star"), 10);
    let scrobble = format!("scrobble?id=tr-{file}&id=tr-{}", hidden.1);
    assert_eq!(app.code(&scrobble), 70);
    assert!(song(app, file)["playCount"].is_null());
    for method in [
        "star?id=",
        "setRating?rating=3&id=",
        "scrobble?id=",
        "createBookmark?position=1&id=",
    ] {
        let answer = |id: i64| app.call(&format!("{method}tr-{id}")).body;
        assert_eq!(answer(hidden.1), answer(999_999), "{method}");
    }
}

#[test]
fn ratings_are_stars_from_one_to_five() {
    let music = music();
    let app = &music.app;
    let (album, first) = (music.item("Rooftops"), music.file("Rooftops", 0));
    app.json(&format!("setRating?id=al-{album}&rating=4"));
    app.json(&format!("setRating?id=tr-{first}&rating=5"));
    let item = music.mia.get(&format!("/items/{album}")).json();
    assert_eq!(item["rating"], 8);
    assert_eq!(item["files"][0]["rating"], 10);
    assert_eq!(song(app, first)["userRating"], 5);
    let read = app.json(&format!("getAlbum?id=al-{album}"))["album"].clone();
    assert_eq!(read["userRating"], 4);
    app.json(&format!("setRating?id=tr-{first}&rating=0"));
    assert!(song(app, first)["userRating"].is_null());
    for rating in ["6", "-1", "x", ""] {
        let call = format!("setRating?id=tr-{first}&rating={rating}");
        assert_eq!(app.code(&call), 10, "{rating}");
    }
}

fn views(music: &Music, item: i64) -> Value {
    music.mia.get(&format!("/items/{item}")).json()["views"].clone()
}

#[test]
fn scrobble_counts_one_play_per_second_and_one_view_per_minute() {
    let music = music();
    let app = &music.app;
    let album = music.item("Rooftops");
    let [first, second] = [0, 1].map(|at| music.file("Rooftops", at));
    let time = millis_ago(3600);
    app.json(&format!("scrobble?id=tr-{first}&time={time}"));
    app.json(&format!("scrobble?id=tr-{first}&time={time}"));
    let played = song(app, first);
    assert_eq!(played["playCount"], 1);
    assert!(played["played"].is_string());
    assert_eq!(views(&music, album), 1);
    let (near, far) = (time + 30_000, time + 120_000);
    app.json(&format!(
        "scrobble?id=tr-{second}&id=tr-{first}&time={near}&time={far}"
    ));
    assert_eq!(song(app, first)["playCount"], 2);
    assert_eq!(song(app, second)["playCount"], 1);
    assert_eq!(views(&music, album), 2);
    let file = music.mia.get(&format!("/items/{album}")).json()["files"][0].clone();
    assert_eq!(file["plays"], 2);
    for time in [millis_ago(0) + 600_000, millis_ago(400 * 24 * 3600)] {
        assert_eq!(app.code(&format!("scrobble?id=tr-{first}&time={time}")), 10);
    }
    assert_eq!(app.code(&format!("scrobble?id=tr-{first}&time=x")), 10);
    assert_eq!(song(app, first)["playCount"], 2);
    // Plays are not progress.
    let progress = music.mia.get(&format!("/items/{album}/progress")).json();
    assert_eq!(progress["items"], json!([]));
}

#[test]
fn now_playing_contains_own_players_only() {
    let music = music();
    let app = &music.app;
    let file = music.file("Rooftops", 0);
    app.json(&format!("scrobble?id=tr-{file}&submission=false&c=Kitchen"));
    let report = format!("reportPlayback?mediaId=tr-{file}&mediaType=song&c=Car&playbackRate=1.5");
    app.json(&format!("{report}&positionMs=100&state=playing"));
    let entries = app.json("getNowPlaying")["nowPlaying"]["entry"].clone();
    assert_eq!(all(&entries, "playerName"), ["Car", "Kitchen"]);
    assert_eq!(entries[0]["id"], json!(format!("tr-{file}")));
    assert_eq!(entries[0]["username"], "mia");
    assert_eq!(entries[0]["playbackRate"], 1.5);
    let own = music.mia.get("/now-playing").expect(200).json();
    assert_eq!(all(&own["items"], "device"), ["Car", "Kitchen"]);
    let admin = MusicApp::new(&music.server, &music.admin);
    assert_eq!(
        admin.json("getNowPlaying")["nowPlaying"]["entry"],
        json!([])
    );
    app.json(&format!("{report}&positionMs=100&state=stopped"));
    let entries = app.json("getNowPlaying")["nowPlaying"]["entry"].clone();
    assert_eq!(all(&entries, "playerName"), ["Kitchen"]);
    assert!(song(app, file)["playCount"].is_null());
    for wrong in [
        "positionMs=1&state=odd",
        "positionMs=-1&state=playing",
        "state=playing",
    ] {
        assert_eq!(app.code(&format!("{report}&{wrong}")), 10, "{wrong}");
    }
}
