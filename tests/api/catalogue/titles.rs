//! Titles and badges that kinds derive from stored titles.

use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, library_of, page};

const GAMES: &[(&str, &str)] = &[
    ("Nova the Squirrel (World) (Rev 2) [!].nes", "1"),
    ("Emma (and other stories).epub", "2"),
];

#[test]
fn release_marks_are_badges_and_the_stored_title_stays() {
    let (_server, admin, _) = library_of(GAMES);
    let items = page(&admin.get("/items?kind=games"));
    let card = &items[0];
    assert_eq!(card["title"], "Nova the Squirrel (World) (Rev 2) [!]");
    let shown = |item: &Value| {
        assert_eq!(item["display_title"], "Nova the Squirrel");
        let badges = item["badges"].as_array().expect("badges");
        for badge in badges {
            has_keys(badge, "kind label");
        }
        let expected = json!([
            {"kind": "region", "label": "World"},
            {"kind": "revision", "label": "Rev 2"},
            {"kind": "mark", "label": "verified"},
        ]);
        assert_eq!(item["badges"], expected);
    };
    shown(card);
    let item = format!("/items/{}", id_of(card));
    shown(&admin.get(&item).expect(200).json());
    shown(&admin.get("/search?q=nova").expect(200).json()["groups"][0]["items"][0]);
    // An edited title is shown without its marks, too.
    let edited = json!({"title": "Nova [b1]"});
    let edited = admin.patch(&item, &edited).expect(200).json();
    assert_eq!(
        (&edited["title"], &edited["display_title"]),
        (&json!("Nova [b1]"), &json!("Nova"))
    );
    assert_eq!(
        edited["badges"],
        json!([{"kind": "mark", "label": "bad dump"}])
    );
}

#[test]
fn kinds_without_marks_show_the_stored_title() {
    let (_server, admin, _) = library_of(GAMES);
    let book = &page(&admin.get("/items?kind=books"))[0];
    assert_eq!(book["display_title"], book["title"]);
    assert_eq!(book["badges"], json!([]));
}
