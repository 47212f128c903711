//! Tests of the query plans for each order, and of lists with very many ranges.

mod id_filter;
mod many;

use super::pivot::segments;
use super::*;
use crate::db::{id_set, migrate};
use crate::id::{LibraryId, PersonId, SeriesId, UserId};
use crate::playback::Offer;
use crate::process::ffprobe;
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

fn orders() -> impl Iterator<Item = Order> {
    let sorts = [
        Sort::Title,
        Sort::Added,
        Sort::Year,
        Sort::Author,
        Sort::Series,
        Sort::Duration,
        Sort::Pages,
        Sort::Size,
        Sort::Released,
    ];
    sorts.into_iter().flat_map(|sort| {
        [Direction::Asc, Direction::Desc].map(|direction| Order {
            sort,
            direction,
            seed: 0,
        })
    })
}

/// Returns the terms of an order in SQL.
fn terms(order: Order) -> String {
    let spec = order.sort.spec();
    let direction = order.direction.sql();
    if let ([value, title], true) = (spec.columns, spec.has_unknown_last) {
        return format!("{value} = {UNKNOWN}, {value} {direction}, {title}, id");
    }
    let columns = spec.columns.iter().chain(&["id"]);
    let terms: Vec<String> = columns
        .map(|column| format!("{column} {direction}"))
        .collect();
    terms.join(", ")
}

/// Calls `check` with a list of these partitions.
fn with_list(
    conn: &Connection,
    filter: &Filter,
    partitions: &[Partition],
    order: Order,
    check: impl FnOnce(&List<'_>),
) {
    let visible = Visible::of(UserId(1));
    let view = IndexSnapshot::of(conn);
    let playable = PlayableFilter::read(conn, visible, filter).expect("profiles");
    let membership = Membership::new(conn, &view, visible, filter, playable.as_ref());
    let membership = membership.expect("grants");
    let id_filter = IdFilter::read(conn, visible, filter, None, &membership).expect("ids");
    check(&List {
        conn,
        filter,
        playable: playable.as_ref(),
        membership: &membership,
        id_filter: id_filter.as_ref(),
        partitions,
        order,
        is_known: false,
        max_rows: MOST,
    });
}

fn partition(library: i64, kind: &str) -> Partition {
    Partition {
        library: LibraryId(library),
        kind: kind.to_owned(),
        subkind: None,
        size: 1,
        count: 1,
    }
}

#[test]
fn every_order_merges_index_ranges_without_sorting() {
    let conn = database();
    let partitions = [
        partition(1, "paper"),
        partition(1, "sound"),
        partition(2, "paper"),
    ];
    let subkind = Filter {
        subkinds: vec!["loose".to_owned()],
        engines: Some(offer()),
        missing: Some(false),
        ..Filter::default()
    };
    for filter in filters().into_iter().chain([subkind]) {
        for order in orders() {
            with_list(&conn, &filter, &partitions, order, assert_index_is_walked);
        }
    }
}

fn assert_range(list: &List<'_>, sql: &str) {
    let plan = plan(list.conn, sql);
    let index = list.order.sort.spec().index_for(list.filter);
    let covering = format!("COVERING INDEX {index} (library_id=? AND kind=?");
    assert!(plan.contains(&covering), "{sql}\n{plan}");
    let has_range = !list.filter.subkinds.is_empty() && list.order.sort.spec().has_subkind_index();
    let is_range = !has_range || plan.contains("AND subkind=?");
    assert!(is_range, "{sql}\n{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
    assert!(!plan.contains("SCAN item"), "{sql}\n{plan}");
}

fn assert_index_is_walked(list: &List<'_>) {
    let direction = list.order.direction;
    if list.order.sort.spec().has_unknown_last {
        assert_range(list, &list.unknown_sql());
        assert_range(list, &list.known_sql());
    }
    for sql in [
        list.merged_sql(direction, false),
        list.merged_sql(direction, true),
    ] {
        assert_range(list, &sql);
    }
    let key = |value: i64| vec![rusqlite::types::Value::Integer(value); list.key_columns().len()];
    let (start, end) = (key(1), key(2));
    for segment in segments(None, &end)
        .iter()
        .chain(&segments(Some(&start), &end))
    {
        let sql = list.count_sql(direction, segment);
        assert_range(list, &sql);
        // The index compares all columns, so that no entry is compared again.
        let has_subkind = !list.filter.subkinds.is_empty();
        let in_index = has_subkind && list.order.sort.spec().has_subkind_index();
        let bounds = [segment.from, segment.to].iter().flatten().count();
        let compared = 2 + usize::from(in_index) + segment.same.len() + bounds;
        let plan = plan(list.conn, &sql);
        assert_eq!(plan.matches('?').count(), compared, "{sql}\n{plan}");
    }
    let sorted = plan(list.conn, &list.sorted_sql());
    let is_found = sorted.contains("SEARCH item USING INTEGER PRIMARY KEY");
    assert!(is_found, "{sorted}");
}

/// Creates a database in which the viewer continues two items with their second file. In one item
/// only the first file plays, in the other only the second.
fn database() -> Connection {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate::migrate(&mut conn).expect("a schema");
    id_set::register(&conn).expect("a function");
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO media_profile VALUES (1, 'tin', 'red', NULL), (2, 'sack', 'red', NULL);
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at,
                           profile_id)
         VALUES (1, 1, 'paper', 'a', 'a', 'a', 'A', '', 1), (2, 1, 'paper', 'b', 'b', 'b', 'B', '', 2);
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, container, vcodec)
         VALUES (1, 1, 1, x'61', 0, 0, '', 'sack', 'red'), (2, 2, 1, x'62', 0, 0, '', 'tin', 'red');
         INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                    continue_profile_id, updated_at)
         VALUES (1, 1, 1, 1, 1, 2, ''), (1, 2, 1, 2, 2, 1, '');
         INSERT INTO library_grant (user_id, library_id) VALUES (1, 1);",
    )
    .expect("rows");
    conn
}

/// Returns a filter for each criterion alone, and one with several criteria.
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
fn exceptions_are_part_of_the_condition() {
    let conn = database();
    let filter = Filter {
        engines: Some(offer()),
        ..Filter::default()
    };
    with_list(
        &conn,
        &filter,
        &[partition(1, "sound")],
        Order::default(),
        |list| {
            let sql = list.merged_sql(Direction::Asc, false);
            assert!(
                sql.contains(":lost"),
                "no item is continued in an unplayable file"
            );
        },
    );
}
