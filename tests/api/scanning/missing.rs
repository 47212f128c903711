//! List of missing files.

use std::fs;

use ledge_tests::server::{scan, scanned_library};
use serde_json::{Value, json};

use crate::http::conventions::{has_keys, id_of, is_time, library_of, page, refused, write};

#[test]
fn entry_has_file_location_and_time() {
    let (server, admin, id) = library_of(&[("Shelf/Emma.epub", "a"), ("Nova.nes", "b")]);
    assert_eq!(page(&admin.get("/missing")), [] as [Value; 0]);
    let emma = page(&admin.get("/items?kind=books"))[0].clone();
    fs::remove_dir_all(server.folder().join("media/Shelf")).expect("gone");
    // A removed file is not missing until a scan.
    assert_eq!(page(&admin.get("/missing")), [] as [Value; 0]);
    scan(&admin, id);
    let missing = page(&admin.get("/missing"));
    assert_eq!(missing.len(), 1);
    has_keys(&missing[0], "item_id title kind library path missing_since");
    is_time(&missing[0]["missing_since"]);
    let expected = json!({
        "item_id": emma["id"], "title": "Emma", "kind": "books",
        "library": {"id": id, "name": "Media"}, "path": "Shelf/Emma.epub",
        "missing_since": missing[0]["missing_since"],
    });
    assert_eq!(missing[0], expected);
}

#[test]
fn item_with_one_present_file_is_not_missing() {
    let (server, admin, id) = library_of(&[("Emma.epub", "a"), ("Emma.pdf", "b")]);
    assert_eq!(
        page(&admin.get("/items")).len(),
        1,
        "two formats of one book"
    );
    fs::remove_file(server.folder().join("media/Emma.pdf")).expect("gone");
    scan(&admin, id);
    assert_eq!(page(&admin.get("/missing")), [] as [Value; 0]);
}

#[test]
fn only_granted_items_are_listed_and_counted() {
    let (server, admin, first) = library_of(&[("A.epub", "a"), ("B.epub", "b")]);
    let other = server.folder().join("other");
    write(&other, "C.epub", "c");
    let (second, _) = scanned_library(&admin, "Other", &other);
    for name in ["media/A.epub", "media/B.epub", "other/C.epub"] {
        fs::remove_file(server.folder().join(name)).expect("gone");
    }
    // The loss of all files of a folder is not accepted without confirmation.
    write(&other, "D.epub", "d");
    write(&server.folder().join("media"), "E.epub", "e");
    scan(&admin, first);
    scan(&admin, second);
    let (mia, client) = server.user(&admin, "mia");
    let total = || {
        let answer = client.get("/missing");
        let items = page(&answer);
        assert_eq!(answer.json()["total"], items.len());
        items.len()
    };
    assert_eq!(admin.get("/missing").expect(200).json()["total"], 3);
    assert_eq!(total(), 0);
    for (ids, expected) in [
        (json!([second]), 1),
        (json!([first, second]), 3),
        (json!([]), 0),
    ] {
        admin
            .put(
                &format!("/users/{mia}/libraries"),
                &json!({"library_ids": ids}),
            )
            .expect(204);
        assert_eq!(total(), expected);
    }
    refused(&server.client().get("/missing"), 401, "unauthenticated");
}

#[test]
fn purge_empties_list_and_ids_are_not_reused() {
    let (server, admin, id) = library_of(&[("A.epub", "a"), ("B.epub", "b")]);
    let media = server.folder().join("media");
    let last = page(&admin.get("/items?sort=added"))
        .iter()
        .map(id_of)
        .max();
    fs::remove_file(media.join("B.epub")).expect("gone");
    scan(&admin, id);
    let purge = format!("/libraries/{id}/purge");
    let purged = admin.send("POST", &purge, &[], None).expect(200).json();
    assert_eq!(purged, json!({"deleted": 1}));
    let again = admin.send("POST", &purge, &[], None).expect(200).json();
    assert_eq!(again, json!({"deleted": 0}));
    assert_eq!(page(&admin.get("/missing")), [] as [Value; 0]);
    write(&media, "B.epub", "b");
    scan(&admin, id);
    let newest = page(&admin.get("/items")).iter().map(id_of).max();
    assert!(newest > last, "{newest:?} {last:?}");
    let absent = admin.send("POST", "/libraries/98765/purge", &[], None);
    refused(&absent, 404, "not_found");
}
