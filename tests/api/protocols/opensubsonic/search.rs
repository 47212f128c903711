//! Search, and the walk along the whole library.

use serde_json::{Value, json};

use super::{MusicApp, all, music};

fn search(app: &MusicApp, query: &str) -> Value {
    app.json(&format!("search3?{query}"))["searchResult3"].clone()
}

#[test]
fn words_find_songs_albums_and_artists() {
    let music = music();
    let found = search(&music.app, "query=chim");
    assert_eq!(all(&found["song"], "title").len(), 1, "{found}");
    let found = search(&music.app, "query=guest%20singer");
    assert_eq!(all(&found["song"], "artist"), ["Guest Singer"]);
    let found = search(&music.app, "query=Zoe");
    assert_eq!(all(&found["artist"], "name"), ["Zoë Solo"]);
    assert_eq!(all(&found["album"], "name"), ["Alone"]);
    let found = search(&music.app, "query=rooftops&songCount=0&artistCount=0");
    assert_eq!(all(&found["album"], "name"), ["Rooftops"]);
    assert_eq!((&found["song"], &found["artist"]), (&json!([]), &json!([])));
    for query in [
        "query=%22%29%20OR%20x",
        "query=%2A",
        "query=NEAR%28a%20b%29",
        "query=%00",
    ] {
        search(&music.app, query);
    }
    let old = music.app.json("search2?query=rooftops")["searchResult2"].clone();
    assert_eq!(
        (&old["album"][0]["title"], &old["album"][0]["isDir"]),
        (&json!("Rooftops"), &json!(true))
    );
}

#[test]
fn search_for_nothing_walks_the_whole_library_once() {
    let music = music();
    // The administrator sees two libraries.
    let admin = MusicApp::new(&music.server, &music.admin);
    for (app, songs, albums) in [(&music.app, 5, 3), (&admin, 6, 4)] {
        for query in ["query=", "query=%22%22", "x=1"] {
            walk(app, query, ("song", songs));
            walk(app, query, ("album", albums));
            walk(app, query, ("artist", albums));
        }
    }
}

/// Compares the pages of a walk with the whole list, with a cursor and without one.
fn walk(app: &MusicApp, query: &str, (member, expected): (&str, usize)) {
    let whole = search(app, &format!("{query}&{member}Count=500"));
    let ids = all(&whole[member], "id");
    assert_eq!(ids.len(), expected, "{member}");
    for has_cursor in [true, false] {
        let mut walked = Vec::new();
        for offset in [0, 2, 4, 6] {
            // The cursor belongs to the name of the app.
            let name = if has_cursor { 0 } else { offset + 1 };
            let page = format!("{query}&{member}Count=2&{member}Offset={offset}&c={name}");
            walked.extend(all(&search(app, &page)[member], "id"));
        }
        assert_eq!(walked, ids, "{query} {member} {has_cursor}");
    }
}

#[test]
fn new_songs_are_found_and_edited_tags_replace_old_ones() {
    let music = music();
    let path = music
        .server
        .folder()
        .join("music/Orchestra/Rooftops/01.mp3");
    let tags = ledge_fixtures::AudioTags {
        track: Some((1, 2)),
        album_artist: "The Paper Orchestra".to_owned(),
        ..super::tags("Rooftops", "Someone Else", "Drainpipe")
    };
    std::fs::write(path, ledge_fixtures::mp3(&tags)).expect("a file");
    ledge_tests::server::scan(&music.admin, music.library);
    let songs = |query: &str| all(&search(&music.app, query)["song"], "title");
    assert_eq!(songs("query=drainpipe"), ["Drainpipe"]);
    assert_eq!(songs("query=someone"), ["Drainpipe"]);
    assert!(songs("query=gutter").is_empty());
}

#[test]
fn purged_and_deleted_songs_leave_the_index() {
    let music = music();
    let rooftops = music.server.folder().join("music/Orchestra");
    std::fs::remove_dir_all(&rooftops).expect("removed");
    ledge_tests::server::scan(&music.admin, music.library);
    let purge = format!("/libraries/{}/purge", music.library);
    let purged = music.admin.send("POST", &purge, &[], None).expect(200);
    assert_eq!(purged.json()["deleted"], 1);
    let query = "SELECT count(*), (SELECT count(*) FROM part_word) FROM part";
    let rows = || {
        let database = rusqlite::Connection::open_with_flags(
            music.server.database(),
            rusqlite::OpenFlags::default(),
        )
        .expect("a database");
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        database.query_row(query, [], row).expect("counts")
    };
    assert_eq!(rows(), (4, 4));
    let library = format!("/libraries/{}", music.library);
    music.admin.delete(&library).expect(204);
    ledge_tests::server::until("the deletion", || (rows() == (1, 1)).then_some(()));
}
