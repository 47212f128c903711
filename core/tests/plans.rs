//! How SQLite goes about every statement that stands in the sources as it is run: none reads a
//! large table from end to end, and none sorts what an index has in order. Statements that are put
//! together from parts have tests of their own, beside them.

use std::fs;
use std::path::{Path, PathBuf};

use ledge_core::db::migrate::migrate;
use rusqlite::Connection;

/// Tables with a few rows.
const SMALL: &[&str] = &["library", "user", "job"];

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
        "db/migrate/rows.rs",
        "",
        "a migration has every row to look at",
    ),
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

/// Statements that sort, all of them a handful of rows.
const SORTED: &[(&str, &str, &str)] = &[
    (
        "suggestions/seeds.rs",
        "SELECT item.kind",
        "people of a few items",
    ),
    ("store/annotation.rs", "SELECT", "annotations of an item"),
    (
        "item/detail.rs",
        "SELECT",
        "what stands in the files of an item",
    ),
    ("store/job.rs", "UPDATE job", "jobs that wait"),
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
}

#[test]
fn no_statement_reads_a_large_table_from_end_to_end_or_sorts_it() {
    let mut conn = Connection::open_in_memory().expect("a database");
    migrate(&mut conn).expect("a schema");
    let mut statements = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut statements,
    );
    let mut judged = 0;
    for statement in statements {
        let Some(steps) = plan(&conn, &statement) else {
            continue;
        };
        judged += 1;
        for step in steps {
            let problem = format!("{}: {step}\n{}", statement.file.display(), statement.sql);
            if let Some(read) = step.strip_prefix("SCAN ") {
                let is_few = |name: &&&str| {
                    let rest = read.strip_prefix(**name);
                    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
                };
                let fine = read.contains("VIRTUAL TABLE")
                    || SMALL.iter().chain(OWN).any(|name| is_few(&name))
                    || statement.is_listed(WHOLE);
                assert!(fine, "{problem}");
            }
            if step.contains("TEMP B-TREE FOR ORDER BY") {
                assert!(statement.is_listed(SORTED), "{problem}");
            }
        }
    }
    // Else the sources are written in a way that is not understood here.
    assert!(judged > 200, "only {judged} statements were found");
}

/// The steps; `None` for what is no statement by itself.
fn plan(conn: &Connection, statement: &Statement) -> Option<Vec<String>> {
    let sql = with_columns(&statement.sql);
    // A part of a statement, or one of a function that only readers have.
    let is_whole = !sql.contains('{') && !sql.contains("id_set(") && !sql.contains(';');
    if !is_whole {
        return None;
    }
    let mut prepared = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).ok()?;
    let rows = prepared.raw_query().mapped(|row| row.get(3)).collect();
    let steps: Result<Vec<String>, _> = rows;
    Some(steps.unwrap_or_else(|error| panic!("{}: {error}\n{sql}", statement.file.display())))
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
            let code = source.split("#[cfg(test)]\nmod tests").next();
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
    [
        "SELECT ", "UPDATE ", "DELETE ", "INSERT ", "REPLACE ", "WITH ",
    ]
    .iter()
    .any(|word| text.trim_start().starts_with(word))
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
