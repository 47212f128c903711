//! Artists, albums, songs, genres and directories.

use serde_json::{Value, json};

use super::{all, music};

fn artist<'a>(artists: &'a Value, letter: &str) -> &'a Value {
    let index = artists["index"].as_array().expect("letters");
    let letter = index.iter().find(|index| index["name"] == letter);
    &letter.expect("a letter")["artist"][0]
}

#[test]
fn artists_are_the_authors_by_letter() {
    let music = music();
    let artists = music.app.json("getArtists")["artists"].clone();
    assert!(
        artists["ignoredArticles"]
            .as_str()
            .is_some_and(|text| text.contains("The"))
    );
    assert_eq!(all(&artists["index"], "name"), ["A", "P", "Z"]);
    let orchestra = artist(&artists, "P");
    assert_eq!(orchestra["name"], "The Paper Orchestra");
    assert_eq!(orchestra["albumCount"], 1);
    let id = orchestra["id"].as_str().expect("an id");
    let one = music.app.json(&format!("getArtist?id={id}"))["artist"].clone();
    assert_eq!(all(&one["album"], "name"), ["Rooftops"]);
    assert_eq!(one["roles"], json!(["albumartist"]));
    // A guest opens by id, and is in no list.
    let guest = music.person("guest");
    let guest = music.app.json(&format!("getArtist?id=ar-{guest}"))["artist"].clone();
    assert_eq!(
        (&guest["name"], &guest["roles"]),
        (&json!("Guest Singer"), &json!(["artist"]))
    );
    assert_eq!(all(&guest["album"], "name"), ["Rooftops"]);
}

#[test]
fn unmodified_indexes_are_empty() {
    let music = music();
    let indexes = music.app.json("getIndexes")["indexes"].clone();
    assert_eq!(all(&indexes["index"], "name"), ["A", "P", "Z"]);
    let time = indexes["lastModified"].as_i64().expect("a time");
    let same = music
        .app
        .json(&format!("getIndexes?ifModifiedSince={time}"))["indexes"]
        .clone();
    assert_eq!(
        (&same["index"], &same["lastModified"]),
        (&json!([]), &json!(time))
    );
    let older = format!("getIndexes?ifModifiedSince={}", time - 1);
    assert_eq!(music.app.json(&older)["indexes"]["index"], indexes["index"]);
    let album = music.item("Rooftops");
    let edit = json!({"authors": ["Another Orchestra"]});
    music
        .admin
        .patch(&format!("/items/{album}"), &edit)
        .expect(200);
    let changed = music
        .app
        .json(&format!("getIndexes?ifModifiedSince={time}"))["indexes"]
        .clone();
    assert_eq!(all(&changed["index"], "name"), ["A", "Z"]);
}

#[test]
fn songs_have_all_facts_that_apps_expect() {
    let music = music();
    let album = music.item("Rooftops");
    let found = music.app.json(&format!("getAlbum?id=al-{album}"))["album"].clone();
    assert_eq!(found["songCount"], 2);
    assert_eq!(found["releaseTypes"], json!(["Album"]));
    assert_eq!(found["genres"], json!([{"name": "Rock"}]));
    let created = found["created"].as_str().expect("a time");
    assert!(created.len() == 24 && created.ends_with('Z'), "{created}");
    let [first, second] = [0, 1].map(|at| found["song"][at].clone());
    for member in [
        "id",
        "parent",
        "title",
        "album",
        "albumId",
        "artist",
        "artistId",
        "genre",
        "suffix",
        "contentType",
        "path",
        "created",
        "type",
        "mediaType",
        "coverArt",
    ] {
        assert!(
            first[member].as_str().is_some_and(|text| !text.is_empty()),
            "{member}: {first}"
        );
    }
    for member in ["track", "discNumber", "year", "size", "duration", "bitRate"] {
        assert!(
            first[member].as_i64().is_some_and(|number| number > 0),
            "{member}: {first}"
        );
    }
    assert_eq!(
        (&first["isDir"], &first["isVideo"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&first["type"], &first["suffix"]),
        (&json!("music"), &json!("mp3"))
    );
    assert_eq!((&first["track"], &second["track"]), (&json!(1), &json!(2)));
    assert_eq!(second["artist"], "Guest Singer");
    assert_eq!(second["albumArtists"][0]["name"], "The Paper Orchestra");
    assert!(
        first["coverArt"]
            .as_str()
            .is_some_and(|id| id.starts_with(&format!("al-{album}-")))
    );
    let id = second["id"].as_str().expect("an id");
    assert_eq!(music.app.json(&format!("getSong?id={id}"))["song"], second);
}

#[test]
fn audiobooks_and_singles_are_albums() {
    let music = music();
    let story = music.item("The Long Story");
    let book = music.app.json(&format!("getAlbum?id=al-{story}"))["album"].clone();
    assert_eq!(
        (&book["genre"], &book["artist"]),
        (&json!("Audiobook"), &json!("Ada Author"))
    );
    assert_eq!(book["releaseTypes"], json!(["Audiobook"]));
    assert_eq!(all(&book["song"], "title"), ["Chapter One", "Chapter Two"]);
    assert_eq!(book["song"][0]["type"], "audiobook");
    let alone = music.item("Alone");
    let single = music.app.json(&format!("getAlbum?id=al-{alone}"))["album"].clone();
    assert_eq!(
        (&single["releaseTypes"], &single["songCount"]),
        (&json!(["Single"]), &json!(1))
    );
    assert_eq!(all(&single["song"], "title"), ["Alone"]);
    // The song is the item, so that an edit of one changes both.
    music
        .admin
        .patch(&format!("/items/{alone}"), &json!({"title": "Together"}))
        .expect(200);
    let single = music.app.json(&format!("getAlbum?id=al-{alone}"))["album"].clone();
    assert_eq!(
        (&single["name"], &single["song"][0]["title"]),
        (&json!("Together"), &json!("Together"))
    );
}

#[test]
fn ids_have_one_spelling() {
    let music = music();
    let album = music.item("Rooftops");
    for id in [
        format!("{album}"),
        format!("al-{album}x"),
        format!("al-0{album}"),
        format!("AL-{album}"),
        format!("tr-{album}0000"),
        "al-9223372036854775808".to_owned(),
        "al-".to_owned(),
        "pl-1".to_owned(),
    ] {
        assert_eq!(music.app.code(&format!("getAlbum?id={id}")), 70, "{id}");
    }
}

#[test]
fn directories_are_libraries_artists_and_albums() {
    let music = music();
    let folders = music.app.json("getMusicFolders")["musicFolders"]["musicFolder"].clone();
    assert_eq!(folders, json!([{"id": music.library, "name": "Music"}]));
    let library = music
        .app
        .json(&format!("getMusicDirectory?id={}", music.library));
    let artists = library["directory"]["child"].clone();
    assert_eq!(
        all(&artists, "title"),
        ["Ada Author", "The Paper Orchestra", "Zoë Solo"]
    );
    let artist = artists[1]["id"].as_str().expect("an id");
    let albums =
        music.app.json(&format!("getMusicDirectory?id={artist}"))["directory"]["child"].clone();
    assert_eq!(
        (&albums[0]["title"], &albums[0]["isDir"]),
        (&json!("Rooftops"), &json!(true))
    );
    let album = albums[0]["id"].as_str().expect("an id");
    let songs = music.app.json(&format!("getMusicDirectory?id={album}"))["directory"].clone();
    assert_eq!(songs["parent"], artist);
    assert_eq!(all(&songs["child"], "title").len(), 2);
}

#[test]
fn missing_files_are_absent_until_they_return() {
    let music = music();
    let path = music
        .server
        .folder()
        .join("music/Orchestra/Rooftops/01.mp3");
    let (song, album) = (music.file("Rooftops", 0), music.item("Rooftops"));
    let bytes = std::fs::read(&path).expect("a file");
    let titles = || {
        let all_songs =
            music.app.json("search3?query=&songCount=500")["searchResult3"]["song"].clone();
        let found = music.app.json("search3?query=gutter")["searchResult3"]["song"].clone();
        (all(&all_songs, "title").len(), all(&found, "title").len())
    };
    assert_eq!(titles(), (5, 1));
    std::fs::remove_file(&path).expect("removed");
    ledge_tests::server::scan(&music.admin, music.library);
    assert_eq!(titles(), (4, 0));
    assert_eq!(music.app.code(&format!("getSong?id=tr-{song}")), 70);
    let count = || music.app.json(&format!("getAlbum?id=al-{album}"))["album"]["songCount"].clone();
    assert_eq!(count(), 1);
    std::fs::write(&path, bytes).expect("a file");
    ledge_tests::server::scan(&music.admin, music.library);
    assert_eq!((titles(), count()), ((5, 1), json!(2)));
}

#[test]
fn infos_are_present_even_if_empty() {
    let music = music();
    let (album, artist) = (music.item("Rooftops"), music.person("paper"));
    for (method, name) in [
        ("getArtistInfo", "artistInfo"),
        ("getArtistInfo2", "artistInfo2"),
    ] {
        let info = music.app.json(&format!("{method}?id=ar-{artist}"))[name].clone();
        assert_eq!(info, json!({"similarArtist": []}), "{method}");
    }
    assert_eq!(
        music.app.json(&format!("getAlbumInfo2?id=al-{album}"))["albumInfo"],
        json!({})
    );
    let edit = json!({"description": "Notes & <more>"});
    music
        .admin
        .patch(&format!("/items/{album}"), &edit)
        .expect(200);
    let info = music.app.json(&format!("getAlbumInfo?id=al-{album}"))["albumInfo"].clone();
    assert_eq!(info["notes"], "Notes & <more>");
    let similar =
        music.app.json(&format!("getSimilarSongs2?id=al-{album}"))["similarSongs2"].clone();
    assert_eq!(all(&similar["song"], "title").len(), 3, "{similar}");
    let top = music.app.json("getTopSongs?artist=the%20PAPER%20orchestra")["topSongs"].clone();
    assert_eq!(all(&top["song"], "title").len(), 2, "{top}");
    let by_id = music.app.json(&format!("getTopSongs?artistId=ar-{artist}"))["topSongs"].clone();
    assert_eq!(by_id, top);
    assert_eq!(
        music.app.json("getTopSongs?artist=nora%20nobody")["topSongs"],
        json!({"song": []})
    );
}
