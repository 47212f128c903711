//! Query plans of every SQL statement in the sources. No statement may scan a large table, or sort
//! rows that an index has in order. Statements that are composed at run time are listed here and
//! have tests of their own next to them.

mod exceptions;

use std::fs;
use std::path::{Path, PathBuf};

use ledge_core::db::Db;
use rusqlite::Connection;

use exceptions::{COMPOSED, OWN, SMALL, SORTED, WHOLE};

/// Steps of a query plan, or SQLite's error.
type Plan = rusqlite::Result<Vec<String>>;

/// Statement with its file.
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
fn no_statement_scans_or_sorts_large_table() {
    let plans = plans();
    let mut problems = Vec::new();
    for (statement, plan) in &plans {
        match plan {
            Ok(steps) => problems.extend(steps.iter().filter_map(|step| judge(statement, step))),
            Err(_) if statement.is_listed(COMPOSED) => {}
            Err(error) => problems.push(statement.with(&error.to_string())),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert_each_is_used(COMPOSED, &plans, &|plan| plan.is_err());
    let has = |plan: &Plan, what: &str| {
        let steps = plan.as_ref().map(Vec::as_slice).unwrap_or_default();
        steps.iter().any(|step| step.contains(what))
    };
    assert_each_is_used(WHOLE, &plans, &|plan| has(plan, "SCAN "));
    assert_each_is_used(SORTED, &plans, &|plan| has(plan, "TEMP B-TREE"));
    // If fewer are found, the parser does not understand the style of the sources.
    let judged = plans.iter().filter(|(_, plan)| plan.is_ok()).count();
    assert!(judged > 300, "only {judged} statements were found");
}

/// Checks that every exception exists and is necessary.
fn assert_each_is_used(
    list: &[(&str, &str, &str)],
    plans: &[(Statement, Plan)],
    needs: &dyn Fn(&Plan) -> bool,
) {
    let is_used = |entry: &&(&str, &str, &str)| {
        let is_one = |statement: &Statement| statement.is_listed(&[**entry]);
        plans.iter().any(|(one, plan)| is_one(one) && needs(plan))
    };
    let unused: Vec<_> = list.iter().filter(|entry| !is_used(entry)).collect();
    assert!(unused.is_empty(), "{unused:#?} excuse nothing");
}

/// Returns the problem of a step, if there is one.
fn judge(statement: &Statement, step: &str) -> Option<String> {
    let scanned = step.strip_prefix("SCAN ");
    let is_scan = scanned.is_some_and(|read| {
        !read.contains("VIRTUAL TABLE") && !is_few(read) && !statement.is_listed(WHOLE)
    });
    let is_sorted = step.contains("TEMP B-TREE") && !statement.is_listed(SORTED);
    (is_scan || is_sorted).then(|| statement.with(step))
}

fn is_few(read: &str) -> bool {
    let goes_on = |c: char| c.is_ascii_lowercase() || c == '_';
    SMALL.iter().chain(OWN).any(|name| {
        let rest = read.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(goes_on))
    })
}

/// Returns every statement with its query plan or SQLite's error.
fn plans() -> Vec<(Statement, Plan)> {
    let mut statements = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut statements,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
    // Only reader connections have all functions that statements call.
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

/// Replaces `SELECT {COLUMNS}` with all columns.
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

/// Returns `true` if the parent module compiles this module for tests only.
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
    // A sorted statement may get its beginning from elsewhere.
    begins || text.contains("ORDER BY ")
}

/// Returns the string literals of a source, even across lines. Statements are long and begin with a
/// word that no other literal begins with.
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
