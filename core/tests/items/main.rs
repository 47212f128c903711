//! Comparison of pages, letters and totals of items with reading and sorting everything in Rust.

#![expect(
    clippy::indexing_slicing,
    reason = "the values are picked modulo their count"
)]

mod filters;
mod unknown_last;

use ledge_core::access::Visible;
use ledge_core::db::Db;
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::id::{ItemId, LibraryId, UserId};
use ledge_core::paging::Window;
use ledge_core::store::item;
use ledge_core::store::item::{Direction, Filter, Order, Sort};
use ledge_core::{Timestamp, text};
use rusqlite::{Connection, named_params};

const READER: UserId = UserId(1);

const STRANGER: UserId = UserId(2);

const SEES: [i64; 3] = [1, 2, 4];

#[derive(Debug, Clone)]
struct Row {
    id: ItemId,
    library: i64,
    kind: &'static str,
    title: String,
    year: Option<i64>,
    authors: String,
    added_at: String,
    missing: bool,
}

struct Shelf {
    _folder: tempfile::TempDir,
    db: Db,
    rows: Vec<Row>,
}

/// Creates four libraries of two kinds. The reader is granted three of them, the other user none.
fn shelf(items: usize) -> Shelf {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    let rows = db
        .write_blocking(move |tx| {
            for (id, name) in [(READER, "reader"), (STRANGER, "stranger")] {
                tx.execute(
                    "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                     VALUES (?1, ?2, ?2, '', 'user', '')",
                    (id, name),
                )?;
            }
            for library in 1..=4 {
                tx.execute(
                    "INSERT INTO library (id, name, name_key, path, created_at)
                     VALUES (?1, ?1, ?1, CAST(?1 AS BLOB), '')",
                    [library],
                )?;
            }
            for library in SEES {
                tx.execute(
                    "INSERT INTO library_grant VALUES (?1, ?2)",
                    (READER, library),
                )?;
            }
            Ok((0..items).map(|n| insert(tx, n)).collect::<Vec<_>>())
        })
        .expect("rows");
    Shelf {
        _folder: folder,
        db,
        rows,
    }
}

/// Titles repeat, so that ties are frequent. Every property varies independently.
fn insert(conn: &Connection, n: usize) -> Row {
    let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = [
        "The Émigré",
        "Volume 10",
        "Volume 2",
        "zebra",
        "2001",
        "Война",
        "A Tale",
        "x",
    ];
    let title = format!(
        "{} {}",
        words[(mixed >> 8) % words.len()],
        (mixed >> 16) % 50
    );
    let row = Row {
        id: ItemId(i64::try_from(n).expect("few items") + 1),
        library: i64::try_from((mixed >> 24) % 4).expect("small") + 1,
        kind: ["paper", "sound"][(mixed >> 28) % 2],
        year: (mixed >> 30)
            .is_multiple_of(3)
            .then_some(1900 + i64::try_from((mixed >> 33) % 90).expect("small")),
        authors: ["", "Ada", "Zoë"][(mixed >> 40) % 3].to_owned(),
        added_at: Timestamp::from_micros(i64::try_from((mixed >> 44) % 500).expect("small"))
            .to_string(),
        missing: (mixed >> 50).is_multiple_of(7),
        title,
    };
    let (initial, sort_title) = text::sort_key(&row.title);
    conn.execute(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, year,
                           authors, sort_authors, added_at, missing)
         VALUES (:id, :library, :kind, :id, :title, :sort_title, :initial, :year,
                 :authors, :sort_authors, :added_at, :missing)",
        named_params! {
            ":id": row.id,
            ":library": row.library,
            ":kind": row.kind,
            ":title": row.title,
            ":sort_title": sort_title,
            ":initial": initial,
            ":year": row.year,
            ":authors": row.authors,
            ":sort_authors": text::name_sort_key(&row.authors),
            ":added_at": row.added_at,
            ":missing": row.missing,
        },
    )
    .expect("a row");
    row
}

fn belongs(row: &Row, filter: &Filter) -> bool {
    SEES.contains(&row.library)
        && filter.kind.as_deref().is_none_or(|kind| kind == row.kind)
        && filter
            .library
            .is_none_or(|library| library.0 == row.library)
        && filter.missing.is_none_or(|missing| missing == row.missing)
}

fn expected(rows: &[Row], filter: &Filter, sort: Sort, direction: Direction) -> Vec<ItemId> {
    let mut rows: Vec<&Row> = rows.iter().filter(|row| belongs(row, filter)).collect();
    let title = |row: &Row| text::sort_key(&row.title).1;
    rows.sort_by_cached_key(|row| match sort {
        Sort::Title => (title(row), String::new(), row.id),
        Sort::Added => (row.added_at.clone(), String::new(), row.id),
        Sort::Year => (format!("{:05}", row.year.unwrap_or(0)), title(row), row.id),
        Sort::Author => (text::name_sort_key(&row.authors), title(row), row.id),
        _ => unreachable!("not compared this way"),
    });
    if direction == Direction::Desc {
        rows.reverse();
    }
    rows.into_iter().map(|row| row.id).collect()
}

fn ask(db: &Db, user: UserId, filter: &Filter, order: Order, window: Window) -> (Vec<ItemId>, u64) {
    let filter = filter.clone();
    let page = read(db, move |conn, view| {
        item::page(conn, view, Visible::of(user), &filter, order, window)
    });
    (page.items.iter().map(|card| card.id).collect(), page.total)
}

/// Reads with the item index.
fn read<T: Send + 'static>(
    db: &Db,
    work: impl FnOnce(&Connection, &IndexSnapshot) -> StoreResult<T> + Send + 'static,
) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime
        .block_on(db.read_with_index(work))
        .expect("a result")
}

fn order(sort: Sort, direction: Direction) -> Order {
    Order {
        sort,
        direction,
        seed: 0,
    }
}

fn filters() -> Vec<Filter> {
    let all = Filter::default();
    vec![
        all.clone(),
        Filter {
            kind: Some("paper".to_owned()),
            ..all.clone()
        },
        Filter {
            library: Some(LibraryId(2)),
            ..all.clone()
        },
        Filter {
            library: Some(LibraryId(3)),
            ..all.clone()
        },
        Filter {
            missing: Some(true),
            ..all.clone()
        },
        Filter {
            missing: Some(false),
            kind: Some("sound".to_owned()),
            ..all
        },
    ]
}

#[test]
fn every_page_of_every_order_equals_sorted_list() {
    let shelf = shelf(1500);
    for filter in filters() {
        for sort in [Sort::Title, Sort::Added, Sort::Year, Sort::Author] {
            for direction in [Direction::Asc, Direction::Desc] {
                let truth = expected(&shelf.rows, &filter, sort, direction);
                let mut offset = 0;
                loop {
                    let window = Window { offset, limit: 97 };
                    let (ids, total) =
                        ask(&shelf.db, READER, &filter, order(sort, direction), window);
                    assert_eq!(total, truth.len() as u64, "{filter:?}");
                    let start = usize::try_from(offset).expect("small").min(truth.len());
                    let end = (start + 97).min(truth.len());
                    assert_eq!(
                        ids,
                        truth[start..end],
                        "{filter:?} {sort:?} {direction:?} {offset}"
                    );
                    if ids.is_empty() {
                        break;
                    }
                    offset += 97;
                }
            }
        }
    }
}

#[test]
fn pages_in_the_middle_of_a_long_list_are_exact() {
    // The list is long enough that pages in the middle use a pivot.
    let shelf = shelf(24_000);
    let filter = Filter::default();
    for sort in [Sort::Title, Sort::Added, Sort::Year, Sort::Author] {
        for direction in [Direction::Asc, Direction::Desc] {
            let truth = expected(&shelf.rows, &filter, sort, direction);
            for tenth in 0..=10 {
                let start = (truth.len() * tenth / 10).min(truth.len() - 60);
                let window = Window {
                    offset: start as u64,
                    limit: 60,
                };
                let (ids, _) = ask(&shelf.db, READER, &filter, order(sort, direction), window);
                assert_eq!(
                    ids,
                    truth[start..start + 60],
                    "{sort:?} {direction:?} {start}"
                );
            }
        }
    }
}

#[test]
fn shuffle_is_stable_per_seed_and_contains_every_item_once() {
    let shelf = shelf(3000);
    for filter in filters() {
        let mut truth = expected(&shelf.rows, &filter, Sort::Title, Direction::Asc);
        let pages = |seed: u64, limit: u32| {
            let mut all = Vec::new();
            loop {
                let window = Window {
                    offset: all.len() as u64,
                    limit,
                };
                let order = Order {
                    sort: Sort::Random,
                    seed,
                    ..Order::default()
                };
                let (ids, _) = ask(&shelf.db, READER, &filter, order, window);
                if ids.is_empty() {
                    return all;
                }
                all.extend(ids);
            }
        };
        let shuffled = pages(7, 60);
        assert_eq!(shuffled, pages(7, 500), "{filter:?}");
        if truth.len() > 10 {
            assert_ne!(shuffled, pages(8, 500), "{filter:?}");
        }
        let mut sorted = shuffled;
        sorted.sort();
        truth.sort();
        assert_eq!(sorted, truth);
    }
}

#[test]
fn letters_have_offset_of_first_item() {
    let shelf = shelf(1500);
    for filter in filters() {
        let truth = expected(&shelf.rows, &filter, Sort::Title, Direction::Asc);
        let wanted = filter.clone();
        let letters = read(&shelf.db, move |conn, view| {
            item::letters(conn, view, Visible::of(READER), &wanted)
        });
        let title = |id: ItemId| {
            let row = shelf.rows.iter().find(|row| row.id == id).expect("a row");
            text::sort_key(&row.title).0
        };
        let mut begins: Vec<(String, u64)> = Vec::new();
        for (offset, id) in truth.iter().enumerate() {
            if begins
                .last()
                .is_none_or(|(letter, _)| *letter != title(*id))
            {
                begins.push((title(*id), offset as u64));
            }
        }
        let found: Vec<_> = letters.into_iter().map(|l| (l.letter, l.offset)).collect();
        assert_eq!(found, begins, "{filter:?}");
    }
}
