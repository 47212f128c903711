//! Pages counted by levels: each against the plain truth, and nothing where levels do not tell.

use super::chosen::{ITEMS, filters, truth, world};
use super::*;

const LIMIT: u64 = 20;

struct Asked<'a> {
    conn: &'a Connection,
    view: &'a View,
    filter: &'a Filter,
    sort: Sort,
    direction: Direction,
}

impl Asked<'_> {
    /// A page by levels, of a list of so many items.
    fn page(&self, total: u64, offset: u64) -> Option<Vec<ItemId>> {
        let visible = Visible::of(UserId(1));
        let playing = Playing::of(self.conn, visible, self.filter).expect("profiles");
        let arms = arms(self.conn, visible, self.filter, playing.as_ref()).expect("arms");
        let chosen = Chosen::of(self.conn, self.view, visible, self.filter).expect("a choice");
        let list = List {
            conn: self.conn,
            view: Some(self.view),
            visible,
            filter: self.filter,
            playing: playing.as_ref(),
            chosen: chosen.as_ref(),
            arms: &arms,
            sort: self.sort,
            direction: self.direction,
        };
        let limit = LIMIT.min(total - offset);
        list.by_levels(total, offset, limit).expect("a page")
    }
}

fn view(conn: &Connection, changed: impl Iterator<Item = i64>) -> View {
    let sorts = orders().map(|(sort, _)| sort.order());
    View::with_levels(conn, sorts, changed.map(ItemId))
}

#[test]
fn pages_by_levels_are_exact_also_where_items_have_changed_since() {
    let conn = world();
    let view = view(&conn, (1..ITEMS).step_by(30));
    // Every other one has another key now, and one is gone.
    conn.execute_batch(
        "UPDATE item SET sort_title = 'x' || sort_title, added_at = '2020', sort_authors = 'y',
                         year = 1800
          WHERE id % 60 = 1;
         DELETE FROM item WHERE id = 61;",
    )
    .expect("changes");
    for ((filter, condition), (sort, direction)) in filters()
        .into_iter()
        .flat_map(|filter| orders().map(move |order| (filter.clone(), order)))
    {
        let mut truth = truth(&conn, condition, sort);
        if direction == Direction::Desc {
            truth.reverse();
        }
        let total = truth.len() as u64;
        let asked = Asked {
            conn: &conn,
            view: &view,
            filter: &filter,
            sort,
            direction,
        };
        for offset in [0, total / 9, total / 2, total.saturating_sub(7)] {
            if offset >= total {
                continue;
            }
            let expected = truth.iter().skip(usize::try_from(offset).expect("small"));
            let expected = expected.take(20).copied().collect();
            let found = asked.page(total, offset);
            assert_eq!(
                found,
                Some(expected),
                "{filter:?} {sort:?} {direction:?} {offset}"
            );
        }
    }
}

#[test]
fn pages_by_levels_are_exact_of_many_arms_and_of_what_plays() {
    let conn = many::world();
    let orders = orders().map(|(sort, _)| sort.order());
    let view = View::with_levels(&conn, orders, (1..900).map(ItemId));
    for (filter, condition) in many::filters() {
        let truth = many::truth(&conn, condition, "sort_title, id");
        let asked = Asked {
            conn: &conn,
            view: &view,
            filter: &filter,
            sort: Sort::Title,
            direction: Direction::Asc,
        };
        let total = truth.len() as u64;
        let found = asked.page(total, total / 2);
        if filter.engines.is_some() && filter.state.is_some() {
            assert_eq!(found, None, "{filter:?}");
            continue;
        }
        let expected = truth.iter().skip(truth.len() / 2).take(20);
        let expected = expected.copied().collect();
        assert_eq!(found, Some(expected), "{filter:?}");
    }
}

#[test]
fn there_is_no_page_where_levels_do_not_tell() {
    let conn = world();
    let filter = Filter::default();
    let of = |view| Asked {
        conn: &conn,
        view,
        filter: &filter,
        sort: Sort::Title,
        direction: Direction::Asc,
    };
    let total = truth(&conn, "1", Sort::Title).len() as u64;
    let none = View::of(&conn);
    let some = view(&conn, 0..900);
    let too_many = view(&conn, 0..3_000);
    let whole = |view| of(view).page(total, 5_000).is_some();
    assert_eq!([&none, &some, &too_many].map(whole), [false, true, false]);
    // Somebody has just taken an item away, and memory has not heard of it.
    assert!(of(&some).page(total - 1, 5_000).is_none());
}
