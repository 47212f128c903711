//! The plans that SQLite makes for each order, and lists of very many arms.

mod chosen;
mod leveled;
mod many;

use super::*;
use crate::db::migrate;
use crate::ffprobe;
use crate::id::{LibraryId, PersonId, SeriesId, UserId};
use crate::playback::Offer;
use crate::registry::{Format, MediaKind, PlaybackEngine, Registry, Unit};
use crate::store::item::State;

const PLAYER: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Player",
    rank: 1,
    containers: &["tin"],
    vcodecs: &["red"],
    acodecs: &[],
};

const FORMATS: &[Format] = &[Format::untyped("reel", "download", Unit::Second)];
const PAPER: MediaKind = MediaKind {
    probe: Some(ffprobe::probe),
    ..MediaKind::new("paper", "Paper", "Papers", FORMATS)
};

fn offer() -> Offer {
    let registry = Registry::of(vec![&PAPER], vec![&PLAYER], Vec::new()).expect("a registry");
    Offer::of(&registry, [PLAYER.id])
}

fn plan(conn: &Connection, sql: &str) -> String {
    let mut statement = conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("a statement");
    let rows = statement
        .raw_query()
        .mapped(|row| row.get::<_, String>(3))
        .collect::<Result<Vec<_>, _>>();
    rows.expect("a plan").join("\n")
}

fn orders() -> impl Iterator<Item = (Sort, Direction)> {
    let sorts = [
        Sort::Title,
        Sort::Added,
        Sort::Year,
        Sort::Author,
        Sort::Series,
    ];
    let both = |sort| [Direction::Asc, Direction::Desc].map(|direction| (sort, direction));
    sorts.into_iter().flat_map(both)
}

#[test]
fn every_order_merges_index_ranges_and_sorts_nothing() {
    let conn = database();
    let arm = |library, kind: &str| Arm {
        library: LibraryId(library),
        kind: kind.to_owned(),
        count: 1,
    };
    let arms = [arm(1, "paper"), arm(1, "sound"), arm(2, "paper")];
    let filters = [
        Filter::default(),
        Filter {
            missing: Some(false),
            ..Filter::default()
        },
        Filter {
            engines: Some(offer()),
            ..Filter::default()
        },
        Filter {
            subkind: Some("loose".to_owned()),
            engines: Some(offer()),
            missing: Some(false),
            ..Filter::default()
        },
    ];
    for filter in &filters {
        let playing = Playing::of(&conn, Visible::of(UserId(1)), filter).expect("profiles");
        for (sort, direction) in orders() {
            let list = List {
                conn: &conn,
                view: None,
                visible: Visible::of(UserId(1)),
                filter,
                playing: playing.as_ref(),
                chosen: None,
                arms: &arms,
                sort,
                direction,
            };
            for sql in [
                list.merged_sql(direction, false),
                list.merged_sql(direction, true),
                list.count_sql(direction, false),
                list.count_sql(direction, true),
            ] {
                let plan = plan(&conn, &sql);
                let index = sort.index_for(filter);
                let covering = format!("COVERING INDEX {index} (library_id=? AND kind=?");
                assert!(plan.contains(&covering), "{sql}\n{plan}");
                let is_range = filter.subkind.is_none() || plan.contains("AND subkind=?");
                assert!(is_range, "{sql}\n{plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
                assert!(!plan.contains("SCAN item"), "{sql}\n{plan}");
            }
        }
    }
}

/// A database where a viewer goes on with the second file of two items: it plays where the first
/// does not, and the other way round.
fn database() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO media_profile VALUES (1, 'tin', 'red', NULL), (2, 'sack', 'red', NULL);
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at,
                           profile_id)
         VALUES (1, 1, 'paper', 'a', 'a', 'a', 'A', '', 1), (2, 1, 'paper', 'b', 'b', 'b', 'B', '', 2);
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, container, vcodec)
         VALUES (1, 1, 1, x'61', 0, 0, '', 'sack', 'red'), (2, 2, 1, x'62', 0, 0, '', 'tin', 'red');
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                    off_profile, updated_at)
         VALUES (1, 1, 1, 1, 1, 2, ''), (1, 2, 1, 2, 2, 1, '');
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);",
    )
    .expect("rows");
    conn
}

/// Each of them alone, and one of several at once.
fn filters() -> Vec<Filter> {
    let none = Filter::default;
    let with = |change: &dyn Fn(&mut Filter)| {
        let mut filter = none();
        change(&mut filter);
        filter
    };
    let author = Some(PersonId(1));
    vec![
        none(),
        with(&|filter| filter.kind = Some("paper".to_owned())),
        with(&|filter| filter.library = Some(LibraryId(1))),
        with(&|filter| filter.author = author),
        with(&|filter| filter.series = Some(SeriesId(1))),
        with(&|filter| filter.favourite = Some(true)),
        with(&|filter| filter.favourite = Some(false)),
        with(&|filter| filter.missing = Some(true)),
        with(&|filter| filter.missing = Some(false)),
        with(&|filter| filter.state = Some(State::Unstarted)),
        with(&|filter| filter.state = Some(State::Started)),
        with(&|filter| filter.state = Some(State::Finished)),
        with(&|filter| filter.engines = Some(offer())),
        with(&|filter| {
            filter.engines = Some(offer());
            filter.favourite = Some(false);
            filter.state = Some(State::Unstarted);
            filter.missing = Some(false);
        }),
        with(&|filter| {
            filter.engines = Some(offer());
            filter.author = author;
            filter.kind = Some("paper".to_owned());
        }),
        with(&|filter| {
            filter.author = author;
            filter.favourite = Some(true);
            filter.state = Some(State::Unstarted);
            filter.kind = Some("paper".to_owned());
            filter.missing = Some(false);
        }),
    ]
}

#[test]
fn no_filter_has_a_table_read_from_end_to_end() {
    let conn = database();
    let both = |filter: Filter| [(filter.clone(), 1), (filter, RARE)];
    for (filter, count) in filters().into_iter().flat_map(both) {
        let visible = Visible::of(UserId(1));
        let playing = Playing::of(&conn, visible, &filter).expect("profiles");
        let arms = [1, 2].map(|library| Arm {
            library: LibraryId(library),
            kind: "paper".to_owned(),
            count,
        });
        for (sort, direction) in orders() {
            let list = List {
                conn: &conn,
                view: None,
                visible,
                filter: &filter,
                playing: playing.as_ref(),
                chosen: None,
                arms: &arms,
                sort,
                direction,
            };
            assert_no_table_is_read(&list);
        }
    }
}

fn assert_no_table_is_read(list: &List<'_>) {
    let page = match list.selection() {
        Some(selection) => list.sorted_sql(&selection),
        None => list.merged_sql(list.direction, false),
    };
    let [ids, initials] = ["id", "initial"].map(|column| {
        let parts = list.unordered(column).try_into();
        let [(_, sql)] = parts.ok().expect("one part");
        sql
    });
    for sql in [page, format!("SELECT count(*) FROM ({ids})"), initials] {
        let plan = plan(list.conn, &sql);
        // Results of the statement's own parts stand in brackets; `json_each` has what it is given.
        let reads_all = plan.lines().any(|line| {
            line.starts_with("SCAN ") && !line.starts_with("SCAN (") && !line.contains("json_each")
        });
        let walks = list.selection().is_some() && plan.contains("(library_id=?");
        assert!(!reads_all && !walks, "{:?}\n{sql}\n{plan}", list.filter);
    }
}

#[test]
fn what_few_items_have_is_found_by_profile() {
    let conn = database();
    let filter = Filter {
        engines: Some(offer()),
        ..Filter::default()
    };
    let visible = Visible::of(UserId(1));
    let playing = Playing::of(&conn, visible, &filter).expect("profiles");
    let arms = [Arm {
        library: LibraryId(1),
        kind: "sound".to_owned(),
        count: RARE,
    }];
    let list = List {
        conn: &conn,
        view: None,
        visible,
        filter: &filter,
        playing: playing.as_ref(),
        chosen: None,
        arms: &arms,
        sort: Sort::Title,
        direction: Direction::Asc,
    };
    assert!(list.condition().contains(":lost"), "nobody goes on");
    let [(_, ids)] = list.unordered("id").try_into().ok().expect("one part");
    let plan = plan(&conn, &ids);
    assert!(plan.contains("INDEX item_of_profile (profile_id"), "{plan}");
    assert!(!plan.contains("SCAN item"), "{plan}");
}
