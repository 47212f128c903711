//! How SQLite goes about every statement that stands in the sources as it is run: none reads a
//! large table from end to end, and none sorts what an index has in order. Statements that are put
//! together from parts are named here, and have tests of their own beside them.

use std::fs;
use std::path::{Path, PathBuf};

use ledge_core::db::Db;
use rusqlite::Connection;

/// Tables with a few rows.
const SMALL: &[&str] = &["library", "user", "job", "media_profile"];

/// What a plan calls rows that the statement itself made or was given.
const OWN: &[&str] = &[
    "(subquery",
    "CONSTANT",
    "arm",
    "fresh",
    "json_each",
    "near",
    "page",
    "ranked",
    "seed",
    "wanted",
];

/// Statements that read all of a table, by the file they stand in and by how they begin.
const WHOLE: &[(&str, &str, &str)] = &[
    (
        "progress/summary.rs",
        "SELECT 1 FROM",
        "it stops at the first row",
    ),
    (
        "progress/summary.rs",
        "SELECT item_id FROM",
        "a migration makes every summary anew",
    ),
    (
        "presence/load.rs",
        "SELECT id, library_id",
        "the start asks for every item once",
    ),
    ("db/verify.rs", "SELECT name", "tables, not their rows"),
    ("db/restore.rs", "SELECT count", "tables, not their rows"),
    (
        "store/totals.rs",
        "SELECT kind, missing",
        "counts of libraries, kinds and initials, not of items",
    ),
    (
        "store/named.rs",
        "SELECT",
        "names are walked in their order until the page is full",
    ),
];

/// Statements that sort, group or tell apart with a table of their own, all of them few rows.
const SORTED: &[(&str, &str, &str)] = &[
    (
        "suggestions/seeds.rs",
        "SELECT item.kind",
        "people of a few items",
    ),
    (
        "db/verify.rs",
        "SELECT DISTINCT",
        "tables with rows that refer to nothing",
    ),
    ("store/annotation.rs", "SELECT", "annotations of an item"),
    (
        "item/detail.rs",
        "SELECT",
        "what stands in the files of an item",
    ),
    (
        "item/filter.rs",
        "SELECT c.library_id",
        "counts of libraries, kinds and initials",
    ),
    (
        "item/subkinds.rs",
        "SELECT c.kind",
        "counts of libraries, kinds and initials",
    ),
    (
        "item/letters.rs",
        "SELECT c.initial",
        "counts of libraries, kinds and initials",
    ),
    (
        "store/totals.rs",
        "SELECT kind, missing",
        "counts of libraries, kinds and initials",
    ),
    (
        "store/library.rs",
        "SELECT kind, missing",
        "counts of a library's kinds and initials",
    ),
    ("store/edit.rs", "SELECT DISTINCT", "folders of an item"),
    (
        "store/media_profile.rs",
        "SELECT DISTINCT",
        "users who are in the middle of an item",
    ),
    ("store/save.rs", "SELECT DISTINCT", "slots of an item"),
    ("store/save.rs", "SELECT slot", "slots of a user's item"),
    ("store/job.rs", "UPDATE job", "jobs that wait"),
    (
        "cover/due.rs",
        "INSERT OR REPLACE",
        "items of a folder, each of which is written then",
    ),
    (
        "cover/due.rs",
        "SELECT file.folder_id",
        "the files of an item",
    ),
    ("library/grant.rs", "SELECT user.id", "users with a grant"),
    (
        "store/missing.rs",
        "SELECT item.id",
        "a page of what is missing",
    ),
    ("store/scan_run.rs", "SELECT id, path", "libraries"),
    ("store/matches.rs", "SELECT", "the last attempts at an item"),
    ("matches/link.rs", "SELECT provider", "matches of an item"),
    ("store/ticket.rs", "DELETE", "tickets of a session"),
    (
        "store/user_state.rs",
        "UPDATE game_save_version",
        "versions of a slot",
    ),
];

/// Statements that are put together from parts, and the test that has them made and looks at them,
/// or why there is nothing to look at.
const COMPOSED: &[(&str, &str, &str)] = &[
    (
        "presence/levels.rs",
        "SELECT {columns}",
        "the_index_is_read_as_it_stands",
    ),
    (
        "db/verify.rs",
        "SELECT count(*)",
        "how many rows a table has is what is asked",
    ),
    (
        "src/search.rs",
        "INSERT INTO {table}",
        "it tells an index to forget everything",
    ),
    (
        "store/catalogue.rs",
        "UPDATE item SET {column} = 0",
        "one item by its id",
    ),
    (
        "store/user_state.rs",
        "UPDATE item",
        "two items by their ids",
    ),
    ("store/library.rs", "{SELECT}", "libraries are few"),
    (
        "item/card.rs",
        "SELECT wanted.key",
        "a_card_is_found_by_keys_alone",
    ),
    (
        "item/detail.rs",
        "SELECT {columns}",
        "an_item_is_found_by_keys_alone",
    ),
    (
        "item/detail.rs",
        "SELECT file.sequence",
        "an_item_is_found_by_keys_alone",
    ),
    (
        "item/filter.rs",
        "SELECT item_id FROM item_person",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/filter.rs",
        "SELECT id FROM item WHERE series_id",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/filter.rs",
        "SELECT item_id FROM item_progress",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/left_out.rs",
        "SELECT item.initial",
        "only_what_the_viewer_has_is_read",
    ),
    (
        "item/list.rs",
        "SELECT count(*)",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/list.rs",
        "SELECT {column} FROM item NOT INDEXED",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/list.rs",
        "{} ORDER BY",
        "no_filter_has_a_table_read_from_end_to_end",
    ),
    (
        "item/list.rs",
        "SELECT {columns}",
        "every_order_merges_index_ranges_and_sorts_nothing",
    ),
    (
        "list/merge.rs",
        "{} ORDER BY",
        "every_order_merges_index_ranges_and_sorts_nothing",
    ),
    (
        "item/list.rs",
        "SELECT item.id",
        "a_choice_has_index_ranges_sieved_and_short_ones_looked_up",
    ),
    (
        "item/playing.rs",
        "SELECT id FROM item INDEXED BY item_of_profile",
        "what_few_items_have_is_found_by_profile",
    ),
    (
        "progress/log.rs",
        "SELECT updated_at",
        "the_libraries_are_merged_and_nothing_is_sorted",
    ),
    (
        "progress/log.rs",
        "{} ORDER BY",
        "the_libraries_are_merged_and_nothing_is_sorted",
    ),
];

/// The steps by which SQLite goes about a statement, or what it has against it.
type Plan = rusqlite::Result<Vec<String>>;

/// A statement, and the file it stands in.
struct Statement {
    file: PathBuf,
    sql: String,
}

impl Statement {
    fn is_listed(&self, list: &[(&str, &str, &str)]) -> bool {
        list.iter().any(|(file, begin, _)| {
            self.file.ends_with(file) && self.sql.trim_start().starts_with(begin)
        })
    }

    fn with(&self, problem: &str) -> String {
        format!("{}: {problem}\n{}", self.file.display(), self.sql)
    }
}

#[test]
fn no_statement_reads_a_large_table_from_end_to_end_or_sorts_it() {
    let plans = plans();
    for (statement, plan) in &plans {
        match plan {
            Ok(steps) => steps.iter().for_each(|step| judge(statement, step)),
            Err(error) => assert!(
                statement.is_listed(COMPOSED),
                "{}",
                statement.with(&error.to_string())
            ),
        }
    }
    assert_each_is_used(COMPOSED, &plans, &|plan| plan.is_err());
    let has = |plan: &Plan, what: &str| {
        let steps = plan.as_ref().map(Vec::as_slice).unwrap_or_default();
        steps.iter().any(|step| step.contains(what))
    };
    assert_each_is_used(WHOLE, &plans, &|plan| has(plan, "SCAN "));
    assert_each_is_used(SORTED, &plans, &|plan| has(plan, "TEMP B-TREE"));
    // Else the sources are written in a way that is not understood here.
    let judged = plans.iter().filter(|(_, plan)| plan.is_ok()).count();
    assert!(judged > 300, "only {judged} statements were found");
}

/// What is excused is there, and needs it.
fn assert_each_is_used(
    list: &[(&str, &str, &str)],
    plans: &[(Statement, Plan)],
    needs: &dyn Fn(&Plan) -> bool,
) {
    for entry in list {
        let is_one = |statement: &Statement| statement.is_listed(&[*entry]);
        let is_used = plans.iter().any(|(one, plan)| is_one(one) && needs(plan));
        assert!(is_used, "{entry:?} excuses nothing");
    }
}

fn judge(statement: &Statement, step: &str) {
    if let Some(read) = step.strip_prefix("SCAN ") {
        let fine = read.contains("VIRTUAL TABLE") || is_few(read) || statement.is_listed(WHOLE);
        assert!(fine, "{}", statement.with(step));
    }
    if step.contains("TEMP B-TREE") {
        assert!(statement.is_listed(SORTED), "{}", statement.with(step));
    }
}

fn is_few(read: &str) -> bool {
    let goes_on = |c: char| c.is_ascii_lowercase() || c == '_';
    SMALL.iter().chain(OWN).any(|name| {
        let rest = read.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(goes_on))
    })
}

/// Every statement with its steps, or with what SQLite has against it.
fn plans() -> Vec<(Statement, Plan)> {
    let mut statements = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut statements,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    // Readers alone have every function that a statement calls.
    let plans = db.read_blocking(|conn| {
        let with_plan = |statement: Statement| {
            let plan = plan(conn, &statement.sql);
            (statement, plan)
        };
        Ok(statements.into_iter().map(with_plan).collect())
    });
    plans.expect("a reader")
}

fn plan(conn: &Connection, sql: &str) -> Plan {
    let mut prepared = conn.prepare(&format!("EXPLAIN QUERY PLAN {}", with_columns(sql)))?;
    let steps = prepared.raw_query().mapped(|row| row.get(3));
    steps.collect()
}

/// `SELECT {COLUMNS}` with all columns.
fn with_columns(sql: &str) -> String {
    let mut whole = sql.to_owned();
    while let Some(start) = whole.find("SELECT {") {
        let name = start + "SELECT ".len();
        let Some(end) = whole.get(name..).and_then(|rest| rest.find('}')) else {
            break;
        };
        whole.replace_range(name..=name + end, "*");
    }
    whole
}

/// Whether the module above says that this one is compiled for tests alone.
fn is_of_tests(path: &Path) -> bool {
    let above = path.parent().expect("a folder").with_extension("rs");
    let name = path.file_stem().and_then(|name| name.to_str());
    let declared = format!("#[cfg(test)]\nmod {};", name.expect("a name"));
    name == Some("tests")
        || fs::read_to_string(above).is_ok_and(|source| source.contains(&declared))
}

fn collect(folder: &Path, statements: &mut Vec<Statement>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if is_of_tests(&path) {
            continue;
        }
        if path.is_dir() {
            collect(&path, statements);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let source = fs::read_to_string(&path).expect("a source");
            let code = source.split("#[cfg(test)]\nmod tests {").next();
            for sql in literals(code.unwrap_or_default()).filter(|text| is_statement(text)) {
                statements.push(Statement {
                    file: path.clone(),
                    sql,
                });
            }
        }
    }
}

fn is_statement(text: &str) -> bool {
    let begins = [
        "SELECT ", "UPDATE ", "DELETE ", "INSERT ", "REPLACE ", "WITH ",
    ]
    .iter()
    .any(|word| text.trim_start().starts_with(word));
    // What sorts may have its beginning from elsewhere.
    begins || text.contains("ORDER BY ")
}

/// The string literals of a source, whatever stands in between: statements are long, and begin
/// with a word that nothing else begins with.
fn literals(source: &str) -> impl Iterator<Item = String> {
    let pieces: Vec<&str> = source.split('"').collect();
    let texts = (0..pieces.len()).map(move |n| {
        let mut text = String::new();
        for piece in pieces.get(n..).unwrap_or_default() {
            text.push_str(piece.strip_suffix('\\').unwrap_or(piece));
            if !piece.ends_with('\\') {
                break;
            }
            text.push('"');
        }
        text
    });
    texts.collect::<Vec<_>>().into_iter()
}
