//! A user's year, and its picture.

use serde_json::{Value, json};

use super::diary::{Diary, diary, read, save};
use crate::http::conventions::{has_keys, id_of, invalid, refused};

/// Fills a diary with two days, a gap and three days.
fn filled() -> Diary {
    let diary = diary();
    let [emma, nana, film] = ["Emma", "Nana", "Lantern"].map(|title| diary.item(title));
    for (item, author) in [(emma, "<Jane> & Co"), (nana, "<Jane> & Co"), (film, "Lang")] {
        let edit = json!({"authors": [author], "genres": ["Novel"]});
        let path = format!("/items/{item}");
        diary.admin.patch(&path, &edit).expect(200);
    }
    for (item, day) in [(emma, 3), (emma, 4), (nana, 6), (nana, 7), (film, 8)] {
        let times = [
            format!("{day:02}T20:00"),
            format!("{day:02}T20:01"),
            format!("{day:02}T20:03"),
        ];
        let steps: Vec<(&str, i64)> = times.iter().map(String::as_str).zip(day..).collect();
        read(&diary.admin, item, &steps);
    }
    let place = json!({"position": 30, "finished": true});
    save(&diary.admin, emma, "31T23:30", &place);
    diary
}

#[test]
fn year_has_calendar_streak_and_names() {
    let diary = filled();
    let year = diary.admin.get("/stats/year/2024").expect(200).json();
    has_keys(
        &year,
        "year seconds pages by_kind calendar longest_streak streak_from streak_to authors genres \
         finished hours",
    );
    assert_eq!(
        [&year["year"], &year["seconds"], &year["pages"]],
        [2024, 900, 8]
    );
    let kinds: Vec<_> = ["key", "seconds"]
        .map(|key| year["by_kind"][0][key].clone())
        .into();
    assert_eq!(kinds, [json!("books"), json!(720)]);
    let calendar = year["calendar"].as_array().expect("days");
    assert_eq!(calendar.len(), 6);
    assert_eq!(
        calendar[0],
        json!({"date": "2024-01-03", "seconds": 180, "pages": 2})
    );
    assert_eq!(year["longest_streak"], 3);
    assert_eq!(
        [&year["streak_from"], &year["streak_to"]],
        ["2024-01-06", "2024-01-08"]
    );
    let author = &year["authors"][0];
    assert_eq!(
        [&author["name"], &author["seconds"], &author["items"]],
        [&json!("<Jane> & Co"), &json!(720), &json!(2)]
    );
    assert_eq!(year["authors"].as_array().expect("authors").len(), 2);
    assert_eq!(year["genres"][0]["seconds"], 900);
    let hours = year["hours"].as_array().expect("hours");
    assert_eq!((hours.len(), &hours[20]), (24, &json!(900)));
    let finished = year["finished"].as_array().expect("items");
    assert_eq!(finished.len(), 1);
    assert_eq!(id_of(&finished[0]["item"]), diary.item("Emma"));
    assert_eq!(finished[0]["finished_at"], "2024-01-31T23:30:00.000000Z");
}

#[test]
fn year_begins_at_midnight_of_the_zone() {
    let diary = diary();
    let emma = diary.item("Emma");
    read(&diary.admin, emma, &[("01T02:58", 1), ("01T03:03", 9)]);
    let seconds = |year: i32, tz: &str| {
        let path = format!("/stats/year/{year}?tz={tz}");
        diary.admin.get(&path).expect(200).json()["seconds"].clone()
    };
    assert_eq!(
        [seconds(2023, "UTC"), seconds(2024, "UTC")],
        [json!(0), json!(300)]
    );
    let zone = "America/Sao_Paulo";
    assert_eq!(
        [seconds(2023, zone), seconds(2024, zone)],
        [json!(120), json!(180)]
    );
}

#[test]
fn empty_year_has_no_streak() {
    let diary = diary();
    let year = diary.admin.get("/stats/year/2023").expect(200).json();
    assert_eq!(year["longest_streak"], 0);
    assert_eq!(
        [&year["streak_from"], &year["streak_to"]],
        [&Value::Null, &Value::Null]
    );
    for key in ["by_kind", "calendar", "authors", "genres", "finished"] {
        assert_eq!(year[key], json!([]), "{key}");
    }
    assert_eq!(year["hours"], json!(vec![0; 24]));
}

#[test]
fn invisible_items_keep_their_time_in_the_year() {
    let diary = filled();
    let me = diary.admin.get("/auth/me").expect(200).json();
    let before = diary.admin.get("/stats/year/2024").expect(200).json();
    diary.grant(id_of(&me), false);
    let after = diary.admin.get("/stats/year/2024").expect(200).json();
    for key in [
        "seconds",
        "pages",
        "by_kind",
        "calendar",
        "longest_streak",
        "hours",
    ] {
        assert_eq!(after[key], before[key], "{key}");
    }
    for key in ["authors", "genres", "finished"] {
        assert_eq!(after[key], json!([]), "{key}");
    }
    let picture = diary.admin.get("/stats/year/2024.svg").expect(200);
    assert!(!String::from_utf8_lossy(&picture.body).contains("Jane"));
}

#[test]
fn picture_is_safe_svg_of_the_year() {
    let diary = filled();
    let picture = diary.admin.get("/stats/year/2024.svg?tz=UTC").expect(200);
    assert_eq!(picture.header("content-type"), "image/svg+xml");
    let text = String::from_utf8(picture.body).expect("UTF-8");
    assert!(
        text.starts_with("<svg ") && text.contains(">2024</text>"),
        "{text}"
    );
    assert!(text.contains("&lt;Jane&gt; &amp; Co"), "{text}");
    assert!(text.contains("2024-01-03: 0 h 03 min"), "{text}");
    // One square per day of a leap year, and the background.
    assert_eq!(text.matches("<rect ").count(), 367);
}

#[test]
fn absent_year_is_404_and_unknown_zone_is_422() {
    let diary = diary();
    for year in [
        "0", "9999", "-1", "02024", "year", "2024.png", ".svg", "20240",
    ] {
        let path = format!("/stats/year/{year}");
        refused(&diary.admin.get(&path), 404, "not_found");
    }
    for suffix in ["", ".svg"] {
        let path = format!("/stats/year/2024{suffix}?tz=Nowhere");
        invalid(&diary.admin.get(&path), "tz");
    }
}
