//! The envelope, formats and spellings of paths.

use roxmltree::Document;
use serde_json::json;

use super::music;

#[test]
fn envelope_states_version_and_server() {
    let music = music();
    let json = music.app.json("ping");
    assert_eq!(json["version"], "1.16.1");
    assert_eq!(json["type"], "ledge");
    assert_eq!(json["openSubsonic"], true);
    assert!(json["serverVersion"].is_string());
    let xml = music.app.call("ping.view").expect(200);
    assert_eq!(xml.header("content-type"), "text/xml; charset=utf-8");
    let text = String::from_utf8(xml.body).expect("UTF-8");
    let document = Document::parse(&text).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(
        root.tag_name().namespace(),
        Some("http://subsonic.org/restapi")
    );
    assert_eq!(root.attribute("openSubsonic"), Some("true"));
}

#[test]
fn elements_for_old_apps_have_the_members_of_their_protocol() {
    let music = music();
    let album = format!("al-{}", music.item("Rooftops"));
    let artist = format!("ar-{}", music.person("Paper"));
    for id in [&album, &artist] {
        music.app.json(&format!("setRating?id={id}&rating=4"));
        music.app.json(&format!("star?id={id}"));
    }
    let members = |method: &str, pointer: &str, members: [&str; 3]| {
        let found = |app: &str| {
            let joint = if method.contains('?') { '&' } else { '?' };
            let response = music.app.json(&format!("{method}{joint}c={app}"));
            let element = response.pointer(pointer).expect(method).clone();
            members.map(|member| element.get(member).is_some())
        };
        (found("Walk"), found("DSub"))
    };
    let of_album = ["songCount", "userRating", "name"];
    let of_artist = ["albumCount", "userRating", "name"];
    let all = [true; 3];
    assert_eq!(
        members(
            "getAlbumList2?type=highest",
            "/albumList2/album/0",
            of_album
        ),
        (all, [true, false, true])
    );
    assert_eq!(
        members("getAlbumList?type=highest", "/albumList/album/0", of_album),
        (all, [false, true, false])
    );
    assert_eq!(
        members("getStarred2", "/starred2/artist/0", of_artist),
        (all, [true, false, true])
    );
    assert_eq!(
        members("getStarred", "/starred/artist/0", of_artist),
        (all, [false, true, true])
    );
    assert_eq!(
        members("getIndexes", "/indexes/index/0/artist/0", of_artist),
        ([true, false, true], [false, false, true])
    );
    let lists = ["lastModified", "ignoredArticles", "index"];
    assert_eq!(
        members("getArtists", "/artists", lists),
        (all, [false, true, true])
    );
}

#[test]
fn unreadable_parameters_are_error_10() {
    let music = music();
    for method in [
        "getAlbum",
        "getAlbumList2",
        "getAlbumList2?type=unknown",
        "getAlbumList2?type=newest&size=x",
        "getAlbumList2?type=newest&size=-1",
        "getAlbumList2?type=newest&offset=-1",
        "getAlbumList2?type=newest&offset=9223372036854775808",
        "getAlbumList2?type=byYear",
        "getAlbumList2?type=byGenre",
        "getSongsByGenre",
        "getUser",
        "search3?query=a&songCount=x",
    ] {
        assert_eq!(music.app.code(method), 10, "{method}");
    }
    let wrong = music.app.call("ping?f=yaml").expect(200);
    assert!(String::from_utf8_lossy(&wrong.body).contains("code=\"10\""));
    for callback in ["", "a%28%29", "alert%281%29%2F%2F", &"a".repeat(65)] {
        let answer = music.app.call(&format!("ping?f=jsonp&callback={callback}"));
        let json = answer.expect(200).json();
        assert_eq!(json["subsonic-response"]["error"]["code"], 10, "{callback}");
    }
}

#[test]
fn method_with_an_unreadable_format_changes_nothing() {
    let music = music();
    let song = music.file("Rooftops", 0);
    for format in ["f=yaml", "f=jsonp&callback=a%28%29"] {
        let answer = music.app.call(&format!(
            "createPlaylist?name=Mix&songId=tr-{song}&{format}"
        ));
        let text = String::from_utf8_lossy(&answer.expect(200).body).into_owned();
        assert!(text.contains("failed"), "{text}");
        music.app.call(&format!("star?id=tr-{song}&{format}"));
    }
    let lists = music.app.json("getPlaylists")["playlists"]["playlist"].clone();
    assert_eq!(lists, json!([]));
    let starred = music.app.json("getStarred2")["starred2"]["song"].clone();
    assert_eq!(starred, json!([]));
}

#[test]
fn unknown_methods_are_404_with_error_0() {
    let music = music();
    for method in [
        "getNothing",
        "PING",
        "ping.",
        "ping.view.view",
        "ping.VIEW",
        "ping;x",
        "%70ing",
        "ping%2e",
    ] {
        let answer = music.app.call(&format!("{method}?f=json")).expect(404);
        let json = answer.json();
        assert_eq!(json["subsonic-response"]["error"]["code"], 0, "{method}");
    }
}

#[test]
fn other_spellings_of_paths_do_not_pass_the_login() {
    let music = music();
    let anonymous = music.server.client().anonymous();
    for path in [
        "//rest//ping",
        "//rest/./ping",
        "//rest/%2e/ping",
        "//rest/x/../ping",
        "//REST/ping",
        "//rest/ping/",
        "//rest/getArtists.",
        "//rest/getOpenSubsonicExtensions%2f..%2fgetArtists",
        "//rest/getOpenSubsonicExtensions/../getArtists",
        "//rest/getOpenSubsonicExtensions;x",
        "//rest/getopensubsonicextensions",
    ] {
        let answer = anonymous.get(path);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let is_refused = text.contains("code=\"10\"") || answer.status == 404;
        assert!(is_refused && !text.contains("Orchestra"), "{path}: {text}");
        assert!(!text.contains("<html"), "{path}");
    }
}

#[test]
fn head_behaves_like_get() {
    let music = music();
    let song = music.file("Rooftops", 0);
    for method in ["ping", "getArtists", &format!("stream?id=tr-{song}")] {
        let get = music.app.call(method);
        let head = music.app.send("HEAD", method, &[]).expect(get.status);
        assert!(head.body.is_empty());
        for header in ["content-type", "etag", "accept-ranges"] {
            assert_eq!(head.header(header), get.header(header), "{method} {header}");
        }
    }
}

#[test]
fn hostile_texts_stay_texts_in_all_formats() {
    let music = music();
    let album = music.item("Rooftops");
    let title = "Chimney ]]> <x> & \"q\"";
    let json = music.app.json(&format!("getAlbum?id=al-{album}"));
    assert_eq!(json["album"]["song"][1]["title"], title);
    let xml = music
        .app
        .call(&format!("getAlbum?id=al-{album}"))
        .expect(200);
    let text = String::from_utf8(xml.body).expect("UTF-8");
    let document = Document::parse(&text).expect("well-formed XML");
    let songs = document
        .descendants()
        .filter(|node| node.tag_name().name() == "song");
    let titles: Vec<_> = songs.map(|song| song.attribute("title")).collect();
    assert_eq!(titles, [Some("Gutter"), Some(title)]);
    let jsonp = music
        .app
        .call(&format!("getAlbum?id=al-{album}&f=jsonp&callback=a.b"));
    let text = String::from_utf8(jsonp.expect(200).body).expect("UTF-8");
    assert!(text.starts_with("a.b({") && text.ends_with("});"), "{text}");
    // Values of requests come back in no header and no message.
    let value = "%0d%0aX-Evil:%201%3Cscript%3E";
    for method in ["getAlbum?id=", "getUser?username=", "getAlbumList?type="] {
        let answer = music.app.call(&format!("{method}{value}"));
        assert_eq!(answer.header("x-evil"), "", "{method}");
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("script"),
            "{method}"
        );
    }
    let long = "a".repeat(100_000);
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let form = format!("query={long}&f=json&apiKey={}", music.app.secret);
    let client = music.server.client().anonymous();
    let answer = client.send("POST", "//rest/search3", &headers, Some(form.as_bytes()));
    assert_eq!(
        answer.expect(200).json()["subsonic-response"]["status"],
        "ok"
    );
}

#[test]
fn old_apps_receive_no_additions() {
    let music = music();
    let song = music.file("Rooftops", 0);
    let with = |app: &str| music.app.json(&format!("getSong?id=tr-{song}&c={app}"))["song"].clone();
    assert_eq!(with("Symfonium")["mediaType"], "song");
    for app in ["DSub", "SubMusic"] {
        let song = with(app);
        assert!(
            song.get("mediaType").is_none() && song.get("genres").is_none(),
            "{song}"
        );
        assert_eq!(song["title"], "Gutter");
    }
}

#[test]
fn empty_lists_and_refused_methods_have_their_answers() {
    let music = music();
    for (method, name, element) in [
        (
            "getInternetRadioStations",
            "internetRadioStations",
            "internetRadioStation",
        ),
        ("getPodcasts", "podcasts", "channel"),
        ("getNewestPodcasts", "newestPodcasts", "episode"),
        ("getShares", "shares", "share"),
        ("getVideos", "videos", "video"),
        ("getChatMessages", "chatMessages", "chatMessage"),
    ] {
        assert_eq!(music.app.json(method)[name][element], json!([]), "{method}");
    }
    for method in [
        "startScan",
        "createUser?username=x&password=y",
        "updateUser?username=admin",
        "deleteUser?username=admin",
        "changePassword?username=mia&password=x",
        "createShare",
        "jukeboxControl?action=get",
        "addChatMessage?message=x",
        "hls",
    ] {
        assert_eq!(music.app.code(method), 50, "{method}");
    }
    assert_eq!(music.app.json("getLicense")["license"]["valid"], true);
}

#[test]
fn players_on_other_sites_may_read_responses() {
    let music = music();
    let anonymous = music.server.client().anonymous();
    let origin = ("Origin", "https://player.example");
    let preflight = [origin, ("Access-Control-Request-Method", "POST")];
    let allowed = anonymous.send("OPTIONS", "//rest/ping", &preflight, None);
    assert_eq!(
        allowed.expect(200).header("access-control-allow-origin"),
        "*"
    );
    let answer = music.app.send("GET", "ping?f=json", &[origin]).expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
}
