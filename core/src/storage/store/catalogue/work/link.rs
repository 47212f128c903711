//! Automatic links between the forms of a title.
//!
//! Triggers queue each changed item, and new items are found by their ids. Two items are linked if
//! they have a common key: an ISBN, a provider's id, or title and first author. Only items with a
//! form have keys.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension as _, Transaction, named_params};
use serde_json::Value;

use super::{id_of_unscoped, join, members_unscoped};
use crate::db::{AdaptiveBatch, Db};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::Registry;
use crate::search;
use crate::store::catalogue::person::AUTHOR;
use crate::text::{self, isbn};

/// Maximum number of items per transaction.
const CHUNK: usize = 200;
/// Maximum number of items that are linked by one key, and of items of a work that is extended
/// automatically.
const MAX_FORMS: usize = 50;

/// Articles that do not distinguish titles of one author.
const ARTICLES: [&str; 20] = [
    "a ", "an ", "the ", "der ", "die ", "das ", "ein ", "eine ", "le ", "la ", "les ", "l'",
    "un ", "une ", "el ", "los ", "las ", "una ", "il ", "lo ",
];

const ITEM: &str = "
    SELECT item.kind, item.subkind, item.title, item.facts,
           (SELECT person.name_key
              FROM item_person AS credit
              JOIN person ON person.id = credit.person_id
             WHERE credit.item_id = item.id AND credit.role = :author
             ORDER BY credit.position
             LIMIT 1) AS author
      FROM item
     WHERE item.id = :item";

const QUEUED: &str = "
    SELECT item_id
      FROM work_queue
     WHERE item_id > 0
     ORDER BY item_id
     LIMIT :n";

const NEW: &str = "
    SELECT item.id
      FROM queue_position
      JOIN item ON item.id > last_id
     WHERE queue = 'work'
     ORDER BY item.id
     LIMIT :n";

const SAME_KEY: &str = "
    SELECT item_id
      FROM work_key
     WHERE key = :key AND item_id <> :item
     ORDER BY item_id
     LIMIT :n";

/// Two items that an administrator has separated, or that have different numbers in one series. An
/// item without a number can be the same volume in another kind only: a recording of a text.
const SEPARATE: &str = "
    SELECT 1 FROM work_rejected WHERE item_id = :item AND other_id = :other
     UNION ALL
    SELECT 1
      FROM item AS one
      JOIN item AS two
        ON two.series_index <> one.series_index
        OR (two.series_index IS NOT one.series_index AND two.kind = one.kind)
      JOIN series AS own ON own.id = one.series_id
      JOIN series AS other ON other.id = two.series_id AND other.name_key = own.name_key
     WHERE one.id = :item
       AND two.id = :other";

/// Links the queued and the new items, in short transactions. Stops between transactions when `go_on` returns
/// `false`.
pub fn link_queued_blocking(
    db: &Db,
    registry: &std::sync::Arc<Registry>,
    go_on: impl Fn() -> bool,
) -> StoreResult<()> {
    if !db.read_blocking(is_pending)? {
        return Ok(());
    }
    let mut batch = AdaptiveBatch::of_at_most(CHUNK);
    while go_on() {
        let (rows, registry) = (batch.rows(), registry.clone());
        if db.bulk_blocking(move |tx| link_some(tx, &registry, rows))? < rows {
            break;
        }
        batch.learn(db);
    }
    Ok(())
}

/// Queues an item whose match was removed. Triggers queue all other changes. A trigger on the
/// removal of matches would also run for deleted items.
pub(crate) fn queue(tx: &Transaction<'_>, item: ItemId) -> StoreResult<()> {
    tx.prepare_cached("INSERT INTO work_queue (item_id) VALUES (:item) ON CONFLICT DO NOTHING")?
        .execute(named_params! { ":item": item })?;
    Ok(())
}

fn is_pending(conn: &Connection) -> StoreResult<bool> {
    Ok(conn
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM work_queue WHERE item_id > 0)
                 OR EXISTS (SELECT 1
                              FROM queue_position
                              JOIN item ON item.id > last_id
                             WHERE queue = 'work')",
        )?
        .query_row([], |row| row.get(0))?)
}

/// Links up to `rows` items: queued ones, then new ones. Returns their number.
fn link_some(tx: &Transaction<'_>, registry: &Registry, rows: usize) -> StoreResult<usize> {
    let queued = ids(tx, QUEUED, rows)?;
    let mut done = tx.prepare_cached("DELETE FROM work_queue WHERE item_id = :item")?;
    for item in &queued {
        link(tx, registry, *item)?;
        done.execute(named_params! { ":item": item })?;
    }
    let new = ids(tx, NEW, rows - queued.len())?;
    for item in &new {
        link(tx, registry, *item)?;
    }
    if let Some(last) = new.last() {
        tx.prepare_cached("UPDATE queue_position SET last_id = :last WHERE queue = 'work'")?
            .execute(named_params! { ":last": last })?;
    }
    Ok(queued.len() + new.len())
}

fn ids(conn: &Connection, sql: &str, rows: usize) -> StoreResult<Vec<ItemId>> {
    let mut statement = conn.prepare_cached(sql)?;
    let ids = statement.query_map(named_params! { ":n": rows }, |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Updates the keys of an item, and links it to the items with the same keys.
fn link(tx: &Transaction<'_>, registry: &Registry, item: ItemId) -> StoreResult<()> {
    let keys = keys_unscoped(tx, registry, item)?;
    tx.prepare_cached("DELETE FROM work_key WHERE item_id = :item")?
        .execute(named_params! { ":item": item })?;
    let mut insert =
        tx.prepare_cached("INSERT INTO work_key (item_id, key) VALUES (:item, :key)")?;
    for key in keys {
        insert.execute(named_params! { ":item": item, ":key": key })?;
        let mut statement = tx.prepare_cached(SAME_KEY)?;
        let parameters = named_params! { ":key": key, ":item": item, ":n": MAX_FORMS };
        let others = statement.query_map(parameters, |row| row.get(0))?;
        for other in others.collect::<Result<Vec<ItemId>, _>>()? {
            link_pair(tx, item, other)?;
        }
    }
    Ok(())
}

/// Joins the works of two items, unless some of their forms are different volumes, or an
/// administrator has separated them.
fn link_pair(tx: &Transaction<'_>, item: ItemId, other: ItemId) -> StoreResult<()> {
    let work = id_of_unscoped(tx, item)?;
    if work.is_some() && work == id_of_unscoped(tx, other)? {
        return Ok(());
    }
    let (own, others) = (members_unscoped(tx, item)?, members_unscoped(tx, other)?);
    if own.len() + others.len() > MAX_FORMS {
        return Ok(());
    }
    let mut separate = tx.prepare_cached(SEPARATE)?;
    for item in &own {
        for other in &others {
            if separate.exists(named_params! { ":item": item, ":other": other })? {
                return Ok(());
            }
        }
    }
    join(tx, &[item, other])?;
    Ok(())
}

/// Returns the letters and digits of a folded title, without its leading article.
fn title_key(title: &str) -> String {
    let folded = text::fold(title);
    let start = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let rest = ARTICLES
        .iter()
        .find_map(|article| start.strip_prefix(article));
    let rest = rest.map(letters).filter(|rest| !rest.is_empty());
    rest.unwrap_or_else(|| letters(start))
}

fn letters(text: &str) -> String {
    let folded = search::fold(text);
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the keys by which an item is linked.
fn keys_unscoped(
    conn: &Connection,
    registry: &Registry,
    item: ItemId,
) -> StoreResult<BTreeSet<String>> {
    let mut keys = BTreeSet::new();
    let row = conn
        .prepare_cached(ITEM)?
        .query_row(named_params! { ":item": item, ":author": AUTHOR }, |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, Option<String>>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, Option<String>>(4)?,
            ))
        })
        .optional()?;
    let Some((kind, subkind, title, facts, author)) = row else {
        return Ok(keys);
    };
    let kind = registry.kind(&kind);
    if kind
        .and_then(|kind| (kind.work_form)(subkind.as_deref()))
        .is_none()
    {
        return Ok(keys);
    }
    let title = title_key(&title);
    if let Some(author) = author.map(|author| letters(&author))
        && !title.is_empty()
        && !author.is_empty()
    {
        keys.insert(format!("title {title} {author}"));
    }
    let facts: Value = serde_json::from_str(&facts).unwrap_or_default();
    let isbns = isbn::in_facts(&facts).into_iter();
    keys.extend(isbns.map(|isbn| format!("isbn {isbn}")));
    let mut statement = conn
        .prepare_cached("SELECT provider, external_id FROM item_provider WHERE item_id = :item")?;
    let mut rows = statement.query(named_params! { ":item": item })?;
    while let Some(row) = rows.next()? {
        let (provider, id): (String, String) = (row.get(0)?, row.get(1)?);
        keys.insert(format!("provider {provider} {id}"));
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::super::{FORMS, MEMBERS};
    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn titles_are_compared_without_article_case_and_signs() {
        for title in ["The Hobbit", "Hobbit", "THE HÓBBIT!", "«The» Hobbit"] {
            let expected = if title.contains('«') {
                "thehobbit"
            } else {
                "hobbit"
            };
            assert_eq!(title_key(title), expected, "{title}");
        }
        assert_eq!(title_key("Die Blechtrommel"), title_key("Blechtrommel"));
        assert_eq!(title_key("L’Étranger"), "etranger");
        assert_eq!(title_key("Moby-Dick"), title_key("Moby Dick"));
        assert_eq!(title_key("A"), "a");
        assert_eq!(title_key("…"), "");
    }

    #[test]
    fn forms_and_keys_are_found_by_indexes() {
        for sql in [FORMS, MEMBERS, ITEM, NEW, SAME_KEY, SEPARATE] {
            let plan = plan(sql);
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
