//! Works: volumes of one title, and corrections of their numbers.

use ledge_tests::server::{all_items, until};
use serde_json::{Value, json};

use super::links::{forms, item, wait_for_links, work};
use crate::http::conventions::{id_of, library_of};

#[test]
fn volumes_of_one_title_are_not_linked() {
    let (server, admin, _) = library_of(&[
        ("Books/Ann Lee - Orchard (Volume 1).epub", "1"),
        ("Books/Ann Lee - Orchard (Volume 2).epub", "2"),
        ("Books/Ann Lee - Meadow.epub", "3"),
        (
            "Audiobooks/Ann Lee/Orchard/Orchard 02 - Orchard/01.mp3",
            "5",
        ),
        ("Audiobooks/Ann Lee/Meadow/01.mp3", "4"),
    ]);
    wait_for_links(&server);
    let items = all_items(&admin, "/items?kind=books");
    let volumes = items.iter().filter(|item| item["title"] == "Orchard");
    let volumes: Vec<i64> = volumes.map(id_of).collect();
    assert_eq!(volumes.len(), 2, "{items:?}");
    let file = |item: i64| {
        let detail = admin.get(&format!("/items/{item}")).expect(200).json();
        detail["files"][0]["name"]
            .as_str()
            .expect("a name")
            .to_owned()
    };
    let is_second = |item: &&i64| file(**item).contains("Volume 2");
    let second = *volumes.iter().find(is_second).expect("the second volume");
    let first = *volumes
        .iter()
        .find(|item| !is_second(item))
        .expect("the first volume");
    assert_eq!(work(&admin, first), Value::Null);
    let recording = item(&admin, "Orchard", "audio");
    assert_eq!(forms(&work(&admin, second)), [recording, second]);
    let meadow = work(&admin, item(&admin, "Meadow", "books"));
    assert_eq!(forms(&meadow).len(), 2);
}

#[test]
fn items_are_linked_after_their_number_in_a_series_is_corrected() {
    let (server, admin, _) = library_of(&[
        ("Books/Ann Lee - Orchard (Volume 3).epub", "1"),
        (
            "Audiobooks/Ann Lee/Orchard/Orchard 02 - Orchard/01.mp3",
            "2",
        ),
    ]);
    wait_for_links(&server);
    let (text, recording) = (
        item(&admin, "Orchard", "books"),
        item(&admin, "Orchard", "audio"),
    );
    assert_eq!(work(&admin, text), Value::Null);
    let correction = json!({"series_index": 2});
    admin
        .patch(&format!("/items/{text}"), &correction)
        .expect(200);
    until("a link", || {
        let found = work(&admin, text);
        (!found.is_null() && forms(&found) == [recording, text]).then_some(())
    });
}

#[test]
fn volumes_stay_separate_while_their_series_and_numbers_are_edited() {
    let (server, admin, _) = library_of(&[
        ("Books/Ann Lee - Orchard (Volume 1).epub", "1"),
        ("Books/Ann Lee - Orchard (Volume 2).epub", "2"),
    ]);
    wait_for_links(&server);
    let items = all_items(&admin, "/items?kind=books");
    let volumes: Vec<i64> = items.iter().map(id_of).collect();
    let edit = |item: i64, change: &Value| {
        admin.patch(&format!("/items/{item}"), change).expect(200);
        wait_for_links(&server);
        for volume in &volumes {
            assert_eq!(work(&admin, *volume), Value::Null, "{change}");
        }
    };
    for series in ["Orchard Saga", "Orchard"] {
        for volume in &volumes {
            edit(*volume, &json!({"series": series}));
        }
    }
    for number in [Value::Null, json!(1), json!(2)] {
        edit(volumes[0], &json!({"series_index": number}));
        if number == 1 {
            edit(volumes[1], &json!({"series_index": null}));
            edit(volumes[1], &json!({"series_index": 3}));
        }
    }
}
