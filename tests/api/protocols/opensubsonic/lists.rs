//! Lists of albums and songs.

use serde_json::json;

use super::{Music, all, music};

fn albums(music: &Music, query: &str) -> Vec<String> {
    let list = music.app.json(&format!("getAlbumList2?type={query}"));
    all(&list["albumList2"]["album"], "name")
}

#[test]
fn albums_are_listed_in_ten_orders() {
    let music = music();
    let by_name = ["Alone", "The Long Story", "Rooftops"];
    assert_eq!(albums(&music, "alphabeticalByName"), by_name);
    assert_eq!(
        albums(&music, "alphabeticalByName&size=1&offset=1"),
        ["The Long Story"]
    );
    assert_eq!(
        albums(&music, "alphabeticalByArtist"),
        ["The Long Story", "Rooftops", "Alone"]
    );
    assert_eq!(
        albums(&music, "byYear&fromYear=1990&toYear=2030"),
        ["Alone", "Rooftops"]
    );
    assert_eq!(
        albums(&music, "byYear&fromYear=2030&toYear=1990"),
        ["Rooftops", "Alone"]
    );
    assert_eq!(
        albums(&music, "byYear&fromYear=2021&toYear=2021"),
        ["Rooftops"]
    );
    assert_eq!(albums(&music, "byGenre&genre=ROCK"), ["Alone", "Rooftops"]);
    assert!(albums(&music, "byGenre&genre=Polka").is_empty());
    let mut random = albums(&music, "random");
    random.sort_unstable();
    assert_eq!(random, ["Alone", "Rooftops", "The Long Story"]);
}

#[test]
fn lists_of_own_data_ignore_other_users() {
    let music = music();
    let (rooftops, alone) = (music.item("Rooftops"), music.item("Alone"));
    for own in ["starred", "highest", "frequent", "recent"] {
        assert!(albums(&music, own).is_empty(), "{own}");
    }
    music
        .mia
        .send("PUT", &format!("/items/{rooftops}/favourite"), &[], None)
        .expect(204);
    music
        .mia
        .put(&format!("/items/{alone}/rating"), &json!({"rating": 7}));
    for item in [rooftops, rooftops, alone] {
        music
            .mia
            .post(&format!("/items/{item}/view"), &json!({}))
            .expect(200);
    }
    assert_eq!(albums(&music, "starred"), ["Rooftops"]);
    assert_eq!(albums(&music, "highest"), ["Alone"]);
    assert_eq!(albums(&music, "frequent"), ["Rooftops", "Alone"]);
    assert_eq!(albums(&music, "recent"), ["Alone", "Rooftops"]);
    let album = music.app.json(&format!("getAlbum?id=al-{alone}"))["album"].clone();
    assert_eq!(
        (&album["userRating"], &album["playCount"]),
        (&json!(4), &json!(1))
    );
    // Another user's data has no effect.
    let admin = super::MusicApp::new(&music.server, &music.admin);
    let list = admin.json("getAlbumList2?type=starred");
    assert_eq!(list["albumList2"]["album"], json!([]));
}

#[test]
fn newest_albums_are_ordered_by_their_shown_time() {
    let music = music();
    let list = music.app.json("getAlbumList2?type=newest")["albumList2"]["album"].clone();
    let created = all(&list, "created");
    assert_eq!(created.len(), 3);
    assert!(created.is_sorted_by(|a, b| a >= b), "{created:?}");
    let old = music.app.json("getAlbumList?type=newest")["albumList"]["album"].clone();
    assert_eq!(all(&old, "title"), all(&list, "name"));
    assert_eq!(old[0]["isDir"], true);
}

#[test]
fn stars_of_items_are_albums_and_single_songs() {
    let music = music();
    for title in ["Rooftops", "Alone"] {
        let item = music.item(title);
        music
            .mia
            .send("PUT", &format!("/items/{item}/favourite"), &[], None)
            .expect(204);
    }
    let starred = music.app.json("getStarred2")["starred2"].clone();
    assert_eq!(all(&starred["album"], "name"), ["Alone", "Rooftops"]);
    assert_eq!(all(&starred["song"], "title"), ["Alone"]);
    assert_eq!(starred["artist"], json!([]));
    assert!(starred["song"][0]["starred"].is_string());
    let old = music.app.json("getStarred")["starred"].clone();
    assert_eq!(all(&old["album"], "title"), ["Alone", "Rooftops"]);
}

#[test]
fn random_songs_meet_the_criteria_and_are_distinct() {
    let music = music();
    let titles = |query: &str| {
        let songs = music.app.json(&format!("getRandomSongs?{query}"));
        let mut titles = all(&songs["randomSongs"]["song"], "title");
        titles.sort_unstable();
        titles
    };
    assert_eq!(titles("fromYear=1990&toYear=2000"), ["Alone"]);
    assert_eq!(titles("genre=Rock&size=500").len(), 3);
    assert!(titles("genre=Polka").is_empty());
    assert_eq!(titles("size=1").len(), 1);
    let mut many = titles("size=500");
    assert_eq!(many.len(), 5);
    many.dedup();
    assert_eq!(many.len(), 5);
    assert!(titles("size=0").is_empty());
}

#[test]
fn songs_of_a_genre_are_in_pages() {
    let music = music();
    let titles = |query: &str| {
        let songs = music
            .app
            .json(&format!("getSongsByGenre?genre=rock&{query}"));
        all(&songs["songsByGenre"]["song"], "title")
    };
    let every = titles("count=500");
    assert_eq!(every.len(), 3);
    let pages: Vec<String> = (0..4)
        .flat_map(|at| titles(&format!("count=1&offset={at}")))
        .collect();
    assert_eq!(pages, every);
}
