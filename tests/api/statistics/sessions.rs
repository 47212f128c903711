//! Sessions: the writes and views that they consist of.

use ledge_tests::Client;
use serde_json::{Value, json};

use super::diary::{diary, read, save, stats, sums};
use crate::http::conventions::{has_keys, id_of, is_time, list, page};

/// Returns the seconds of all sessions, the oldest first.
fn lengths(client: &Client) -> Vec<i64> {
    let sessions = page(&client.get("/stats/sessions"));
    let seconds = |session: &Value| session["seconds"].as_i64().expect("seconds");
    sessions.iter().rev().map(seconds).collect()
}

#[test]
fn pause_of_more_than_five_minutes_ends_session() {
    let diary = diary();
    let emma = diary.item("Emma");
    read(
        &diary.admin,
        emma,
        &[
            ("20T20:00:00", 1),
            ("20T20:05:00", 3),
            ("20T20:06:00", 2),
            ("20T20:07:00", 4),
        ],
    );
    read(&diary.admin, emma, &[("20T20:12:00.000001", 9)]);
    assert_eq!(lengths(&diary.admin), [420, 0]);
    assert_eq!(sums(&stats(&diary.admin, "")["totals"]), [420, 4, 2, 0]);
}

#[test]
fn sessions_of_other_items_are_independent() {
    let diary = diary();
    let [emma, nana] = ["Emma", "Nana"].map(|title| diary.item(title));
    for (item, time) in [
        (emma, "20T20:00"),
        (nana, "20T20:01"),
        (emma, "20T20:02"),
        (nana, "20T20:04"),
    ] {
        read(&diary.admin, item, &[(time, 1)]);
    }
    assert_eq!(lengths(&diary.admin), [120, 180]);
}

#[test]
fn seek_changes_no_time_and_counts_no_pages_of_other_units() {
    let diary = diary();
    let film = diary.item("Lantern");
    read(
        &diary.admin,
        film,
        &[("20T20:00", 10), ("20T20:01", 3000), ("20T20:02", 5)],
    );
    assert_eq!(sums(&stats(&diary.admin, "")["totals"]), [120, 0, 1, 0]);
}

#[test]
fn late_write_does_not_count() {
    let diary = diary();
    let emma = diary.item("Emma");
    read(&diary.admin, emma, &[("20T20:00", 1), ("20T20:01", 2)]);
    let late = save(
        &diary.admin,
        emma,
        "20T19:58",
        &json!({"position": 9, "finished": true}),
    );
    assert_eq!(late["applied"], false);
    assert_eq!(sums(&stats(&diary.admin, "")["totals"]), [60, 1, 1, 0]);
}

#[test]
fn writes_of_several_files_form_one_session_in_any_order() {
    let diary = diary();
    let album = diary.item("Goldberg");
    let files = diary.files(album);
    for (file, time) in [
        (files[0], "20T20:00"),
        (files[0], "20T20:03"),
        (files[0], "20T20:11"),
        // It arrives later than the progress of the other file, and closes the gap.
        (files[1], "20T20:07"),
    ] {
        save(
            &diary.admin,
            album,
            time,
            &json!({"file_id": file, "position": 1}),
        );
    }
    assert_eq!(lengths(&diary.admin), [660]);
}

#[test]
fn view_opens_session_which_writes_continue() {
    let diary = diary();
    let emma = diary.item("Emma");
    let view = format!("/items/{emma}/view");
    diary.admin.send("POST", &view, &[], None).expect(200);
    let today = diary.admin.get("/stats").expect(200).json();
    assert_eq!(sums(&today["totals"]), [0, 0, 1, 0]);
    assert_eq!(today["totals"]["days"], 1);
    let path = format!("/items/{emma}/progress");
    for position in [3, 5] {
        diary
            .admin
            .put(&path, &json!({ "position": position }))
            .expect(200);
    }
    let today = diary.admin.get("/stats").expect(200).json();
    assert_eq!(
        (&today["totals"]["sessions"], &today["totals"]["pages"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn long_sequence_loses_no_time() {
    let diary = diary();
    let emma = diary.item("Emma");
    for n in 0..=(26 * 12) {
        let (day, hour, minute) = (20 + n / 288, n / 12 % 24, n % 12 * 5);
        let time = format!("{day}T{hour:02}:{minute:02}");
        read(&diary.admin, emma, &[(time.as_str(), i64::from(n))]);
    }
    let totals = stats(&diary.admin, "")["totals"].clone();
    assert_eq!(totals["seconds"], 26 * 3600);
    assert_eq!(totals["pages"], 26 * 12);
    assert_eq!(lengths(&diary.admin).iter().sum::<i64>(), 26 * 3600);
}

#[test]
fn finish_counts_in_the_session_in_which_item_became_finished() {
    let diary = diary();
    let emma = diary.item("Emma");
    for (time, finished) in [
        ("20T20:00", false),
        ("20T20:01", true),
        // The item is finished already.
        ("21T20:00", true),
        ("22T20:00", false),
        ("22T20:01", true),
    ] {
        let place = json!({"position": 1, "finished": finished});
        save(&diary.admin, emma, time, &place);
    }
    let days = stats(&diary.admin, "")["items"].clone();
    let finished: Vec<&Value> = days
        .as_array()
        .expect("days")
        .iter()
        .map(|day| &day["finished"])
        .collect();
    assert_eq!(finished, [1, 0, 1]);
}

#[test]
fn changes_that_are_no_progress_writes_form_no_session() {
    let diary = diary();
    let [emma, nana] = ["Emma", "Nana"].map(|title| diary.item(title));
    read(&diary.admin, emma, &[("20T20:00", 1), ("20T20:01", 2)]);
    let past = format!("/items/{emma}/progress/history");
    let entry = id_of(&list(&diary.admin.get(&past))[0]);
    let restore = format!("{past}/{entry}/restore");
    diary.admin.send("POST", &restore, &[], None).expect(200);
    let edit = json!({"ids": [nana], "set": {"finished": true}});
    diary.admin.patch("/items", &edit).expect(200);
    diary
        .admin
        .delete(&format!("/items/{emma}/progress"))
        .expect(204);
    assert_eq!(lengths(&diary.admin), [60]);
}

#[test]
fn sessions_are_listed_newest_first_and_in_pages() {
    let diary = diary();
    let emma = diary.item("Emma");
    for day in 20..25 {
        read(
            &diary.admin,
            emma,
            &[
                (&format!("{day}T23:59"), day),
                (&format!("{}T00:01", day + 1), day + 2),
            ],
        );
    }
    let all = page(&diary.admin.get("/stats/sessions"));
    assert_eq!(all.len(), 5);
    has_keys(
        &all[0],
        "start end kind item_id title seconds pages finished",
    );
    is_time(&all[0]["start"]);
    assert_eq!(all[0]["start"], "2024-01-24T23:59:00.000000Z");
    assert_eq!(all[0]["end"], "2024-01-25T00:01:00.000000Z");
    assert_eq!(
        (&all[0]["item_id"], &all[0]["title"]),
        (&json!(emma), &json!("Emma"))
    );
    let part = diary
        .admin
        .get("/stats/sessions?offset=1&limit=2")
        .expect(200)
        .json();
    assert_eq!((&part["total"], &part["items"][0]), (&json!(5), &all[1]));
    // The session before midnight touches the day after it.
    let starts = |range: &str| -> Vec<Value> {
        let sessions = page(&diary.admin.get(&format!("/stats/sessions?{range}")));
        let day =
            |session: &Value| json!(session["start"].as_str().and_then(|time| time.get(8..10)));
        sessions.iter().map(day).collect()
    };
    assert_eq!(starts("from=2024-01-22&to=2024-01-22"), ["22", "21"]);
    assert_eq!(starts("from=2024-01-24"), ["24", "23"]);
    assert_eq!(starts("to=2024-01-20"), ["20"]);
    assert_eq!(starts("to=2024-01-20&tz=Asia/Tokyo"), Vec::<Value>::new());
}

#[test]
fn setting_stops_new_sessions_only() {
    let diary = diary();
    let emma = diary.item("Emma");
    let settings = || diary.admin.get("/me/settings").expect(200).json();
    assert_eq!(settings(), json!({"statistics": true}));
    read(&diary.admin, emma, &[("20T20:00", 1), ("20T20:01", 2)]);
    let off = diary
        .admin
        .patch("/me/settings", &json!({"statistics": false}));
    assert_eq!(off.expect(200).json(), json!({"statistics": false}));
    read(&diary.admin, emma, &[("20T20:02", 3), ("21T20:02", 4)]);
    let view = format!("/items/{emma}/view");
    diary.admin.send("POST", &view, &[], None).expect(200);
    assert_eq!(lengths(&diary.admin), [60]);
    diary.admin.patch("/me/settings", &json!({})).expect(200);
    assert_eq!(settings(), json!({"statistics": false}));
    let (_, mia) = diary.reader("mia");
    assert_eq!(
        mia.get("/me/settings").expect(200).json(),
        json!({"statistics": true})
    );
    let on = diary
        .admin
        .patch("/me/settings", &json!({"statistics": true}));
    assert_eq!(on.expect(200).json(), json!({"statistics": true}));
    read(&diary.admin, emma, &[("22T20:00", 5)]);
    assert_eq!(lengths(&diary.admin), [60, 0]);
    diary
        .admin
        .patch("/me/settings", &json!({"theme": "dark"}))
        .expect(422);
}

#[test]
fn deletion_removes_own_sessions_only() {
    let diary = diary();
    let emma = diary.item("Emma");
    let (_, mia) = diary.reader("mia");
    for client in [&diary.admin, &mia] {
        read(client, emma, &[("20T20:00", 1), ("20T20:01", 2)]);
    }
    for _ in 0..2 {
        mia.delete("/stats").expect(204);
    }
    assert_eq!(lengths(&mia), [0; 0]);
    assert_eq!(sums(&stats(&mia, "")["totals"]), [0; 4]);
    assert_eq!(lengths(&diary.admin), [60]);
}
