//! Items by the texts of a field: names that items refer to, titles, codecs and languages.

use rusqlite::{Connection, named_params};

use super::{TextField, TextTest};
use crate::access::Visible;
use crate::db::id_set::{self, IdSet};
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::{search, text};

/// Number of items up to which titles are read by id instead of all titles.
const MAX_LOOKUPS: u64 = 20_000;

/// Table of names with the items that refer to them.
struct Names {
    /// Table with the folded names in `name_key`.
    table: &'static str,
    /// Join from `named` to the items.
    link: &'static str,
    /// Column with the item's id.
    item: &'static str,
}

const PEOPLE: Names = Names {
    table: "person",
    link: "CROSS JOIN item_person AS link ON link.person_id = named.id",
    item: "link.item_id",
};

const SERIES: Names = Names {
    table: "series",
    link: "CROSS JOIN item AS link ON link.series_id = named.id",
    item: "link.id",
};

const GENRES: Names = Names {
    table: "genre",
    link: "CROSS JOIN item_genre AS link ON link.genre_id = named.id",
    item: "link.item_id",
};

impl Names {
    fn one_of_sql(&self) -> String {
        let Self { table, link, item } = self;
        format!(
            "SELECT id_set({item})
               FROM json_each(:texts) AS wanted
              CROSS JOIN {table} AS named ON named.name_key = wanted.value
               {link}"
        )
    }

    fn containing_sql(&self) -> String {
        let Self { table, link, item } = self;
        format!(
            "SELECT id_set({item})
               FROM {table} AS named
               {link}
              WHERE instr(named.name_key, :part) > 0"
        )
    }

    fn ids(&self, conn: &Connection, test: &TextTest) -> StoreResult<IdSet> {
        match test {
            TextTest::OneOf(texts) => id_set::query(
                conn,
                &self.one_of_sql(),
                named_params! { ":texts": json(texts) },
            ),
            TextTest::Contains(part) => id_set::query(
                conn,
                &self.containing_sql(),
                named_params! { ":part": part },
            ),
        }
    }
}

/// The user's tags and the shared ones.
const TAGS: &str = "
    SELECT id_set(link.item_id)
      FROM tag
     CROSS JOIN item_tag AS link ON link.tag_id = tag.id
     WHERE (tag.user_id = :viewer OR tag.user_id IS NULL)
       AND (:texts IS NULL OR tag.name_key IN (SELECT value FROM json_each(:texts)))
       AND (:part IS NULL OR instr(tag.name_key, :part) > 0)";

/// Codecs of the file that a player continues with. There are few combinations of codecs.
const CODECS: &str = "
    SELECT id_set(item.id)
      FROM media_profile
     CROSS JOIN item INDEXED BY item_of_profile ON item.profile_id = media_profile.id
     WHERE (:texts IS NULL
            OR media_profile.vcodec IN (SELECT value FROM json_each(:texts))
            OR media_profile.acodec IN (SELECT value FROM json_each(:texts)))
       AND (:part IS NULL
            OR instr(ifnull(media_profile.vcodec, ''), :part) > 0
            OR instr(ifnull(media_profile.acodec, ''), :part) > 0)";

const LANGUAGES: &str = "
    SELECT id_set(item.id)
      FROM json_each(:texts) AS wanted
     CROSS JOIN item ON item.language = wanted.value";

const LANGUAGES_CONTAINING: &str = "
    SELECT id_set(id)
      FROM item INDEXED BY item_of_language
     WHERE language IS NOT NULL AND instr(language, :part) > 0";

/// Items with these sort keys. Equal titles have equal keys.
const TITLES: &str = "
    SELECT item.id, item.title
      FROM library_grant AS g
     CROSS JOIN (SELECT DISTINCT library_id, kind FROM item_count) AS c
        ON c.library_id = g.library_id
     CROSS JOIN json_each(:keys) AS wanted
     CROSS JOIN item INDEXED BY item_by_title
        ON item.library_id = c.library_id AND item.kind = c.kind
       AND item.sort_title = wanted.value
     WHERE g.user_id = :viewer";

const ALL_TITLES: &str = "SELECT id, title FROM item";

const TITLES_OF: &str = "
    SELECT item.id, item.title
      FROM json_each(:ids) AS wanted
     CROSS JOIN item ON item.id = wanted.value";

/// Returns the items whose field passes the test. `among` are the only items of interest, if they
/// are known.
pub(super) fn ids(
    conn: &Connection,
    visible: Visible,
    field: TextField,
    test: &TextTest,
    among: Option<&IdSet>,
) -> StoreResult<IdSet> {
    let (texts, part) = match test {
        TextTest::OneOf(texts) => (Some(json(texts)), None),
        TextTest::Contains(part) => (None, Some(part)),
    };
    match field {
        TextField::Author => PEOPLE.ids(conn, test),
        TextField::Series => SERIES.ids(conn, test),
        TextField::Genre => GENRES.ids(conn, test),
        TextField::Tag => id_set::query(
            conn,
            TAGS,
            named_params! { ":viewer": visible.user(), ":texts": texts, ":part": part },
        ),
        TextField::Codec => id_set::query(
            conn,
            CODECS,
            named_params! { ":texts": texts, ":part": part },
        ),
        TextField::Language => match part {
            None => id_set::query(conn, LANGUAGES, named_params! { ":texts": texts }),
            Some(part) => {
                id_set::query(conn, LANGUAGES_CONTAINING, named_params! { ":part": part })
            }
        },
        TextField::Title => match test {
            TextTest::OneOf(texts) => titled(conn, visible, texts),
            TextTest::Contains(part) => title_contains(conn, part, among),
        },
    }
}

fn titled(conn: &Connection, visible: Visible, texts: &[String]) -> StoreResult<IdSet> {
    let keys: Vec<String> = texts.iter().map(|text| text::sort_key(text).1).collect();
    let mut statement = conn.prepare_cached(TITLES)?;
    let mut rows =
        statement.query(named_params! { ":viewer": visible.user(), ":keys": json(&keys) })?;
    let mut ids = IdSet::default();
    while let Some(row) = rows.next()? {
        let title = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if texts.contains(&text::fold(title)) {
            ids.insert(row.get(0)?);
        }
    }
    Ok(ids)
}

/// Tests titles one by one: those of the candidates if they are few, otherwise all. The trigram
/// index finds candidates for texts of three letters or more.
fn title_contains(conn: &Connection, part: &str, among: Option<&IdSet>) -> StoreResult<IdSet> {
    let candidates = match among.filter(|ids| ids.len() <= MAX_LOOKUPS) {
        Some(few) => Some(few.clone()),
        None => search::may_contain(conn, part)?.map(|mut ids| {
            if let Some(among) = among {
                ids.intersect(among);
            }
            ids
        }),
    };
    let few = candidates.filter(|ids| ids.len() <= MAX_LOOKUPS);
    let mut statement = conn.prepare_cached(few.as_ref().map_or(ALL_TITLES, |_| TITLES_OF))?;
    if let Some(ids) = few {
        let ids: Vec<ItemId> = ids.descending().collect();
        statement.raw_bind_parameter(c":ids", json(&ids))?;
    }
    let mut rows = statement.raw_query();
    let mut ids = IdSet::default();
    while let Some(row) = rows.next()? {
        let title = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if text::fold(title).contains(part) {
            ids.insert(row.get(0)?);
        }
    }
    Ok(ids)
}

fn json<T: serde::Serialize>(values: &[T]) -> String {
    serde_json::to_string(values).expect("numbers and texts are JSON")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::user_data::progress::tests::plan;

    #[test]
    fn names_are_found_by_their_index() {
        for names in [PEOPLE, SERIES, GENRES] {
            let sql = names.one_of_sql();
            let plan = plan(&sql);
            let scans: Vec<&str> = plan.lines().filter(|line| line.contains("SCAN")).collect();
            assert_eq!(
                scans,
                ["SCAN wanted VIRTUAL TABLE INDEX 1:"],
                "{sql}\n{plan}"
            );
        }
    }

    #[test]
    fn items_of_names_that_contain_a_text_are_found_by_index() {
        for names in [PEOPLE, SERIES, GENRES] {
            let plan = plan(&names.containing_sql());
            let scans = plan.lines().filter(|line| line.contains("SCAN"));
            assert_eq!(scans.count(), 1, "{plan}");
            assert!(plan.contains("SEARCH link USING"), "{plan}");
        }
    }

    proptest! {
        #[test]
        fn titles_with_equal_folded_texts_have_equal_keys(title in "\\PC{0,40}") {
            let folded = text::fold(&title);
            prop_assert_eq!(text::sort_key(&title).1, text::sort_key(&folded).1);
        }
    }
}
