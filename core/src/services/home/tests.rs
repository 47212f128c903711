//! Tests of the shelves with a database in memory and kinds defined by the test.

mod explored;
mod plans;
mod shelves;
mod suggested;

use rusqlite::{Connection, named_params};

use super::{Home, home};
use crate::access::Visible;
use crate::db::migrate::migrate;
use crate::id::UserId;
use crate::registry::{Format, MediaKind, PlaybackEngine, Registry, Unit};
use crate::store::item::ItemCard;

const fn kind(id: &'static str, plural: &'static str, formats: &'static [Format]) -> MediaKind {
    MediaKind::new(id, plural, plural, formats)
}

static PAPER: MediaKind = kind(
    "paper",
    "Papers",
    &[Format::untyped("a", "download", Unit::None)],
);
static SOUND: MediaKind = kind(
    "sound",
    "Sounds",
    &[Format::untyped("b", "download", Unit::None)],
);
static STONE: MediaKind = kind(
    "stone",
    "Stones",
    &[Format::untyped("c", "download", Unit::None)],
);

static PLAYER: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 1,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// A database with the users 1 and 2 and the libraries 1 to 3. User 1 sees the libraries 1 and 2.
struct World {
    conn: Connection,
    registry: Registry,
}

impl World {
    fn new() -> Self {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate(&mut conn).expect("a schema");
        conn.execute_batch(
            "INSERT INTO user (username, username_key, password_hash, role, created_at)
             VALUES ('ada', 'ada', '', 'user', ''), ('bob', 'bob', '', 'user', '');
             INSERT INTO library (name, name_key, path, created_at)
             VALUES ('A', 'a', x'61', ''), ('B', 'b', x'62', ''), ('C', 'c', x'63', '');
             INSERT INTO folder (library_id, path) VALUES (1, x''), (2, x''), (3, x'');
             INSERT INTO library_grant (user_id, library_id) VALUES (1, 1), (1, 2), (2, 1);",
        )
        .expect("rows");
        Self {
            conn,
            registry: Registry::of(vec![&PAPER, &SOUND, &STONE], vec![&PLAYER], Vec::new())
                .expect("kinds"),
        }
    }

    fn run(&self, sql: &str) {
        self.conn.execute_batch(sql).expect("a statement that runs");
    }

    /// Inserts an item with two files, added at the time that its id denotes.
    fn item(&self, library: i64, kind: &MediaKind, author: Option<&str>) -> i64 {
        let last: i64 = self
            .conn
            .query_row("SELECT ifnull(max(id), 0) FROM item", [], |row| row.get(0))
            .expect("a number");
        let id = last + 1;
        self.conn
            .execute(
                "INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial,
                                   added_at)
                 VALUES (:id, :library, :kind, :id, :id, :id, '#', :time)",
                named_params! {
                    ":id": id, ":library": library, ":kind": kind.id, ":time": time(id),
                },
            )
            .expect("an item");
        self.run(&format!(
            "INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, sequence, extent,
                               added_at)
             VALUES ({id}0, {id}, {library}, CAST('{id}a' AS BLOB), 1, 1, 1, 100, ''),
                    ({id}1, {id}, {library}, CAST('{id}b' AS BLOB), 1, 1, 2, 100, '');"
        ));
        if let Some(name) = author {
            self.run(&format!(
                "INSERT OR IGNORE INTO person (name, name_key) VALUES ('{name}', '{name}');
                 INSERT INTO item_person (item_id, position, person_id, role)
                 SELECT {id}, 0, id, 'author' FROM person WHERE name = '{name}';"
            ));
        }
        id
    }

    fn items(&self, count: usize, library: i64, kind: &MediaKind) -> Vec<i64> {
        (0..count).map(|_| self.item(library, kind, None)).collect()
    }

    /// Inserts progress in the first file of an item.
    fn start(&self, user: i64, item: i64, at: i64) {
        self.run(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             VALUES ({user}, {item}0, {item}, 25, '{time}');
             INSERT INTO item_progress (user_id, item_id, library_id, file_id, continue_file_id,
                                        updated_at)
             SELECT {user}, id, library_id, {item}0, {item}0, '{time}'
               FROM item WHERE id = {item};",
            time = time(at),
        ));
    }

    fn finish(&self, user: i64, item: i64, at: i64) {
        self.start(user, item, at);
        self.run(&format!(
            "UPDATE progress SET finished = 1 WHERE user_id = {user} AND item_id = {item};
             UPDATE item_progress SET finished = 1, continue_file_id = NULL
              WHERE user_id = {user} AND item_id = {item};"
        ));
    }

    fn view(&self, user: i64, item: i64, times: i64) {
        self.run(&format!(
            "INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
             SELECT {user}, id, library_id, {times}, '{}' FROM item WHERE id = {item};",
            time(0),
        ));
    }

    fn lose(&self, item: i64) {
        self.run(&format!("UPDATE item SET missing = 1 WHERE id = {item}"));
    }

    fn home_of(&self, user: i64) -> Home {
        let visible = Visible::of(UserId(user));
        home(&self.conn, visible, &self.registry, None).expect("shelves")
    }

    /// Reads the shelves of user 1.
    fn home(&self) -> Home {
        self.home_of(1)
    }
}

fn time(n: i64) -> String {
    crate::Timestamp::from_micros(1_800_000_000_000_000 + n).to_string()
}

fn ids<'a>(cards: impl IntoIterator<Item = &'a ItemCard>) -> Vec<i64> {
    cards.into_iter().map(|card| card.id.0).collect()
}

fn going_on(home: &Home) -> Vec<i64> {
    ids(home.going_on.iter().map(|entry| &entry.item))
}

fn viewed(home: &Home) -> Vec<i64> {
    ids(home.most_viewed.iter().map(|entry| &entry.item))
}

fn suggested(home: &Home) -> Vec<i64> {
    ids(home.suggestions.iter().map(|entry| &entry.item))
}
