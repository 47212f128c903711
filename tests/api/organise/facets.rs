//! Facets and the filters that they count.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::library_of;

const SHELF: &[(&str, &str)] = &[
    ("Books/Austen, Jane - Emma (1815).epub", "1"),
    ("Books/Austen, Jane - Persuasion (1817).epub", "2"),
    ("Books/Krazy Kat 1.cbz", "3"),
    ("Video/Metropolis (1927)/Metropolis (1927).mp4", "4"),
    ("Video/Test Pattern/Season 1/Test Pattern S01E01.mkv", "5"),
    ("Games/Nova the Squirrel.nes", "6"),
];

fn id(client: &Client, title: &str) -> i64 {
    let items = client.get("/items").expect(200).json()["items"].clone();
    let items = items.as_array().expect("items").iter();
    let mut found = items.filter(|item| item["title"] == title);
    found.next().expect(title)["id"].as_i64().expect("an id")
}

fn total(client: &Client, query: &str) -> u64 {
    let page = client.get(&format!("/items?{query}")).expect(200).json();
    page["total"].as_u64().expect("a total")
}

fn facets(client: &Client, query: &str) -> Value {
    client
        .get(&format!("/items/facets?{query}"))
        .expect(200)
        .json()
}

/// Returns the values of a facet with their numbers of items.
fn counts(facets: &Value, name: &str) -> Value {
    let values = facets["facets"][name].as_array().expect(name).iter();
    let pairs = values.map(|value| json!([value["name"], value["items"]]));
    Value::Array(pairs.collect())
}

fn value(facets: &Value, facet: &str, name: &str) -> Value {
    let values = facets["facets"][facet].as_array().expect(facet).iter();
    let mut found = values.filter(|value| value["name"] == name);
    found.next().expect(name)["value"].clone()
}

/// Sets genres and languages. Returns the facets of all items.
fn classify(admin: &Client) -> Value {
    let (emma, metropolis) = (id(admin, "Emma"), id(admin, "Metropolis"));
    for (item, edit) in [
        (
            emma,
            json!({"genres": ["Satire", "Romance"], "language": "en"}),
        ),
        (
            id(admin, "Persuasion"),
            json!({"genres": ["Romance"], "language": "en"}),
        ),
        (
            metropolis,
            json!({"genres": ["Drama", "Romance"], "language": "de"}),
        ),
    ] {
        admin.patch(&format!("/items/{item}"), &edit).expect(200);
    }
    facets(admin, "")
}

#[test]
fn facet_applies_every_filter_except_its_own() {
    let (_server, admin, _) = library_of(SHELF);
    let all = classify(&admin);
    assert_eq!(
        (&all["total"], &all["approximate"]),
        (&json!(6), &json!(false))
    );
    assert_eq!(
        counts(&all, "kind"),
        json!([["Books", 3], ["Video", 2], ["Games", 1]])
    );
    assert_eq!(
        counts(&all, "genre"),
        json!([["Romance", 3], ["Drama", 1], ["Satire", 1]])
    );
    assert_eq!(
        counts(&all, "language"),
        json!([["English", 2], ["German", 1]])
    );
    assert_eq!(counts(&all, "decade"), json!([["1810s", 2], ["1920s", 1]]));
    assert_eq!(counts(&all, "state"), json!([["Not started", 6]]));
    assert_eq!(counts(&all, "rating"), json!([]));
    let romance = value(&all, "genre", "Romance");
    let satire = value(&all, "genre", "Satire");
    let some = facets(&admin, &format!("genre={satire}&kind=books"));
    assert_eq!(some["total"], 1);
    assert_eq!(
        counts(&some, "genre"),
        json!([["Romance", 2], ["Satire", 1]])
    );
    assert_eq!(counts(&some, "kind"), json!([["Books", 1]]));
    let some = facets(&admin, &format!("genre={romance}&language=de,fr"));
    assert_eq!(some["total"], 1);
    assert_eq!(
        counts(&some, "language"),
        json!([["English", 2], ["German", 1]])
    );
    assert_eq!(counts(&some, "decade"), json!([["1920s", 1]]));
}

#[test]
fn facet_states_how_many_items_its_values_select() {
    let (_server, admin, _) = library_of(SHELF);
    let all = classify(&admin);
    let satire = value(&all, "genre", "Satire");
    let romance = value(&all, "genre", "Romance");
    for (item, rating) in [("Emma", 9), ("Persuasion", 7)] {
        let (path, body) = (
            format!("/items/{}", id(&admin, item)),
            json!({"rating": rating}),
        );
        admin.put(&format!("{path}/rating"), &body).expect(204);
        let tags = json!({"tags": ["mine"], "shared": rating == 7});
        admin.put(&format!("{path}/tags"), &tags).expect(200);
    }
    let all = facets(&admin, "");
    for (facet, values) in all["facets"].as_object().expect("facets") {
        let values = values.as_array().expect("values");
        assert!(!values.is_empty(), "{facet}");
        for value in values {
            let text = value["value"].to_string();
            let query = format!("{facet}={}", text.trim_matches('"'));
            let items = value["items"].as_u64();
            match facet.as_str() {
                // The filter selects this rating and better ones.
                "rating" => {
                    let query = query.replace("rating", "rating_min");
                    let better = values
                        .iter()
                        .filter(|one| one["value"].as_u64() >= value["value"].as_u64());
                    let items = better.filter_map(|one| one["items"].as_u64()).sum::<u64>();
                    assert_eq!(total(&admin, &query), items, "{query}");
                }
                _ => assert_eq!(Some(total(&admin, &query)), items, "{query}"),
            }
        }
    }
    assert_eq!(total(&admin, &format!("genre={satire},{romance}")), 3);
    assert_eq!(total(&admin, "year_from=1816"), 2);
    assert_eq!(total(&admin, "year_to=1815"), 1);
    assert_eq!(total(&admin, "year_from=1815&year_to=1817&decade=1920"), 0);
    assert_eq!(total(&admin, "subkind=film,series"), 2);
    assert_eq!(total(&admin, "subkind=prose,film&language=en"), 2);
    let letters = admin
        .get("/items/letters?subkind=film,series")
        .expect(200)
        .json();
    assert_eq!(
        letters["items"],
        json!([{"letter": "M", "offset": 0}, {"letter": "T", "offset": 1}])
    );
}

#[test]
fn facets_count_own_ratings_tags_and_states_of_visible_items() {
    let (server, admin, library) = library_of(SHELF);
    let emma = id(&admin, "Emma");
    let headers = [("Content-Type", "application/json")];
    let put = |path: &str, body: &[u8]| admin.send("PUT", path, &headers, Some(body));
    put(&format!("/items/{emma}/rating"), br#"{"rating": 9}"#).expect(204);
    put(&format!("/items/{emma}/tags"), br#"{"tags": ["mine"]}"#).expect(200);
    put(
        &format!("/items/{emma}/tags"),
        br#"{"tags": ["ours"], "shared": true}"#,
    )
    .expect(200);
    let file = admin.get(&format!("/items/{emma}")).expect(200).json()["files"][0]["id"].clone();
    let place = json!({"file_id": file, "position": 1}).to_string();
    put(&format!("/items/{emma}/progress"), place.as_bytes()).expect(200);
    let all = facets(&admin, "");
    assert_eq!(counts(&all, "rating"), json!([["9", 1]]));
    assert_eq!(counts(&all, "tag"), json!([["mine", 1], ["ours", 1]]));
    assert_eq!(
        counts(&all, "state"),
        json!([["Not started", 5], ["Started", 1]])
    );
    let other = facets(&admin, "kind=games");
    assert_eq!(
        (counts(&other, "rating"), counts(&other, "tag")),
        (json!([]), json!([]))
    );
    let (mia_id, mia) = server.user(&admin, "mia");
    let nothing = facets(&mia, "");
    assert_eq!(nothing["total"], 0);
    for (facet, values) in nothing["facets"].as_object().expect("facets") {
        assert_eq!(values, &json!([]), "{facet}");
    }
    let path = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &path, &[], None).expect(204);
    let hers = facets(&mia, "");
    assert_eq!(counts(&hers, "tag"), json!([["ours", 1]]));
    assert_eq!(counts(&hers, "rating"), json!([]));
    assert_eq!(counts(&hers, "state"), json!([["Not started", 6]]));
}

#[test]
fn facets_omit_missing_items_unless_they_are_asked_for() {
    let (server, admin, library) = library_of(SHELF);
    let game = server.folder().join("media/Games/Nova the Squirrel.nes");
    std::fs::remove_file(game).expect("a file");
    ledge_tests::server::scan(&admin, library);
    assert_eq!(facets(&admin, "")["total"], 5);
    let missing = facets(&admin, "missing=true");
    assert_eq!(counts(&missing, "kind"), json!([["Games", 1]]));
    assert_eq!(total(&admin, ""), 6);
}
