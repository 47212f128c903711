//! Tags: own ones, and shared ones of administrators.

use ledge_tests::Client;
use serde_json::{Value, json};

use crate::http::conventions::library_of;

fn put(client: &Client, item: &Value, body: &Value, status: u16) -> Value {
    let headers = [("Content-Type", "application/json")];
    let body = body.to_string();
    let path = format!("/items/{item}/tags");
    let answer = client.send("PUT", &path, &headers, Some(body.as_bytes()));
    answer.expect(status).json()
}

fn names(client: &Client, path: &str) -> Vec<String> {
    let page = client.get(path).expect(200).json();
    let tags = page["items"].as_array().expect("tags").iter();
    tags.map(|tag| {
        format!(
            "{}:{}:{}",
            tag["name"].as_str().expect("a name"),
            tag["items"],
            tag["shared"]
        )
    })
    .collect()
}

#[test]
fn own_tags_are_private_and_shared_tags_are_visible_with_a_grant() {
    let (server, admin, library) = library_of(&[("Emma.epub", "1"), ("Persuasion.epub", "2")]);
    let items = admin.get("/items").expect(200).json()["items"].clone();
    let (emma, persuasion) = (&items[0]["id"], &items[1]["id"]);
    let (mia_id, mia) = server.user(&admin, "mia");
    put(
        &admin,
        emma,
        &json!({"tags": ["School"], "shared": true}),
        200,
    );
    let tags = put(&admin, emma, &json!({"tags": ["To read", "to READ"]}), 200);
    assert_eq!(tags["tags"].as_array().expect("tags").len(), 2, "{tags}");
    put(&mia, emma, &json!({"tags": ["mine"]}), 404);
    assert_eq!(names(&mia, "/tags"), Vec::<String>::new());
    let path = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &path, &[], None).expect(204);
    put(&mia, persuasion, &json!({"tags": ["to read"]}), 200);
    put(&mia, emma, &json!({"tags": ["x"], "shared": true}), 403);
    assert_eq!(names(&admin, "/tags"), ["School:1:true", "To read:1:false"]);
    assert_eq!(names(&mia, "/tags"), ["School:1:true", "to read:1:false"]);
    assert_eq!(names(&mia, "/tags?q=SCHO"), ["School:1:true"]);
    assert_eq!(names(&mia, "/tags?kind=games"), Vec::<String>::new());
    let seen = mia.get(&format!("/items/{emma}")).expect(200).json();
    assert_eq!(seen["tags"].as_array().expect("tags").len(), 1, "{seen}");
    // The id of another user's tag selects nothing.
    let others = &admin.get("/tags?q=to").expect(200).json()["items"][0]["id"];
    assert_eq!(
        mia.get(&format!("/items?tag={others}")).expect(200).json()["total"],
        0
    );
    assert_eq!(
        admin
            .get(&format!("/items?tag={others}"))
            .expect(200)
            .json()["total"],
        1
    );
}

#[test]
fn tags_are_renamed_and_deleted_by_their_owners() {
    let (server, admin, library) = library_of(&[("Emma.epub", "1")]);
    let emma = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    let (mia_id, mia) = server.user(&admin, "mia");
    let grant = format!("/libraries/{library}/grants/{mia_id}");
    admin.send("PUT", &grant, &[], None).expect(204);
    let id = |answer: &Value, name: &str| {
        let tags = answer["tags"].as_array().expect("tags").iter();
        let mut found = tags.filter(|tag| tag["name"] == name);
        found.next().expect(name)["id"].clone()
    };
    let shared = put(
        &admin,
        &emma,
        &json!({"tags": ["School"], "shared": true}),
        200,
    );
    let shared = format!("/tags/{}", id(&shared, "School"));
    let own = put(&mia, &emma, &json!({"tags": ["one", "two"]}), 200);
    let one = format!("/tags/{}", id(&own, "one"));
    admin.patch(&one, &json!({"name": "seen"})).expect(404);
    admin.delete(&one).expect(404);
    mia.patch(&shared, &json!({"name": "x"})).expect(403);
    mia.delete(&shared).expect(403);
    mia.patch(&one, &json!({"name": "TWO"})).expect(409);
    mia.patch(&one, &json!({"name": " "})).expect(422);
    let renamed = mia
        .patch(&one, &json!({"name": " three "}))
        .expect(200)
        .json();
    assert_eq!(renamed["name"], "three");
    // A tag has no visible items while the grant is lost. It reappears with the grant.
    admin.delete(&grant).expect(204);
    mia.patch(&one, &json!({"name": "four"})).expect(404);
    mia.delete(&one).expect(404);
    admin.send("PUT", &grant, &[], None).expect(204);
    assert_eq!(
        names(&mia, "/tags"),
        ["School:1:true", "three:1:false", "two:1:false"]
    );
    mia.delete(&one).expect(204);
    put(&mia, &emma, &json!({"tags": []}), 200);
    assert_eq!(names(&mia, "/tags"), ["School:1:true"]);
    admin.delete(&shared).expect(204);
    assert_eq!(names(&mia, "/tags"), Vec::<String>::new());
}

#[test]
fn invalid_tags_are_refused_and_change_nothing() {
    let (_server, admin, _) = library_of(&[("Emma.epub", "1")]);
    let emma = admin.get("/items").expect(200).json()["items"][0]["id"].clone();
    put(&admin, &emma, &json!({"tags": ["kept"]}), 200);
    let many: Vec<String> = (0..51).map(|n| format!("t{n}")).collect();
    for tags in [
        json!(many),
        json!(["a", ""]),
        json!(["x".repeat(61)]),
        json!(["a\u{7}"]),
    ] {
        let refused = put(&admin, &emma, &json!({ "tags": tags }), 422);
        assert_eq!(refused["error"]["field"], "tags");
    }
    assert_eq!(names(&admin, "/tags"), ["kept:1:false"]);
    for query in [
        "tag=x",
        "tag=",
        "genre=1,,2",
        "language=x",
        "decade=1995",
        "subkind=film,none",
    ] {
        let refused = admin.get(&format!("/items?{query}")).expect(422).json();
        let field = query.split('=').next().expect("a field");
        assert_eq!(refused["error"]["field"], field, "{query}");
    }
}
