//! Playability in lists and on cards, compared with the result of resolving each item.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use ledge_tests::server::{all_items, scan};
use ledge_tests::{Client, Server};
use serde_json::{Value, json};

use crate::catalogue::items::CARD;
use crate::http::conventions::{has_keys, id_of, invalid, list, page, write};
use crate::playing::playback::{cinema, recording, resolve, titled};

const OFFERS: [&str; 7] = [
    "html5",
    "mpv",
    "avplayer",
    "avplayer,html5",
    "vlc,html5",
    "vlc",
    ",",
];

/// Creates the cinema with a film in two parts that need different engines, two editions of another
/// film, and a missing film and book.
fn mixed() -> (Server, Client, i64) {
    let (server, admin, library) = cinema();
    let media = server.folder().join("media");
    for (name, source) in [
        (
            "Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd1.avi",
            "mpeg4-mp3.avi",
        ),
        (
            "Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd2.mp4",
            "h264-aac.mp4",
        ),
        ("M (1931)/M (1931).mp4", "h264-aac.mp4"),
        ("M (1931)/M (1931).avi", "mpeg4-mp3.avi"),
        ("Asphalt (1929).webm", "vp9.webm"),
    ] {
        write(&media, name, recording(source));
    }
    write(&media, "Sanditon.epub", "another book");
    scan(&admin, library);
    for name in ["Asphalt (1929).webm", "Sanditon.epub"] {
        fs::remove_file(media.join(name)).expect("gone");
    }
    scan(&admin, library);
    (server, admin, library)
}

/// Returns `(plays, plays_reason)` of a card.
fn playability(card: &Value) -> (Value, Value) {
    has_keys(card, CARD);
    (card["plays"].clone(), card["plays_reason"].clone())
}

/// Returns the expected values of each item's card, by resolving the item.
fn truth(client: &Client, engines: &str) -> BTreeMap<i64, (Value, Value)> {
    let offered: Vec<&str> = engines.split(',').collect();
    let items = all_items(client, "/items");
    let of = |item: &Value| {
        let answer = resolve(client, id_of(item), &offered);
        let has_codecs = ["audio", "video"].contains(&item["kind"].as_str().expect("a kind"));
        let verdict = (answer["playable"].clone(), answer["reason"].clone());
        if !has_codecs {
            assert_eq!(verdict.0, false, "{item}");
        }
        let nothing = (Value::Null, Value::Null);
        (id_of(item), if has_codecs { verdict } else { nothing })
    };
    items.iter().map(of).collect()
}

/// Asserts that every list and card agrees with resolving each item.
fn assert_agrees(client: &Client) {
    for engines in OFFERS {
        let truth = truth(client, engines);
        for (id, verdict) in &truth {
            let card = client.get(&format!("/items/{id}?engines={engines}")).json();
            assert_eq!(
                (&card["plays"], &card["plays_reason"]),
                (&verdict.0, &verdict.1)
            );
        }
        let playable: BTreeSet<i64> = truth
            .iter()
            .filter(|(_, (plays, _))| *plays == true)
            .map(|(id, _)| *id)
            .collect();
        for sort in [
            "title",
            "added",
            "year",
            "author",
            "series",
            "random",
            "rating",
            "last_played",
            "duration",
            "pages",
            "size",
            "released",
        ] {
            let path = format!("/items?engines={engines}&sort={sort}");
            let cards = all_items(client, &path);
            let ids: BTreeSet<i64> = cards.iter().map(id_of).collect();
            assert_eq!((&ids, cards.len()), (&playable, playable.len()), "{path}");
            assert_eq!(client.get(&path).json()["total"], playable.len(), "{path}");
            for card in &cards {
                assert_eq!(playability(card), (json!(true), Value::Null));
            }
        }
        let letters = list(&client.get(&format!("/items/letters?engines={engines}")));
        assert_eq!(letters.is_empty(), playable.is_empty(), "{letters:?}");
    }
}

/// Returns all cards in a response.
fn cards_in(answer: &Value) -> Vec<Value> {
    match answer {
        Value::Object(fields) if fields.contains_key("plays") => vec![answer.clone()],
        Value::Object(fields) => fields.values().flat_map(cards_in).collect(),
        Value::Array(values) => values.iter().flat_map(cards_in).collect(),
        _ => Vec::new(),
    }
}

fn file_of(client: &Client, item: i64, place: usize) -> i64 {
    let detail = client.get(&format!("/items/{item}")).expect(200).json();
    id_of(&detail["files"][place])
}

fn go_on_with(client: &Client, item: i64, place: usize) {
    let body = json!({"file_id": file_of(client, item, place), "position": 1});
    client
        .put(&format!("/items/{item}/progress"), &body)
        .expect(200);
}

#[test]
fn lists_and_cards_agree_with_resolving() {
    let (server, admin, library) = mixed();
    assert_agrees(&admin);
    // The file to continue with counts, per user.
    let (mia, client) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{mia}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let mabuse = titled(&client, "Dr. Mabuse");
    let plays = |client: &Client| {
        let path = format!("/items/{mabuse}?engines=html5");
        client.get(&path).json()["plays"].clone()
    };
    assert_eq!(plays(&client), false);
    go_on_with(&client, mabuse, 1);
    go_on_with(&client, titled(&client, "M"), 1);
    assert_eq!((plays(&client), plays(&admin)), (json!(true), json!(false)));
    assert_agrees(&client);
    assert_agrees(&admin);
}

#[test]
fn later_scan_updates_playability() {
    let (server, admin, library) = mixed();
    let media = |name: &str| -> PathBuf { server.folder().join("media").join(name) };
    go_on_with(&admin, titled(&admin, "Dr. Mabuse"), 1);
    // Changes: other content under the same name, a removed first part, a move, and a restored
    // file.
    write(
        &media(""),
        "Metropolis (1927).mp4",
        recording("mpeg4-mp3.avi"),
    );
    fs::remove_file(media("M (1931)/M (1931).mp4")).expect("gone");
    fs::rename(media("Nosferatu (1922).avi"), media("Nosferatu (1921).avi")).expect("moved");
    write(&media(""), "Asphalt (1929).webm", recording("vp9.webm"));
    write(&media(""), "Void (1999).mkv", recording("attached.mkv"));
    scan(&admin, library);
    let reason = |title: &str| {
        let items = all_items(&admin, "/items?missing=false");
        let item = items.iter().find(|item| item["title"] == title);
        let path = format!("/items/{}?engines=html5", id_of(item.expect(title)));
        admin.get(&path).json()["plays_reason"].clone()
    };
    assert_eq!(reason("Metropolis"), "vcodec:mpeg4");
    assert_eq!(reason("M"), "vcodec:mpeg4");
    assert_eq!(reason("Nosferatu"), "vcodec:mpeg4");
    assert_eq!(reason("Asphalt"), Value::Null);
    assert_eq!(reason("Void"), Value::Null);
    assert_agrees(&admin);
    // The file to continue with is removed, so the first remaining file counts.
    fs::remove_file(media("Dr. Mabuse (1922)/Dr. Mabuse (1922) - cd2.mp4")).expect("gone");
    scan(&admin, library);
    assert_eq!(reason("Dr. Mabuse"), "vcodec:mpeg4");
    assert_agrees(&admin);
}

#[test]
fn cards_of_all_routes_have_playability_on_request() {
    let (_server, admin, _) = mixed();
    go_on_with(&admin, titled(&admin, "Metropolis"), 0);
    go_on_with(&admin, titled(&admin, "Emma"), 0);
    admin
        .send(
            "POST",
            &format!("/items/{}/view", titled(&admin, "Nosferatu")),
            &[],
            None,
        )
        .expect(200);
    for path in ["/home?", "/search?q=19&", "/search?q=e&", "/history?"] {
        let silent = admin.get(path).expect(200).json();
        let cards = cards_in(&silent);
        assert!(!cards.is_empty(), "{path}");
        for card in &cards {
            assert_eq!(playability(card), (Value::Null, Value::Null), "{path}");
        }
        for engines in OFFERS {
            let truth = truth(&admin, engines);
            let answer = admin
                .get(&format!("{path}engines={engines}"))
                .expect(200)
                .json();
            let cards = cards_in(&answer);
            assert!(!cards.is_empty(), "{path}");
            for card in &cards {
                assert_eq!(
                    playability(card),
                    truth[&id_of(card)],
                    "{path} {engines} {card}"
                );
            }
        }
        invalid(
            &admin.get(&format!("{path}engines={}", "x".repeat(65))),
            "engines",
        );
    }
}

#[test]
fn unknown_engines_are_ignored() {
    let (_server, admin, _) = mixed();
    let listed = |query: &str| page(&admin.get(&format!("/items?{query}")));
    assert_eq!(listed("engines=vlc,html5"), listed("engines=html5"));
    assert_eq!(listed("engines=%20html5%20"), listed("engines=html5"));
    assert_eq!(listed("engines=vlc"), [] as [Value; 0]);
    assert_eq!(listed("engines=HTML5"), [] as [Value; 0]);
    let playability = |title: &str, engines: &str| {
        let path = format!("/items/{}?engines={engines}", titled(&admin, title));
        let card = admin.get(&path).json();
        (card["plays"].clone(), card["plays_reason"].clone())
    };
    let none = (json!(false), json!("engines:none"));
    assert_eq!(playability("Metropolis", "vlc"), none);
    assert_eq!(
        playability("Asphalt", "vlc"),
        (json!(false), json!("missing"))
    );
    assert_eq!(playability("Emma", "vlc"), (Value::Null, Value::Null));
    // An empty list counts as absent, as for the other parameters.
    assert_eq!(listed("engines="), listed(""));
    assert_eq!(playability("Metropolis", ""), (Value::Null, Value::Null));
    invalid(
        &admin.get(&format!("/items?engines={}", "a,".repeat(32))),
        "engines",
    );
    invalid(
        &admin.get(&format!("/items/letters?engines={}", "x".repeat(65))),
        "engines",
    );
}
