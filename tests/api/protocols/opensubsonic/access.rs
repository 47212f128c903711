//! Grants: what a user may not see is absent.

use super::{MusicApp, music};

/// Methods of one object.
const METHODS: [&str; 14] = [
    "getMusicDirectory",
    "getArtist",
    "getAlbum",
    "getSong",
    "getArtistInfo",
    "getArtistInfo2",
    "getAlbumInfo",
    "getAlbumInfo2",
    "getSimilarSongs",
    "getSimilarSongs2",
    "getLyricsBySongId",
    "stream",
    "download",
    "getCoverArt",
];

#[test]
fn invisible_objects_are_absent_byte_for_byte() {
    let music = music();
    let (item, file) = (music.item("Hidden Album"), music.file("Hidden Album", 0));
    let person = music.person("nora");
    // A book is in a visible library, and not a recording.
    let (text, page) = (
        music.item("The Quiet Harbour"),
        music.file("The Quiet Harbour", 0),
    );
    let mut pairs: Vec<(String, String)> = Vec::new();
    for id in [
        format!("al-{item}"),
        format!("tr-{file}"),
        format!("ar-{person}"),
        format!("al-{text}"),
        format!("tr-{page}"),
    ] {
        let (prefix, _) = id.split_once('-').expect("an id");
        for method in METHODS {
            let absent = format!("{method}?id={prefix}-999999");
            pairs.push((format!("{method}?id={id}"), absent));
        }
        let top = |id: &str| format!("getTopSongs?artistId={id}");
        pairs.push((top(&id), top(&format!("{prefix}-999999"))));
    }
    pairs.push((
        format!("getMusicDirectory?id={}", music.secret),
        "getMusicDirectory?id=999999".to_owned(),
    ));
    for method in [
        "getAlbumList2?type=newest",
        "getAlbumList?type=alphabeticalByName",
        "getRandomSongs?size=500",
        "getIndexes?ifModifiedSince=1",
        "getStarred2?x=1",
        "search3?query=",
        "search3?query=hidden",
        "getSongsByGenre?genre=Rock",
    ] {
        let folder = |id: i64| format!("{method}&musicFolderId={id}");
        pairs.push((folder(music.secret), folder(999_999)));
    }
    // The cover exists, so that its absence is a matter of access.
    let admin = MusicApp::new(&music.server, &music.admin);
    for id in [format!("al-{item}"), format!("tr-{file}")] {
        admin.call(&format!("getCoverArt?id={id}")).expect(200);
    }
    for (hidden, absent) in pairs {
        let (hidden_answer, absent_answer) = (music.app.call(&hidden), music.app.call(&absent));
        assert_eq!(hidden_answer.status, absent_answer.status, "{hidden}");
        if !hidden.starts_with("getIndexes") {
            assert_eq!(hidden_answer.body, absent_answer.body, "{hidden}");
        }
    }
}

#[test]
fn lists_and_counts_contain_nothing_of_other_libraries() {
    let music = music();
    let admin = MusicApp::new(&music.server, &music.admin);
    for method in [
        "getMusicFolders",
        "getIndexes",
        "getArtists",
        "getAlbumList2?type=newest&size=500",
        "getAlbumList2?type=random&size=500",
        "getAlbumList2?type=alphabeticalByArtist&size=500",
        "getAlbumList2?type=byYear&fromYear=2021&toYear=2021",
        "getAlbumList2?type=byGenre&genre=rock",
        "getSongsByGenre?genre=Rock",
        "getRandomSongs?size=500",
        "search2?query=hidden",
        "search3?query=hidden",
        "search3?query=nora",
        "search3?query=",
    ] {
        let (own, all) = (music.app.call(method), admin.call(method));
        for word in ["Hidden", "Nora", "Secret"] {
            let has = |body: &[u8]| String::from_utf8_lossy(body).contains(word);
            assert!(!has(&own.body), "{method} {word}");
        }
        let all = String::from_utf8_lossy(&all.body).into_owned();
        let is_shown = ["Hidden", "Nora", "Secret"]
            .iter()
            .any(|word| all.contains(word));
        assert!(is_shown, "{method}: {all}");
    }
    let rock = |app: &MusicApp| {
        let genres = app.json("getGenres")["genres"]["genre"].clone();
        let rock = genres
            .as_array()
            .expect("genres")
            .iter()
            .find(|genre| genre["value"] == "Rock");
        rock.map(|genre| (genre["songCount"].clone(), genre["albumCount"].clone()))
    };
    assert_eq!(rock(&music.app), Some((3.into(), 2.into())));
    assert_eq!(rock(&admin), Some((4.into(), 3.into())));
}

/// Lists of the user's own data, each with the path of its elements.
const OWN: [(&str, &str); 7] = [
    ("getStarred2", "/starred2/album"),
    ("getStarred2", "/starred2/artist"),
    ("getStarred2", "/starred2/song"),
    ("getBookmarks", "/bookmarks/bookmark"),
    ("getPlayQueue", "/playQueue/entry"),
    ("getNowPlaying", "/nowPlaying/entry"),
    ("getAlbumList2?type=frequent", "/albumList2/album"),
];

/// Returns the methods of the user's own lists and the lengths of the lists.
fn lengths(app: &MusicApp) -> [(&'static str, Option<usize>); 7] {
    OWN.map(|(method, path)| {
        let response = app.json(method);
        let list = response.pointer(path).and_then(serde_json::Value::as_array);
        (method, list.map(Vec::len))
    })
}

#[test]
fn ended_grant_takes_effect_at_once() {
    let music = music();
    let song = music.file("Rooftops", 0);
    music.app.call(&format!("stream?id=tr-{song}")).expect(200);
    // The cursor of a walk remembers ids, and gives no access.
    music.app.json("search3?query=&songCount=1");
    let (album, artist) = (music.item("Rooftops"), music.person("paper"));
    let marks = format!("id=tr-{song}&albumId=al-{album}&artistId=ar-{artist}");
    for method in [
        format!("star?{marks}"),
        format!("createBookmark?id=tr-{song}&position=0"),
        format!("savePlayQueue?id=tr-{song}"),
        format!("scrobble?id=tr-{song}"),
        format!("scrobble?id=tr-{song}&submission=false"),
        format!("createPlaylist?name=Mix&songId=tr-{song}"),
    ] {
        music.app.json(&method);
    }
    assert_eq!(
        lengths(&music.app),
        OWN.map(|(method, _)| (method, Some(1)))
    );
    let users = music.admin.get("/users").expect(200).json();
    let users = users["items"].as_array().expect("users").clone();
    let mia = users
        .iter()
        .find(|user| user["username"] == "mia")
        .expect("mia");
    let path = format!("/libraries/{}/grants/{}", music.library, mia["id"]);
    music.admin.delete(&path).expect(204);
    music.app.call(&format!("stream?id=tr-{song}")).expect(404);
    let rest = music.app.json("search3?query=&songCount=10&songOffset=1");
    assert_eq!(rest["searchResult3"]["song"], serde_json::json!([]));
    assert_eq!(
        music.app.json("getArtists")["artists"]["index"],
        serde_json::json!([])
    );
    assert_eq!(
        lengths(&music.app),
        OWN.map(|(method, _)| (method, Some(0)))
    );
    let queue = music.app.json("getPlayQueue")["playQueue"].clone();
    assert!(queue.get("current").is_none(), "{queue}");
    let list = music.app.json("getPlaylists")["playlists"]["playlist"][0].clone();
    assert_eq!(
        (&list["name"], &list["songCount"]),
        (&serde_json::json!("Mix"), &serde_json::json!(0))
    );
    assert_eq!(music.app.code(&format!("unstar?{marks}")), 70);
}

#[test]
fn other_users_are_not_visible() {
    let music = music();
    let user = music.app.json("getUser?username=MIA")["user"].clone();
    assert_eq!(user["username"], "mia");
    assert_eq!(user["adminRole"], false);
    assert_eq!(user["streamRole"], true);
    assert_eq!(user["folder"], serde_json::json!([music.library]));
    assert_eq!(music.app.code("getUser?username=admin"), 50);
    assert_eq!(music.app.code("getUser?username=nobody"), 50);
    let users = music.app.json("getUsers")["users"]["user"].clone();
    assert_eq!(super::all(&users, "username"), ["mia"]);
    assert_eq!(music.app.json("tokenInfo")["tokenInfo"]["username"], "mia");
    let admin = MusicApp::new(&music.server, &music.admin);
    assert_eq!(
        admin.json("getUsers")["users"]["user"][0]["adminRole"],
        false
    );
}

#[test]
fn every_route_needs_an_app_password() {
    let music = music();
    let anonymous = music.server.client().anonymous();
    for route in ledge_protocol_opensubsonic::PROTOCOL.routes {
        let path = route.path.replace("{method}", "anything");
        if path.contains("getOpenSubsonicExtensions") {
            continue;
        }
        for verb in ["GET", "POST"] {
            let answer = anonymous.send(verb, &format!("/{path}?f=json"), &[], None);
            let code = answer.json()["subsonic-response"]["error"]["code"].clone();
            assert_eq!(code, 10, "{verb} {path}");
        }
        anonymous
            .send("DELETE", &format!("/{path}"), &[], None)
            .expect(405);
    }
}
