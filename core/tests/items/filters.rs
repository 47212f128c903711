//! Filters: states, favourites and grants, and the counts of their matches.

use ledge_core::access::Visible;
use ledge_core::error::StoreResult;
use ledge_core::id::ItemId;
use ledge_core::paging::Window;
use ledge_core::store::item;
use ledge_core::store::item::{Direction, Filter, Order, Sort, State};
use rusqlite::{Connection, Transaction};

use super::{READER, STRANGER, ask, expected, filters, order, read, shelf, unknown_last};

/// Makes a favourite of one item, and begins and finishes others. A hidden item is both.
fn mark(
    tx: &Transaction<'_>,
    (loved, begun, done): (ItemId, ItemId, ItemId),
    hidden: ItemId,
) -> StoreResult<()> {
    tx.execute(
        "INSERT INTO folder (id, library_id, path) VALUES (1, 1, x'')",
        [],
    )?;
    for item in [loved, hidden] {
        tx.execute("INSERT INTO favourite VALUES (?1, ?2, '')", (READER, item))?;
    }
    for (item, finished) in [(begun, false), (done, true), (hidden, true)] {
        tx.execute(
            "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at)
                     VALUES (?1, ?1, 1, CAST(?1 AS BLOB), 0, 0, '')",
            [item],
        )?;
        tx.execute(
            "INSERT INTO item_progress
                            (user_id, item_id, library_id, file_id, finished, updated_at)
                     SELECT ?1, id, library_id, id, ?3, '' FROM item WHERE id = ?2",
            (READER, item, finished),
        )?;
    }
    Ok(())
}

#[test]
fn favourites_and_states_filter_list() {
    let shelf = shelf(600);
    let visible: Vec<ItemId> =
        expected(&shelf.rows, &Filter::default(), Sort::Title, Direction::Asc);
    let hidden = shelf
        .rows
        .iter()
        .find(|row| row.library == 3)
        .expect("a row")
        .id;
    let (loved, begun, done) = (visible[3], visible[5], visible[8]);
    shelf
        .db
        .write_blocking(move |tx| mark(tx, (loved, begun, done), hidden))
        .expect("rows");
    let ids = |filter: Filter| {
        let window = Window {
            offset: 0,
            limit: 500,
        };
        ask(&shelf.db, READER, &filter, Order::default(), window)
    };
    let all = Filter::default();
    let state = |state| Filter {
        state: Some(state),
        ..all.clone()
    };
    assert_eq!(
        ids(Filter {
            favourite: Some(true),
            ..all.clone()
        })
        .0,
        [loved]
    );
    assert_eq!(ids(state(State::Started)).0, [begun]);
    assert_eq!(ids(state(State::Finished)).0, [done]);
    assert_eq!(ids(state(State::Unstarted)).1, visible.len() as u64 - 2);
    let others = ids(Filter {
        favourite: Some(false),
        ..all.clone()
    });
    assert_eq!(others.1, visible.len() as u64 - 1);
    assert!(!others.0.contains(&loved));
}

#[test]
fn user_without_grants_sees_nothing() {
    let shelf = shelf(300);
    let window = Window {
        offset: 0,
        limit: 60,
    };
    for filter in filters() {
        let sorts = [Sort::Title, Sort::Added, Sort::Series, Sort::Random];
        for sort in sorts.into_iter().chain(unknown_last::SORTS) {
            let nothing = ask(
                &shelf.db,
                STRANGER,
                &filter,
                order(sort, Direction::Asc),
                window,
            );
            assert_eq!(nothing, (Vec::new(), 0), "{filter:?} {sort:?}");
        }
        let letters = read(&shelf.db, move |conn, view| {
            item::letters(conn, view, Visible::of(STRANGER), &filter)
        });
        assert!(letters.is_empty());
    }
}

#[test]
fn counts_match_items_after_every_change() {
    let shelf = shelf(200);
    let truth = |conn: &Connection, sql: &str| -> Vec<(i64, String, String, bool, String, i64)> {
        let mut statement = conn.prepare(sql).expect("a statement");
        let rows = statement
            .query_map([], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                ))
            })
            .expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    };
    shelf
        .db
        .write_blocking(move |tx| {
            tx.execute("UPDATE item SET missing = 1 - missing WHERE id % 3 = 0", [])?;
            tx.execute("UPDATE item SET initial = 'Q' WHERE id % 5 = 0", [])?;
            tx.execute("UPDATE item SET subkind = 'loose' WHERE id % 2 = 0", [])?;
            tx.execute("UPDATE item SET subkind = NULL WHERE id % 8 = 0", [])?;
            tx.execute("DELETE FROM item WHERE id % 7 = 0", [])?;
            tx.execute("DELETE FROM library WHERE id = 2", [])?;
            let counted = truth(
                tx,
                "SELECT library_id, kind, subkind, missing, initial, n FROM item_count WHERE n <> 0
                  ORDER BY 1, 2, 3, 4, 5",
            );
            let real = truth(
                tx,
                "SELECT library_id, kind, ifnull(subkind, ''), missing, initial, count(*) FROM item
                  GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5",
            );
            assert_eq!(counted, real);
            Ok(())
        })
        .expect("a check");
}
