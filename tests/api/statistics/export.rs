//! Export of sessions as CSV and JSON.

use serde_json::{Value, json};

use super::diary::{diary, read};
use crate::http::conventions::{id_of, invalid};

#[test]
fn export_has_a_line_per_session() {
    let diary = diary();
    let [emma, film] = ["Emma", "Lantern"].map(|title| diary.item(title));
    read(&diary.admin, emma, &[("20T20:00", 1), ("20T20:01", 3)]);
    read(&diary.admin, film, &[("21T20:00", 1)]);
    let title = json!({"title": "=SUM(\"A1\", B2)"});
    diary
        .admin
        .patch(&format!("/items/{film}"), &title)
        .expect(200);
    let csv = diary.admin.get("/stats/export?format=csv").expect(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert!(csv.header("content-disposition").contains("statistics.csv"));
    let expected = format!(
        "start,end,kind,item_id,title,seconds,pages\n\
         2024-01-20T20:00:00.000000Z,2024-01-20T20:01:00.000000Z,books,{emma},Emma,60,2\n\
         2024-01-21T20:00:00.000000Z,2024-01-21T20:00:00.000000Z,video,{film},\
         \"'=SUM(\"\"A1\"\", B2)\",0,0\n"
    );
    assert_eq!(String::from_utf8(csv.body).expect("UTF-8"), expected);
    let json = diary.admin.get("/stats/export?format=json").expect(200);
    assert_eq!(json.header("content-type"), "application/json");
    let sessions = json.json();
    let newest_first = diary.admin.get("/stats/sessions").expect(200).json();
    let mut listed = newest_first["items"].as_array().expect("sessions").clone();
    listed.reverse();
    assert_eq!(sessions, Value::Array(listed));
    assert_eq!(sessions[1]["title"], "=SUM(\"A1\", B2)");
}

#[test]
fn export_is_limited_to_range_and_visible_titles() {
    let diary = diary();
    let (_, mia) = diary.reader("mia");
    let emma = diary.item("Emma");
    read(&mia, emma, &[("20T20:00", 1), ("25T20:00", 3)]);
    let count = |range: &str| {
        let path = format!("/stats/export?format=json&{range}");
        let sessions = mia.get(&path).expect(200).json();
        sessions.as_array().expect("sessions").len()
    };
    assert_eq!(
        [
            count(""),
            count("to=2024-01-20"),
            count("from=2024-01-21&to=2024-01-24")
        ],
        [2, 1, 0]
    );
    diary.grant(id_of(&mia.get("/auth/me").expect(200).json()), false);
    let text = mia.get("/stats/export").expect(200).body;
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(!text.contains("Emma"), "{text}");
    assert!(text.contains(",books,,,0,0\n"), "{text}");
    invalid(&mia.get("/stats/export?format=xml"), "format");
    invalid(&mia.get("/stats/export?from=now"), "from");
}
