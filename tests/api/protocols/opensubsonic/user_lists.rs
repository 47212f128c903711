//! Playlists, the saved queue and bookmarks.

use std::fs;

use ledge_tests::server::scan;
use serde_json::{Value, json};

use super::{Music, MusicApp, all, music};
use crate::http::conventions::id_of;

/// Returns the entries of a playlist as numbers of files.
fn entries(app: &MusicApp, list: &str) -> Vec<String> {
    let list = app.json(&format!("getPlaylist?id={list}"))["playlist"].clone();
    assert_eq!(
        list["songCount"],
        json!(list["entry"].as_array().map(Vec::len))
    );
    all(&list["entry"], "id")
}

fn create(app: &MusicApp, query: &str) -> String {
    let list = app.json(&format!("createPlaylist?{query}"))["playlist"].clone();
    list["id"].as_str().expect("an id").to_owned()
}

#[test]
fn playlist_is_created_changed_replaced_and_deleted() {
    let music = music();
    let app = &music.app;
    let [one, two] = [0, 1].map(|at| format!("tr-{}", music.file("Rooftops", at)));
    let three = format!("tr-{}", music.file("Alone", 0));
    let list = create(
        app,
        &format!("name=Mix&songId={one}&songId={two}&songId={one}"),
    );
    assert_eq!(entries(app, &list), [&*one, &two, &one]);
    // Removals refer to the list before the call.
    app.json(&format!(
        "updatePlaylist?playlistId={list}&songIndexToRemove=0&songIndexToRemove=1&songIdToAdd={three}\
         &comment=Calm&name=Evening&public=true"
    ));
    assert_eq!(entries(app, &list), [&*one, &three]);
    let lists = app.json("getPlaylists?username=MIA")["playlists"]["playlist"].clone();
    let shown = &lists[0];
    assert_eq!(
        (
            &shown["name"],
            &shown["comment"],
            &shown["public"],
            &shown["owner"]
        ),
        (
            &json!("Evening"),
            &json!("Calm"),
            &json!(true),
            &json!("mia")
        )
    );
    app.json(&format!("updatePlaylist?playlistId={list}&comment="));
    let list_of = |id: &str| app.json(&format!("getPlaylist?id={id}"))["playlist"].clone();
    assert!(list_of(&list)["comment"].is_null());
    create(app, &format!("playlistId={list}&songId={two}"));
    assert_eq!(entries(app, &list), [&*two]);
    assert_eq!(list_of(&list)["name"], "Evening");
    for (call, code) in [
        (
            format!("updatePlaylist?playlistId={list}&songIndexToRemove=1"),
            10,
        ),
        (
            format!("updatePlaylist?playlistId={list}&songIndexToRemove=-1"),
            10,
        ),
        ("createPlaylist".to_owned(), 10),
        ("createPlaylist?name=%20".to_owned(), 10),
        ("getPlaylist?id=tr-1".to_owned(), 70),
        ("getPlaylists?username=admin".to_owned(), 50),
    ] {
        assert_eq!(app.code(&call), code, "{call}");
    }
    app.json(&format!("deletePlaylist?id={list}"));
    assert_eq!(app.code(&format!("getPlaylist?id={list}")), 70);
}

#[test]
fn private_playlists_are_absent_and_public_ones_are_read_only() {
    let music = music();
    let app = &music.app;
    let admin = MusicApp::new(&music.server, &music.admin);
    let shown = format!("tr-{}", music.file("Rooftops", 0));
    let hidden = format!("tr-{}", music.file("Hidden Album", 0));
    let private = create(&admin, &format!("name=Private&songId={shown}"));
    let public = create(
        &admin,
        &format!("name=Public&songId={shown}&songId={hidden}"),
    );
    admin.json(&format!("updatePlaylist?playlistId={public}&public=true"));
    let names = app.json("getPlaylists")["playlists"]["playlist"].clone();
    assert_eq!(all(&names, "name"), ["Public"]);
    assert_eq!(names[0]["songCount"], 1);
    assert_eq!(entries(app, &public), [&*shown]);
    assert_eq!(entries(&admin, &public), [&*shown, &hidden]);
    for call in [
        "updatePlaylist?name=X&playlistId=".to_owned(),
        format!("createPlaylist?songId={shown}&playlistId="),
        "deletePlaylist?id=".to_owned(),
    ] {
        assert_eq!(app.code(&format!("{call}{public}")), 50, "{call}");
        let answer = |id: &str| app.call(&format!("{call}{id}")).body;
        assert_eq!(app.code(&format!("{call}{private}")), 70, "{call}");
        assert_eq!(answer(&private), answer("pl-999999"), "{call}");
    }
    assert_eq!(entries(&admin, &public), [&*shown, &hidden]);
    // A list with one foreign song is not created, and the owner of a request is ignored.
    let call = format!("createPlaylist?name=Y&songId={shown}&songId={hidden}");
    assert_eq!(app.code(&call), 70);
    let own = create(
        app,
        &format!("name=Own&songId={shown}&username=admin&owner=admin"),
    );
    let owner = app.json(&format!("getPlaylist?id={own}"))["playlist"]["owner"].clone();
    assert_eq!(owner, "mia");
    let call = format!("updatePlaylist?playlistId={own}&songIndexToRemove=0&songIdToAdd={hidden}");
    assert_eq!(app.code(&call), 70);
    assert_eq!(entries(app, &own), [&*shown]);
}

#[test]
fn entries_that_the_app_does_not_see_stay() {
    let music = music();
    let app = &music.app;
    let [one, two] = [0, 1].map(|at| music.file("Rooftops", at));
    let hidden = music.file("Hidden Album", 0);
    let id = music.mia.get("/auth/me").json()["id"].clone();
    let grant = format!("/libraries/{}/grants/{id}", music.secret);
    music.admin.send("PUT", &grant, &[], None).expect(204);
    let list = create(
        app,
        &format!("name=L&songId=tr-{one}&songId=tr-{hidden}&songId=tr-{two}"),
    );
    music.admin.delete(&grant).expect(204);
    assert_eq!(
        entries(app, &list),
        [format!("tr-{one}"), format!("tr-{two}")]
    );
    app.json(&format!(
        "updatePlaylist?playlistId={list}&songIndexToRemove=1"
    ));
    create(app, &format!("playlistId={list}&songId=tr-{two}"));
    assert_eq!(entries(app, &list), [format!("tr-{two}")]);
    music.admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(
        entries(app, &list),
        [format!("tr-{hidden}"), format!("tr-{two}")]
    );
}

#[test]
fn playlist_has_the_cover_of_its_first_song_with_one_and_counts_present_songs() {
    let music = music();
    let app = &music.app;
    let [story, one, two] = [("The Long Story", 0), ("Rooftops", 0), ("Rooftops", 1)]
        .map(|(title, at)| music.file(title, at));
    let list = create(
        app,
        &format!("name=Mix&songId=tr-{story}&songId=tr-{two}&songId=tr-{one}"),
    );
    let cover = |id: &str| app.call(&format!("getCoverArt?id={id}&size=100"));
    let album = cover(&format!("al-{}", music.item("Rooftops"))).expect(200);
    assert_eq!(cover(&list).expect(200).body, album.body);
    let shown = || app.json("getPlaylists")["playlists"]["playlist"][0].clone();
    let before = shown();
    let named = before["coverArt"].as_str().expect("an id").to_owned();
    assert_eq!(cover(&named).expect(200).body, album.body);
    assert_eq!(before["songCount"], 3);
    // Another list and an absent one have the same response.
    let other = MusicApp::new(&music.server, &music.admin);
    let hidden = other.call(&format!("getCoverArt?id={list}")).expect(404);
    let absent = other.call("getCoverArt?id=pl-999999").expect(404);
    assert_eq!(hidden.body, absent.body);
    let file = music
        .server
        .folder()
        .join("music/Orchestra/Rooftops/02.mp3");
    fs::remove_file(file).expect("a file");
    scan(&music.admin, music.library);
    let after = shown();
    assert_eq!(
        (&after["songCount"], entries(app, &list).len()),
        (&json!(2), 2)
    );
    let whole = app.json(&format!("getPlaylist?id={list}"))["playlist"].clone();
    assert_eq!(after["duration"], whole["duration"]);
    app.json(&format!(
        "updatePlaylist?playlistId={list}&songIndexToRemove=1"
    ));
    let changed = shown();
    assert_ne!(changed["coverArt"].as_str(), Some(named.as_str()));
    cover(&list).expect(404);
}

#[test]
fn queue_is_shared_with_the_web_interface() {
    let music = music();
    let app = &music.app;
    let [one, two] = [0, 1].map(|at| music.file("Rooftops", at));
    let hidden = music.file("Hidden Album", 0);
    assert!(app.json("getPlayQueue")["playQueue"].is_null());
    app.json(&format!(
        "savePlayQueue?id=tr-{one}&id=tr-{two}&current=tr-{two}&position=1500&c=Walk"
    ));
    let queue = app.json("getPlayQueue")["playQueue"].clone();
    assert_eq!(
        all(&queue["entry"], "id"),
        [format!("tr-{one}"), format!("tr-{two}")]
    );
    assert_eq!(queue["current"], json!(format!("tr-{two}")));
    assert_eq!(
        (&queue["position"], &queue["changedBy"], &queue["username"]),
        (&json!(1500), &json!("Walk"), &json!("mia"))
    );
    let web = music.mia.get("/queue").expect(200).json();
    assert_eq!(
        (&web["total"], &web["current"], &web["position"]),
        (&json!(2), &json!(1), &json!(1))
    );
    // The web interface saves whole seconds.
    let second = json!({ "position": 1 });
    music.mia.patch("/queue", &second).expect(200);
    let queue = app.json("getPlayQueue")["playQueue"].clone();
    assert_eq!(queue["position"], 1000);
    let body = json!({"files": [two, one, two], "current": 2});
    music.mia.put("/queue", &body).expect(200);
    let queue = app.json("getPlayQueueByIndex")["playQueueByIndex"].clone();
    assert_eq!(
        (&queue["currentIndex"], &queue["changedBy"]),
        (&json!(2), &json!("Ledge"))
    );
    for (call, code) in [
        (format!("savePlayQueue?id=tr-{one}&id=tr-{hidden}"), 70),
        (format!("savePlayQueue?id=tr-{one}&current=tr-{two}"), 10),
        (format!("savePlayQueue?id=tr-{one}&position=-1"), 10),
        (
            format!("savePlayQueueByIndex?id=tr-{one}&currentIndex=1"),
            10,
        ),
        (format!("savePlayQueueByIndex?id=tr-{one}"), 10),
    ] {
        assert_eq!(app.code(&call), code, "{call}");
    }
    assert_eq!(music.mia.get("/queue").json()["total"], 3);
    let other = MusicApp::new(&music.server, &music.admin);
    assert!(other.json("getPlayQueue")["playQueue"].is_null());
    app.json("savePlayQueue");
    assert_eq!(music.mia.get("/queue").json()["total"], 0);
}

/// Returns a spoken book of 100 seconds of silence.
fn spoken(title: &str) -> Vec<u8> {
    const RATE: u32 = 1000;
    let text = |id: &[u8; 4], text: &str| {
        let mut value = text.as_bytes().to_vec();
        value.push(0);
        value.resize(value.len().next_multiple_of(2), 0);
        chunk(*id, &value)
    };
    let info = [
        b"INFO".to_vec(),
        text(b"INAM", title),
        text(b"IPRD", "The Slow Book"),
        text(b"IART", "Ada Author"),
        text(b"IGNR", "Audiobook"),
    ];
    let mut format = Vec::new();
    format.extend_from_slice(&[1, 0, 1, 0]);
    format.extend_from_slice(&RATE.to_le_bytes());
    format.extend_from_slice(&RATE.to_le_bytes());
    format.extend_from_slice(&[1, 0, 8, 0]);
    let body = [
        b"WAVE".to_vec(),
        chunk(*b"fmt ", &format),
        chunk(*b"LIST", &info.concat()),
        chunk(*b"data", &vec![128; 100_000]),
    ];
    chunk(*b"RIFF", &body.concat())
}

fn chunk(id: [u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).expect("a small file");
    [&id[..], &size.to_le_bytes(), content].concat()
}

/// Adds a spoken book, and returns its item and the number of its file.
fn book(music: &Music) -> (i64, i64) {
    let folder = music.server.folder().join("music/Slow");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("slow.wav"), spoken("The Slow Book")).expect("a file");
    scan(&music.admin, music.library);
    let item = music.item("The Slow Book");
    (item, music.file("The Slow Book", 0))
}

fn bookmarks(app: &MusicApp) -> Value {
    app.json("getBookmarks")["bookmarks"]["bookmark"].clone()
}

#[test]
fn bookmarks_of_books_are_their_progress() {
    let music = music();
    let app = &music.app;
    let (item, file) = book(&music);
    let progress = || {
        let places = music.mia.get(&format!("/items/{item}/progress")).json();
        places["items"][0].clone()
    };
    app.json(&format!(
        "createBookmark?id=tr-{file}&position=42500&comment=Here"
    ));
    assert_eq!(progress()["position"], 42);
    let shown = bookmarks(app)[0].clone();
    assert_eq!(
        (&shown["position"], &shown["comment"], &shown["entry"]["id"]),
        (&json!(42_500), &json!("Here"), &json!(format!("tr-{file}")))
    );
    app.json(&format!("deleteBookmark?id=tr-{file}"));
    assert!(progress().is_null());
    let history = music
        .mia
        .get(&format!("/items/{item}/progress/history"))
        .json();
    assert_eq!(history["items"][0]["position"], 42);
    assert_eq!(bookmarks(app), json!([]));
    app.json(&format!("createBookmark?id=tr-{file}&position=96000"));
    app.json(&format!("deleteBookmark?id=tr-{file}"));
    assert_eq!(progress()["finished"], true);
    // Reports and the queue write progress as well.
    let report = format!("reportPlayback?mediaId=tr-{file}&mediaType=song");
    app.json(&format!(
        "{report}&state=playing&positionMs=10000&ignoreScrobble=true"
    ));
    assert_eq!(progress()["position"], 10);
    app.json(&format!("{report}&state=stopped&positionMs=60000"));
    assert_eq!(progress()["position"], 60);
    let played = app.json(&format!("getSong?id=tr-{file}"))["song"].clone();
    assert_eq!(played["playCount"], 1);
    app.json(&format!(
        "savePlayQueue?id=tr-{file}&current=tr-{file}&position=70000"
    ));
    assert_eq!(progress()["position"], 70);
}

#[test]
fn bookmarks_of_other_songs_are_annotations() {
    let music = music();
    let app = &music.app;
    let (item, file) = (music.item("Rooftops"), music.file("Rooftops", 0));
    for comment in ["First", "Second"] {
        app.json(&format!(
            "createBookmark?id=tr-{file}&position=0&comment={comment}"
        ));
    }
    let list = bookmarks(app);
    assert_eq!(all(&list, "comment"), ["Second"]);
    assert_eq!(list[0]["entry"]["id"], json!(format!("tr-{file}")));
    let notes = music.mia.get(&format!("/items/{item}/annotations")).json();
    assert_eq!(notes["items"][0]["note"], "Second");
    assert_eq!(notes["items"].as_array().map(Vec::len), Some(1));
    let progress = music.mia.get(&format!("/items/{item}/progress")).json();
    assert_eq!(progress["items"], json!([]));
    let other = MusicApp::new(&music.server, &music.admin);
    other.json(&format!("deleteBookmark?id=tr-{file}"));
    assert_eq!(all(&bookmarks(app), "comment"), ["Second"]);
    app.json(&format!("deleteBookmark?id=tr-{file}"));
    assert_eq!(bookmarks(app), json!([]));
    assert_eq!(app.code(&format!("createBookmark?id=tr-{file}")), 10);
    assert_eq!(
        app.code(&format!("createBookmark?id=tr-{file}&position=-1")),
        10
    );
    let text = id_of(&music.mia.get("/items?kind=books").json()["items"][0]);
    assert_eq!(
        app.code(&format!("createBookmark?position=1&id=al-{text}")),
        70
    );
}
