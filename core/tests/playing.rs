//! Comparison of lists of playable items with finding and resolving every item's file in Rust.

use std::collections::BTreeSet;

use ledge_core::access::Visible;
use ledge_core::db::Db;
use ledge_core::db::item_index::IndexSnapshot;
use ledge_core::error::StoreResult;
use ledge_core::id::{FileId, ItemId, LibraryId, UserId};
use ledge_core::paging::Window;
use ledge_core::playback::{Candidate, Codecs, Offer};
use ledge_core::process::ffprobe;
use ledge_core::registry::{Format, MediaKind, PlaybackEngine, Registry, Unit};
use ledge_core::store::file::{media_profile, playback};
use ledge_core::store::item::{self, Filter, ItemCard, Order, Sort};
use ledge_core::text;
use rusqlite::Connection;

const READER: UserId = UserId(1);
const OTHER: UserId = UserId(2);

const ROUND: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Round",
    rank: 1,
    containers: &["tin", "jar"],
    vcodecs: &["red"],
    acodecs: &["low"],
};
const SQUARE: PlaybackEngine = PlaybackEngine {
    id: "square",
    label: "Square",
    rank: 2,
    containers: &["jar", "box"],
    vcodecs: &["red", "blue"],
    acodecs: &["high"],
};
const REEL: &[Format] = &[Format::untyped("reel", "download", Unit::Second)];
const PAPER: &[Format] = &[Format::untyped("paper", "download", Unit::Page)];
const REELS: MediaKind = MediaKind {
    probe: Some(ffprobe::probe),
    ..MediaKind::new("reels", "Reel", "Reels", REEL)
};
const PAPERS: MediaKind = MediaKind::new("papers", "Paper", "Papers", PAPER);

fn offer(engines: &[&str]) -> Offer {
    let registry = Registry::of(vec![&REELS, &PAPERS], vec![&ROUND, &SQUARE], Vec::new());
    Offer::of(&registry.expect("a registry"), engines.iter().copied())
}

/// Deterministic pseudo-random numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % n
    }

    fn pick(&mut self, words: &[&'static str]) -> Option<String> {
        let n = usize::try_from(self.below(words.len() as u64)).expect("small");
        let word = words.get(n).expect("below their number");
        (!word.is_empty()).then(|| (*word).to_owned())
    }
}

#[derive(Debug, Clone)]
struct File {
    id: FileId,
    missing: bool,
    codecs: Codecs,
}

#[derive(Debug, Clone)]
struct Row {
    id: ItemId,
    library: i64,
    kind: &'static str,
    title: String,
    files: Vec<File>,
    /// File that the reader continues with.
    next: Option<FileId>,
}

impl Row {
    fn is_missing(&self) -> bool {
        self.files.iter().all(|file| file.missing)
    }

    fn played(&self) -> Option<&File> {
        let mut present = self.files.iter().filter(|file| !file.missing);
        let next = present.clone().find(|file| Some(file.id) == self.next);
        next.or_else(|| present.next())
    }

    fn verdict(&self, offer: &Offer) -> Result<&'static str, String> {
        let unknown = Codecs::default();
        let answer = offer.resolve(Candidate {
            kind: self.kind,
            missing: self.is_missing(),
            codecs: self.played().map_or(&unknown, |file| &file.codecs),
        });
        answer
            .map(|engine| engine.id)
            .map_err(|obstacle| obstacle.to_string())
    }
}

/// Content of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stock {
    /// All variants, many of them missing or in libraries without a grant.
    Mixed,
    /// Mostly playable files.
    Playing,
}

/// Creates three libraries. The reader is granted the first two.
fn cinema(items: i64, stock: Stock) -> (tempfile::TempDir, Db, Vec<Row>) {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    let rows = db
        .write_blocking(move |tx| {
            for (id, name) in [(READER, "reader"), (OTHER, "other")] {
                tx.execute(
                    "INSERT INTO user (id, username, username_key, password_hash, role, created_at)
                     VALUES (?1, ?2, ?2, '', 'user', '')",
                    (id, name),
                )?;
            }
            for library in 1..=3 {
                tx.execute(
                    "INSERT INTO library (id, name, name_key, path, created_at)
                     VALUES (?1, ?1, ?1, CAST(?1 AS BLOB), '')",
                    [library],
                )?;
                tx.execute(
                    "INSERT INTO folder (id, library_id, path) VALUES (?1, ?1, x'')",
                    [library],
                )?;
            }
            tx.execute_batch("INSERT INTO library_grant VALUES (1, 1), (1, 2), (2, 1)")?;
            let mut rng = Rng(7);
            Ok((1..=items)
                .map(|id| insert(tx, id, stock, &mut rng))
                .collect::<Vec<_>>())
        })
        .expect("rows");
    (folder, db, rows)
}

fn insert(tx: &rusqlite::Transaction<'_>, id: i64, stock: Stock, rng: &mut Rng) -> Row {
    let words = ["The Émigré", "Volume 10", "Volume 2", "zebra", "2001", "x"];
    let title = format!("{} {}", rng.pick(&words).expect("a word"), rng.below(50));
    let kind = if rng.below(if stock == Stock::Mixed { 4 } else { 40 }) == 0 {
        "papers"
    } else {
        "reels"
    };
    let files = (0..=rng.below(3)).map(|n| {
        let codecs = if stock == Stock::Mixed || rng.below(8) == 0 {
            Codecs {
                container: rng.pick(&["", "tin", "jar", "box", "sack"]),
                vcodec: rng.pick(&["", "red", "blue"]),
                acodec: rng.pick(&["", "low", "high"]),
            }
        } else {
            Codecs {
                container: rng.pick(&["tin", "jar"]),
                vcodec: rng.pick(&["red"]),
                acodec: rng.pick(&["low"]),
            }
        };
        let is_probed = codecs.container.is_some() && kind == "reels";
        File {
            id: FileId(id * 4 + i64::try_from(n).expect("small")),
            missing: rng.below(if stock == Stock::Mixed { 4 } else { 40 }) == 0,
            codecs: if is_probed { codecs } else { Codecs::default() },
        }
    });
    let files: Vec<File> = files.collect();
    let begun = usize::try_from(rng.below(8)).expect("small");
    let row = Row {
        id: ItemId(id),
        library: match i64::try_from(rng.below(3)).expect("small") + 1 {
            3 if stock == Stock::Playing && rng.below(10) > 0 => 2,
            library => library,
        },
        kind,
        title,
        next: files.get(begun).map(|file| file.id),
        files,
    };
    store(tx, &row).expect("an item");
    row
}

fn store(tx: &rusqlite::Transaction<'_>, row: &Row) -> rusqlite::Result<()> {
    let (initial, sort_title) = text::sort_key(&row.title);
    tx.prepare_cached(
        "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, added_at,
                           missing)
         VALUES (?1, ?2, ?3, ?1, ?4, ?5, ?6, '2026-01-01T00:00:00.000000Z', ?7)",
    )?
    .execute((
        row.id,
        row.library,
        row.kind,
        &row.title,
        sort_title,
        initial,
        row.is_missing(),
    ))?;
    for (place, file) in row.files.iter().enumerate() {
        tx.prepare_cached(
            "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, added_at, sequence,
                               missing, container, vcodec, acodec)
             VALUES (?1, ?2, ?3, CAST(?1 AS BLOB), 0, 0, '2026-01-01T00:00:00.000000Z', ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
                file.id,
                row.id,
                row.library,
                place,
                file.missing,
                &file.codecs.container,
                &file.codecs.vcodec,
                &file.codecs.acodec,
            ))?;
    }
    if let Some(next) = row.next {
        tx.prepare_cached(
            "INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                        updated_at)
             VALUES (?1, ?2, ?3, ?4, ?4, '2026-01-01T00:00:00.000000Z')",
        )?
        .execute((READER, row.id, row.library, next))?;
    }
    media_profile::settle(tx, row.id).expect("a profile");
    Ok(())
}

fn ask(db: &Db, filter: &Filter, order: Order, window: Window) -> (Vec<ItemCard>, u64) {
    let filter = filter.clone();
    let page = read(db, move |conn, view| {
        item::page(conn, view, Visible::of(READER), &filter, order, window)
    });
    (page.items, page.total)
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

fn filters(engines: &[&str]) -> Vec<Filter> {
    let all = Filter {
        engines: Some(offer(engines)),
        ..Filter::default()
    };
    vec![
        Filter {
            kind: Some("papers".to_owned()),
            ..all.clone()
        },
        Filter {
            library: Some(LibraryId(3)),
            ..all.clone()
        },
        Filter {
            library: Some(LibraryId(2)),
            missing: Some(false),
            ..all.clone()
        },
        Filter {
            missing: Some(true),
            ..all.clone()
        },
        Filter {
            favourite: Some(false),
            ..all.clone()
        },
        all,
    ]
}

/// Returns the items that belong to the list, sorted by title.
fn expected<'a>(rows: &'a [Row], filter: &Filter, offer: &Offer) -> Vec<&'a Row> {
    let belongs = |row: &&Row| {
        row.library != 3
            && filter.kind.as_deref().is_none_or(|kind| kind == row.kind)
            && filter.library.is_none_or(|id| id.0 == row.library)
            && filter
                .missing
                .is_none_or(|missing| missing == row.is_missing())
            && row.verdict(offer).is_ok()
    };
    let mut rows: Vec<&Row> = rows.iter().filter(belongs).collect();
    rows.sort_by_cached_key(|row| (text::sort_key(&row.title).1, row.id));
    rows
}

const OFFERS: [&[&str]; 5] = [
    &["html5"],
    &["square"],
    &["square", "html5"],
    &["other"],
    &[],
];

#[test]
fn lists_totals_and_letters_contain_playable_items_only() {
    let (_folder, db, rows) = cinema(1_200, Stock::Mixed);
    for engines in OFFERS {
        let offer = offer(engines);
        for filter in filters(engines) {
            let truth = expected(&rows, &filter, &offer);
            let ids: Vec<ItemId> = truth.iter().map(|row| row.id).collect();
            let mut found = Vec::new();
            for offset in (0..=ids.len() as u64).step_by(97) {
                let (cards, total) =
                    ask(&db, &filter, Order::default(), Window { offset, limit: 97 });
                assert_eq!(total, ids.len() as u64, "{engines:?} {filter:?}");
                for card in &cards {
                    assert_eq!((card.plays, &card.plays_reason), (Some(true), &None));
                }
                found.extend(cards.iter().map(|card| card.id));
            }
            assert_eq!(found, ids, "{engines:?} {filter:?}");
            let shuffled: BTreeSet<i64> = (0..=ids.len() as u64)
                .step_by(50)
                .flat_map(|offset| {
                    ask(
                        &db,
                        &filter,
                        Order {
                            sort: Sort::Random,
                            seed: 3,
                            ..Order::default()
                        },
                        Window { offset, limit: 50 },
                    )
                    .0
                })
                .map(|card| card.id.0)
                .collect();
            assert_eq!(shuffled, ids.iter().map(|id| id.0).collect());
            letters_agree(&db, &filter, &truth);
        }
    }
    let lists: BTreeSet<usize> = OFFERS
        .iter()
        .map(|engines| expected(&rows, &Filter::default(), &offer(engines)).len())
        .collect();
    assert!(lists.len() > 3, "the engines play the same: {lists:?}");
}

fn letters_agree(db: &Db, filter: &Filter, truth: &[&Row]) {
    let asked = filter.clone();
    let letters = read(db, move |conn, view| {
        item::letters(conn, view, Visible::of(READER), &asked)
    });
    let mut begins: Vec<(String, u64)> = Vec::new();
    for (offset, row) in truth.iter().enumerate() {
        let initial = text::sort_key(&row.title).0;
        if begins.last().is_none_or(|(last, _)| *last != initial) {
            begins.push((initial, offset as u64));
        }
    }
    let found: Vec<_> = letters.into_iter().map(|l| (l.letter, l.offset)).collect();
    assert_eq!(found, begins, "{filter:?}");
}

#[test]
fn middle_page_of_long_list_is_exact() {
    // The list is long enough that playable items are frequent and pages in the middle use a pivot.
    let (_folder, db, rows) = cinema(28_000, Stock::Playing);
    let filter = Filter {
        engines: Some(offer(&["html5", "square"])),
        ..Filter::default()
    };
    let truth = expected(&rows, &filter, &offer(&["html5", "square"]));
    assert!(truth.len() > 22_000, "{}", truth.len());
    for quarter in 0..=4 {
        let start = (truth.len() * quarter / 4).min(truth.len() - 60);
        let window = Window {
            offset: start as u64,
            limit: 60,
        };
        let (cards, total) = ask(&db, &filter, Order::default(), window);
        assert_eq!(total, truth.len() as u64);
        let ids: Vec<ItemId> = cards.iter().map(|card| card.id).collect();
        let expected = truth[start..start + 60].iter().map(|row| row.id);
        assert_eq!(ids, expected.collect::<Vec<_>>(), "{start}");
    }
}

#[test]
fn playability_on_cards_equals_resolution_of_item() {
    let (_folder, db, rows) = cinema(400, Stock::Mixed);
    for engines in OFFERS {
        let offer = offer(engines);
        for row in rows.iter().filter(|row| row.library != 3) {
            let verdict = row.verdict(&offer);
            let (id, judging) = (row.id, offer.clone());
            let (card, played) = db
                .read_blocking(move |conn: &Connection| {
                    let visible = Visible::of(READER);
                    let item = visible.item(conn, id)?.expect("visible");
                    let registry = Registry::of(Vec::new(), vec![&ROUND], Vec::new());
                    let registry = registry.expect("a registry");
                    let detail = item::detail(conn, &registry, visible, id)?;
                    let mut card = detail.expect("an item").card;
                    assert_eq!((card.plays, &card.plays_reason), (None, &None), "not asked");
                    item::judge(conn, visible, &judging, [&mut card])?;
                    Ok((card, playback::next_file(conn, item)?))
                })
                .expect("an item");
            let file = row.played().or_else(|| row.files.first());
            assert_eq!(played.map(|file| file.id), file.map(|file| file.id));
            if row.kind == "papers" {
                assert_eq!((card.plays, card.plays_reason), (None, None));
            } else {
                assert_eq!(card.plays, Some(verdict.is_ok()));
                assert_eq!(card.plays_reason, verdict.err());
            }
        }
    }
}
