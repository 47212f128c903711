//! Query plans of lists.

use super::*;
use crate::store::item::Direction;
use crate::store::user_data::lists::collection::Collections;
use crate::store::user_data::lists::playlist::Playlists;
use crate::store::user_data::progress::tests::{assert_searches, plan};
use overview::ListSort;

fn assert_searches_tables_of<L: UserList>() {
    // The cover is looked for in one page of entries.
    let plan = plan(&get_sql::<L>()).replace("SCAN page\n", "");
    assert!(!plan.contains("SCAN"), "{plan}");
    assert_searches(&access::find_sql::<L>());
    assert_searches(&count_sql::<L>());
    assert_searches(&cover::covers_sql::<L>());
}

#[test]
fn statements_of_one_list_search_indexes() {
    assert_searches_tables_of::<Playlists>();
    assert_searches_tables_of::<Collections>();
}

fn assert_reads_readable_lists<L: UserList>() {
    let name = L::TABLES.name;
    for sort in [ListSort::Name, ListSort::Updated, ListSort::Created] {
        let plan = plan(&overview::page_sql::<L>(sort, Direction::Desc));
        for index in [
            format!("{name}_by_user (user_id=?)"),
            format!("{name}_public"),
        ] {
            assert!(plan.contains(&format!("INDEX {index}")), "{plan}");
        }
    }
}

#[test]
fn page_reads_own_and_public_lists_by_index() {
    assert_reads_readable_lists::<Playlists>();
    assert_reads_readable_lists::<Collections>();
}
