//! Sums over all users, for administrators.

use serde_json::Value;

use super::diary::{diary, entries, read, sums};
use crate::http::conventions::{has_keys, invalid, refused};

#[test]
fn sums_of_all_users_have_no_names() {
    let diary = diary();
    let (_, mia) = diary.reader("mia");
    let [emma, film] = ["Emma", "Lantern"].map(|title| diary.item(title));
    for client in [&diary.admin, &mia] {
        read(client, emma, &[("20T20:00", 1), ("20T20:01", 3)]);
    }
    read(&mia, film, &[("21T20:00", 1), ("21T20:02", 3)]);
    let get = |further: &str| -> Value {
        let path = format!("/stats/server?from=2024-01-01&to=2024-01-31&{further}");
        diary.admin.get(&path).expect(200).json()
    };
    let days = get("");
    has_keys(&days, "from to by totals items");
    has_keys(
        &days["totals"],
        "seconds pages sessions finished days users",
    );
    assert_eq!(sums(&days["totals"]), [240, 4, 3, 0]);
    assert_eq!([&days["totals"]["users"], &days["totals"]["days"]], [2, 2]);
    assert_eq!(entries(&days), ["2024-01-20 120 4", "2024-01-21 120 0"]);
    has_keys(
        &days["items"][0],
        "key name seconds pages sessions finished users",
    );
    assert_eq!(
        [&days["items"][0]["users"], &days["items"][1]["users"]],
        [2, 1]
    );
    let kinds = get("by=kind");
    assert_eq!(entries(&kinds), ["books 120 4", "video 120 0"]);
    assert_eq!(entries(&get("by=hour&tz=Asia/Tokyo")), ["5 240 4"]);
    for by in ["author", "genre", "item"] {
        invalid(&diary.admin.get(&format!("/stats/server?by={by}")), "by");
    }
    refused(&mia.get("/stats/server"), 403, "forbidden");
}
