//! Smart collections: their readers, counts, limits and orders.

use ledge_tests::Client;
use serde_json::{Value, json};

use super::titles;
use crate::http::conventions::{id_of, invalid, page, refused};
use crate::organise::shelf::{shelf, version};

#[track_caller]
fn smart(owner: &Client, rule: &Value, public: bool) -> String {
    let body = json!({"name": "Smart", "kind": "smart", "rule": rule, "public": public});
    let made = owner.post("/collections", &body).expect(201).json();
    assert_eq!(
        (&made["kind"], &made["rule"]),
        (&json!("smart"), rule),
        "{made}"
    );
    format!("/collections/{}", id_of(&made))
}

fn books() -> Value {
    json!({"all": [{"field": "kind", "op": "is", "value": "books"}]})
}

#[test]
fn rule_selects_items_for_its_reader() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let rated = json!({"all": [{"field": "rating", "op": "greater", "value": 5}]});
    let path = smart(&mia, &rated, true);
    let items = format!("{path}/items");
    let rate = |client: &Client, title: &str, rating: i64| {
        let path = format!("/items/{}/rating", shelf.item(title));
        client.put(&path, &json!({ "rating": rating })).expect(204);
    };
    rate(&mia, "Emma", 6);
    rate(&mia, "Lantern", 5);
    rate(&shelf.admin, "Box", 10);
    assert_eq!(titles(&mia, &items), "Emma");
    assert_eq!(titles(&shelf.admin, &items), "Box");
    // Only the owner sees the rule, and a list evaluates none.
    let seen = shelf.admin.get(&path).expect(200).json();
    assert_eq!(
        (&seen["rule"], &seen["item_count"], &seen["cover"]),
        (&Value::Null, &json!(1), &Value::Null)
    );
    let own = mia.get(&path).expect(200).json();
    assert_eq!((&own["rule"], &own["item_count"]), (&rated, &json!(1)));
    for (reader, rule) in [(&mia, rated), (&shelf.admin, Value::Null)] {
        let listed = &page(&reader.get("/collections"))[0];
        assert_eq!(
            (&listed["item_count"], &listed["rule"]),
            (&Value::Null, &rule)
        );
    }
}

#[test]
fn public_smart_collection_is_listed_without_visible_items() {
    let shelf = shelf();
    let (_, mia) = shelf.user("mia");
    let path = smart(&mia, &books(), true);
    let (id, tom) = shelf.user("tom");
    shelf.grant(shelf.media, id, false);
    assert_eq!(tom.get(&path).expect(200).json()["item_count"], 0);
    assert_eq!(titles(&tom, &format!("{path}/items")), "");
    assert_eq!(page(&tom.get("/collections")).len(), 1);
    refused(&tom.get(&format!("{path}/cover")), 404, "not_found");
    mia.patch(&path, &json!({"public": false})).expect(200);
    refused(&tom.get(&path), 404, "not_found");
}

#[test]
fn items_of_smart_collection_cannot_be_written() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = smart(admin, &books(), false);
    let (items, emma) = (format!("{path}/items"), shelf.item("Emma"));
    let step = json!({"move": [{"id": emma, "to": 0}]});
    for answer in [
        admin.post(&items, &json!({"items": [emma]})),
        admin.patch(&items, &step),
        admin.delete(&format!("{items}?id={emma}")),
    ] {
        refused(&answer, 409, "conflict");
    }
    assert_eq!(version(admin, &path), 1);
}

#[test]
fn rule_is_required_for_smart_collections_only_and_can_change() {
    let shelf = shelf();
    let admin = &shelf.admin;
    for (field, body) in [
        ("rule", json!({"name": "x", "kind": "smart"})),
        ("rule", json!({"name": "x", "kind": "smart", "rule": null})),
        ("rule", json!({"name": "x", "rule": {"all": []}})),
        (
            "items",
            json!({"name": "x", "kind": "smart", "rule": {"all": []}, "items": [1]}),
        ),
        ("kind", json!({"name": "x", "kind": "clever"})),
        (
            "rule.any",
            json!({"name": "x", "kind": "smart", "rule": {"any": 1}}),
        ),
    ] {
        invalid(&admin.post("/collections", &body), field);
    }
    let path = smart(admin, &books(), false);
    let films = json!({"all": [{"field": "subkind", "op": "is", "value": "film"}]});
    let changed = admin.patch(&path, &json!({ "rule": films })).expect(200);
    let changed = changed.json();
    assert_eq!((&changed["rule"], &changed["version"]), (&films, &json!(2)));
    assert_eq!(titles(admin, &format!("{path}/items")), "Lantern");
    assert_eq!(
        admin
            .patch(&path, &json!({ "rule": films }))
            .expect(200)
            .json(),
        changed
    );
    let wrong = json!({"rule": {"all": [{"field": "shape"}]}});
    invalid(&admin.patch(&path, &wrong), "rule.all[0].field");
    invalid(&admin.patch(&path, &json!({"rule": null})), "rule");
    assert_eq!(version(admin, &path), 2);
}

#[test]
fn limit_keeps_first_items_in_order_of_rule() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let rule = json!({"all": [], "sort": "title", "order": "desc", "limit": 2});
    let path = format!("{}/items", smart(admin, &rule, false));
    // All titles: Album Box Emma Lantern.
    assert_eq!(titles(admin, &path), "Lantern Emma");
    assert_eq!(titles(admin, &format!("{path}?sort=title")), "Emma Lantern");
    let page = admin.get(&format!("{path}?offset=1&limit=5")).expect(200);
    let page = page.json();
    assert_eq!(page["total"], 2);
    assert_eq!(page["items"].as_array().map(Vec::len), Some(1));
    let beyond = admin.get(&format!("{path}?offset=2")).expect(200).json();
    assert_eq!(
        (&beyond["total"], &beyond["items"]),
        (&json!(2), &json!([]))
    );
}

#[test]
fn random_order_is_the_same_for_every_page() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let rule = json!({"all": [], "sort": "random"});
    let path = format!("{}/items", smart(admin, &rule, false));
    let whole = titles(admin, &path);
    let single = |offset: usize| {
        let page = admin.get(&format!("{path}?limit=1&offset={offset}"));
        let title = page.expect(200).json()["items"][0]["title"].clone();
        title.as_str().expect("a title").to_owned()
    };
    let pages: Vec<String> = (0..4).map(single).collect();
    assert_eq!(pages.join(" "), whole);
}

#[test]
fn preview_evaluates_a_rule_and_stores_nothing() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let body = json!({ "rule": {"all": [], "sort": "title"} });
    let found = admin.post("/collections/preview?offset=1&limit=2", &body);
    let found = found.expect(200).json();
    assert_eq!(
        (&found["total"], &found["offset"], &found["limit"]),
        (&json!(4), &json!(1), &json!(2))
    );
    assert_eq!(found["items"][0]["title"], "Box");
    assert_eq!(page(&admin.get("/collections")), [] as [Value; 0]);
    invalid(&admin.post("/collections/preview", &json!({})), "rule");
    invalid(
        &admin.post("/collections/preview", &json!({"rule": {}})),
        "rule",
    );
    invalid(&admin.post("/collections/preview?limit=0", &body), "limit");
}
