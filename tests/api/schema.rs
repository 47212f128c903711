//! `migrations/schema.sql` tells the schema as the migrations make it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledge_core::db::Db;
use ledge_tests::Server;
use ledge_tests::server::program;
use rusqlite::Connection;

/// Tables, indexes and triggers by name; white space and comments do not count, nor whether a
/// column was there from the beginning or added.
fn objects(connection: &Connection) -> BTreeMap<String, String> {
    let mut objects = BTreeMap::new();
    let mut statement = connection
        .prepare(
            "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema
              WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_%\\_%' ESCAPE '\\'",
        )
        .expect("a statement");
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(3)?)))
        .expect("rows");
    for row in rows {
        let (kind, name, sql): (String, String, String) = row.expect("a row");
        let told = if kind == "table" && !sql.contains("VIRTUAL") {
            columns(connection, &name)
        } else {
            plain(&sql)
        };
        objects.insert(name, told);
    }
    objects
}

fn columns(connection: &Connection, table: &str) -> String {
    let mut told = String::new();
    for query in [
        "SELECT name || ' ' || type || ' ' || \"notnull\" || ' ' || ifnull(dflt_value, '') || ' ' || pk
           FROM pragma_table_xinfo(?1) ORDER BY name",
        "SELECT \"from\" || ' -> ' || \"table\" || ' ' || on_delete FROM pragma_foreign_key_list(?1)
          ORDER BY 1",
        "SELECT 'strict ' || strict || ' without rowid ' || wr FROM pragma_table_list WHERE name = ?1",
    ] {
        let mut statement = connection.prepare(query).expect("a statement");
        let rows = statement.query_map([table], |row| row.get::<_, String>(0)).expect("rows");
        for row in rows {
            told.push_str(&row.expect("a row"));
            told.push('\n');
        }
    }
    told
}

fn plain(sql: &str) -> String {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    lines
        .flat_map(str::split_whitespace)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_written_schema_is_the_real_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("real.db");
    Db::open(&path).expect("a database").close();
    let real = ledge_core::db::open::writable(&path).expect("the migrated database");
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/schema.sql");
    let written = Connection::open_in_memory().expect("a database");
    written
        .execute_batch(&fs::read_to_string(text).expect("schema.sql"))
        .expect("a schema");
    assert_eq!(objects(&written), objects(&real));
}

#[test]
fn the_web_interface_is_typed_by_the_servers_document() {
    let server = Server::with(&program("ledge"), &[]);
    let document = server.admin().get("/openapi.json").expect(200).json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/openapi.json");
    let text = fs::read_to_string(path).expect("web/openapi.json");
    let kept: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for part in ["paths", "components"] {
        // The two are too long to be printed side by side.
        assert!(
            kept[part] == document[part],
            "{part} differ: run `make types`"
        );
    }
}
