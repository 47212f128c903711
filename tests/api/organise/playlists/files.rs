//! Playlists while their files are lost, purged, renamed, and moved to other items.

use std::fs;

use ledge_tests::server::scan;
use serde_json::{Value, json};

use crate::http::conventions::id_of;
use crate::organise::shelf::{add_entries, entries, shelf, version};

#[test]
fn missing_file_keeps_entry() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Lantern Two");
    let before = entries(admin, &path);
    let at = version(admin, &path);
    shelf.lose(shelf.media, "media/Album/01 - One.mp3");
    shelf.lose(shelf.media, "media/Lantern (2001).mp4");
    let after = entries(admin, &path);
    let missing: Vec<&Value> = after.iter().map(|entry| &entry["missing"]).collect();
    assert_eq!(missing, [true, true, false]);
    let of_item: Vec<&Value> = after
        .iter()
        .map(|entry| &entry["item"]["missing"])
        .collect();
    assert_eq!(of_item, [false, true, false]);
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((&old["id"], &old["title"]), (&new["id"], &new["title"]));
    }
    assert_eq!(admin.get(&path).expect(200).json()["entry_count"], 3);
    assert_eq!(version(admin, &path), at);
    let exported = admin.get(&format!("{path}.m3u8")).expect(200);
    let text = String::from_utf8(exported.body).expect("UTF-8");
    assert_eq!(text.matches("#EXTINF").count(), 1, "{text}");
    // Missing entries can be moved and deleted, and missing files can be added again.
    let step = json!({"move": [{"id": after[0]["id"], "to": 2}]});
    admin.patch(&format!("{path}/entries"), &step).expect(200);
    add_entries(admin, &path, &json!({"files": shelf.ids("Lantern")})).expect(201);
    assert_eq!(shelf.words(admin, &path), "Lantern Two One Lantern");
}

#[test]
fn item_adds_missing_parts_only_if_none_is_present() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let album = json!({"items": [shelf.item("Album")]});
    shelf.lose(shelf.media, "media/Album/02 - Two.mp3");
    let path = shelf.playlist(admin, "");
    add_entries(admin, &path, &album).expect(201);
    assert_eq!(shelf.words(admin, &path), "One Three");
    shelf.lose(shelf.media, "media/Album/01 - One.mp3");
    shelf.lose(shelf.media, "media/Album/03 - Three.mp3");
    let path = shelf.playlist(admin, "");
    add_entries(admin, &path, &album).expect(201);
    assert_eq!(shelf.words(admin, &path), "One Two Three");
}

#[test]
fn purge_deletes_entries_and_increases_versions() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let affected = shelf.playlist(admin, "One Lantern Two Lantern");
    let other = shelf.playlist(admin, "One");
    admin
        .put(
            "/queue",
            &json!({"files": shelf.ids("One Lantern"), "current": 1}),
        )
        .expect(200);
    let lists = [&affected, &other, "/queue"];
    let before = lists.map(|path| version(admin, path));
    shelf.lose(shelf.media, "media/Lantern (2001).mp4");
    assert_eq!(lists.map(|path| version(admin, path)), before);
    let purge = format!("/libraries/{}/purge", shelf.media);
    let purged = admin.send("POST", &purge, &[], None).expect(200).json();
    assert_eq!(purged["deleted"], 1);
    let after = lists.map(|path| version(admin, path));
    assert!(after[0] > before[0] && after[2] > before[2], "{after:?}");
    assert_eq!(after[1], before[1]);
    assert_eq!(shelf.words(admin, &affected), "One Two");
    assert_eq!(shelf.words(admin, "/queue"), "One");
    assert_eq!(admin.get("/queue").json()["current"], Value::Null);
    assert_eq!(admin.get(&affected).json()["entry_count"], 2);
}

#[test]
fn deletion_of_library_deletes_its_entries_and_increases_versions() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "Four One Five");
    let at = version(admin, &path);
    admin
        .delete(&format!("/libraries/{}", shelf.attic))
        .expect(204);
    assert_eq!(shelf.words(admin, &path), "One");
    assert!(version(admin, &path) > at);
}

#[test]
fn rename_and_move_of_file_and_new_root_change_nothing() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "One Two Lantern");
    let whole = admin.get(&path).expect(200).json();
    let ids: Vec<i64> = entries(admin, &path).iter().map(id_of).collect();
    let rename = |from: &str, to: &str| {
        fs::create_dir_all(shelf.path(to).parent().expect("a parent")).expect("a folder");
        fs::rename(shelf.path(from), shelf.path(to)).expect("renamed");
    };
    rename("media/Album/01 - One.mp3", "media/Album/01 - First.mp3");
    rename("media/Lantern (2001).mp4", "media/Films/Lamp (2002).mp4");
    assert_eq!(scan(admin, shelf.media)["status"], "done");
    rename("media", "moved");
    let root = json!({"path": shelf.path("moved")});
    admin
        .patch(&format!("/libraries/{}", shelf.media), &root)
        .expect(200);
    let status = scan(admin, shelf.media);
    assert_eq!(
        (&status["status"], &status["missing"]),
        (&json!("done"), &json!(0))
    );
    assert_eq!(admin.get(&path).expect(200).json(), whole);
    let after = entries(admin, &path);
    assert_eq!(after.iter().map(id_of).collect::<Vec<_>>(), ids);
    assert_eq!(shelf.words(admin, &path), "One Two Lantern");
    assert!(
        after.iter().all(|entry| entry["missing"] == false),
        "{after:?}"
    );
    assert_eq!(after[0]["title"], "First");
}

#[test]
fn entries_follow_files_to_the_item_that_a_scan_merges() {
    let shelf = shelf();
    let admin = &shelf.admin;
    let path = shelf.playlist(admin, "Four Five Four");
    admin
        .put(
            "/queue",
            &json!({"files": shelf.ids("Five Four"), "current": 1}),
        )
        .expect(200);
    let whole = admin.get(&path).expect(200).json();
    let queue = version(admin, "/queue");
    let from = shelf.item("Box");
    fs::create_dir(shelf.path("attic/Chest")).expect("a folder");
    crate::http::conventions::write(&shelf.path("attic"), "Chest/04 - Seven.mp3", "Seven");
    scan(admin, shelf.attic);
    let to = shelf.item("Chest");
    for name in ["01 - Four.mp3", "02 - Five.mp3", "03 - Six.mp3"] {
        let [old, new] = ["Box", "Chest"].map(|folder| format!("attic/{folder}/{name}"));
        fs::rename(shelf.path(&old), shelf.path(&new)).expect("moved");
    }
    assert_eq!(scan(admin, shelf.attic)["status"], "done");
    admin.get(&format!("/items/{from}")).expect(404);
    for list in [&path, "/queue"] {
        for entry in entries(admin, list) {
            assert_eq!(
                (&entry["item"]["id"], &entry["missing"]),
                (&json!(to), &json!(false))
            );
        }
    }
    assert_eq!(shelf.words(admin, &path), "Four Five Four");
    assert_eq!(admin.get(&path).expect(200).json(), whole);
    assert_eq!(
        (version(admin, "/queue"), shelf.words(admin, "/queue")),
        (queue, "Five Four".to_owned())
    );
}
