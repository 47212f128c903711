//! Metadata files of Kodi, Jellyfin and `EmulationStation` next to media, without network.

use std::path::Path;

use ledge_fixtures::{gb_rom, mp4, png};
use ledge_tests::Client;
use serde_json::{Value, json};

use super::{enriched, media, put, server};

const NFO: &str = "<movie><title>Colour and Bars</title><plot>All of them.</plot>\
    <premiered>1978-05-01</premiered><genre>Drama</genre><director>Ann Lee</director>\
    <credits>Bo Kim</credits><actor><name>Cy Day</name><role>Herself</role></actor>\
    <uniqueid type=\"imdb\">tt0000001</uniqueid></movie>";

fn is_match(item: &Value, matches: &[Value], file: &str) {
    assert_eq!(
        item["provider_ids"],
        json!({ "local_files": file }),
        "{matches:?}"
    );
    let attempt = &matches[0];
    assert_eq!(
        (&attempt["provider"], &attempt["outcome"]),
        (&json!("local_files"), &json!("ok"))
    );
    assert_eq!(matches.len(), 1, "no other provider is asked: {matches:?}");
}

#[test]
fn film_is_described_by_its_nfo() {
    let server = server(&[]);
    let (_folder, media) = media();
    put(&media, "Film/Film.mp4", mp4("Film"));
    put(&media, "Film/Film.nfo", NFO);
    put(&media, "Film/fanart.jpg", png(300, 200, 5));
    let (item, matches) = enriched(&server.admin(), &media);
    is_match(&item, &matches, "Film.nfo");
    assert_eq!(item["title"], "Colour and Bars");
    assert_eq!(
        (&item["year"], &item["description"]),
        (&json!(1978), &json!("All of them."))
    );
    // Everything that the scan read is still there.
    assert_eq!(item["facts"]["imdb"], "tt0000001");
    assert_eq!(item["facts"]["genres"], json!(["Drama"]));
    for name in ["Ann Lee", "Bo Kim", "Cy Day"] {
        assert!(item["people"].to_string().contains(name), "{name}: {item}");
    }
}

/// Returns the list of a request about the item.
fn list_of(admin: &Client, item: &Value, name: &str) -> Vec<Value> {
    let path = format!("/items/{}/{name}", item["id"]);
    let list = admin.get(&path).expect(200).json();
    list["items"].as_array().expect("items").clone()
}

/// Writes a show with a file of three episodes, another one, and descriptions of five episodes.
fn put_show(media: &Path) {
    put(
        media,
        "Bars/tvshow.nfo",
        "<tvshow><title>Bars</title><plot>P.</plot></tvshow>",
    );
    for (name, video) in [("S01E01-E03", "a"), ("S01E05", "b")] {
        put(media, &format!("Bars/Season 1/Bars {name}.mkv"), video);
    }
    for (number, title) in [
        (1, "One"),
        (2, "Two"),
        (3, "Three"),
        (4, "Four"),
        (5, "Five"),
    ] {
        let nfo = format!(
            "<episodedetails><title>{title}</title><season>1</season>\
             <episode>{number}</episode><plot>About {number}.</plot>\
             <aired>2001-01-0{number}</aired></episodedetails>"
        );
        put(media, &format!("Bars/Season 1/Bars S01E0{number}.nfo"), nfo);
    }
}

#[test]
fn file_of_several_episodes_has_the_texts_of_each() {
    let server = server(&[]);
    let admin = server.admin();
    let (_folder, media) = media();
    put_show(&media);
    let (item, _) = enriched(&admin, &media);
    let episodes = list_of(&admin, &item, "episodes");
    let first = &episodes[0];
    assert_eq!(
        (
            &first["episode"],
            &first["last_episode"],
            &first["title"],
            &first["air_date"]
        ),
        (
            &json!(1),
            &json!(3),
            &json!("One / Two / Three"),
            &json!("2001-01-01")
        )
    );
    assert_eq!(first["description"], "About 1.\n\nAbout 2.\n\nAbout 3.");
    assert_eq!(episodes[1]["last_episode"], Value::Null, "{episodes:?}");
    assert_eq!(item["files"][0]["last_episode"], 3);
    let absent = list_of(&admin, &item, "absent-episodes");
    let absent: Vec<&Value> = absent.iter().map(|one| &one["title"]).collect();
    assert_eq!(absent, [&json!("Four")]);

    // A season counts each episode of the file.
    let season = || list_of(&admin, &item, "seasons")[0].clone();
    assert_eq!(season()["episodes"], 4);
    let finished = json!({ "finished": true, "files": [first["file_id"]] });
    let path = format!("/items/{}/mark", item["id"]);
    admin.post(&path, &finished).expect(200);
    assert_eq!(season()["finished"], 3);
}

#[test]
fn game_is_described_by_the_list_of_its_folder() {
    let server = server(&[]);
    let (_folder, media) = media();
    put(&media, "gb/hacks/Quiet Harbour (USA).gb", gb_rom("HARBOUR"));
    put(&media, "gb/media/box.png", png(200, 300, 7));
    let list = "<gameList><game><path>./hacks/Quiet Harbour (USA).gb</path>\
        <name>Quiet Harbour</name><desc>Boats.</desc><image>./media/box.png</image>\
        <releasedate>19900102T000000</releasedate><developer>Dev</developer></game></gameList>";
    put(&media, "gb/gamelist.xml", list);
    let (item, matches) = enriched(&server.admin(), &media);
    is_match(&item, &matches, "gamelist.xml");
    assert_eq!(
        item["title"], "Quiet Harbour (USA)",
        "games keep their titles"
    );
    assert_eq!(
        (&item["year"], &item["description"]),
        (&json!(1990), &json!("Boats."))
    );
    assert_eq!(item["cover"]["width"], 200, "{item}");
}
