//! A library on a disk of its own, kinds that exist for tests only, and questions to the database.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ledge_core::clock::{Clock, ManualClock, Timestamp};
use ledge_core::db::Db;
use ledge_core::events::Events;
use ledge_core::id::LibraryId;
use ledge_core::jobs::JobQueue;
use ledge_core::registry::naming::{Credit, FolderListing, Group, ItemNames, Member, Series, join};
use ledge_core::registry::reading::{Candidate, Inspection, Probe, ReadError, ReadTools};
use ledge_core::registry::{Format, MediaKind, Notes, PlaybackEngine, Registry, Unit};
use ledge_core::scan::disk::{Disk, Listing, LocalDisk, Look, Node};
use ledge_core::scan::{self, Scan, Scope, Stop};
use ledge_core::search;
use ledge_core::store::StoreResult;
use ledge_core::store::scan_run::{Counters, End};
use ledge_core::watch::Watches;
use ledge_core::{App, Context, Settings};

const ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

/// Every file is an item; a file that begins with `title=` names itself, and what comes after a
/// line `%%picture` is its picture.
const PAPER: MediaKind = MediaKind {
    cover: Some(cover_paper),
    inspect: Some(inspect_paper),
    accepts: Some(accepts_paper),
    families: Some(families_of_papers),
    notes: Notes {
        of_file: &["slip"],
        of_folder: &["shelf.slip", "house.slip"],
        of_folders_below: &["house.slip"],
    },
    ..MediaKind::new(
        "paper",
        "Sheet",
        "Sheets",
        &[
            Format::new("sheet", "text/x-sheet", "download", Unit::Page),
            Format::untyped("leaf", "download", Unit::Page),
        ],
    )
};

/// The same with better readers.
const BETTER_PAPER: MediaKind = MediaKind {
    reading_version: 2,
    ..PAPER
};

/// A folder is an item of parts; folders named `Disc N` belong to the folder above.
const REEL: MediaKind = MediaKind {
    inspect: Some(inspect_paper),
    group: group_reels,
    probe: Some(probe_reel),
    ..MediaKind::new(
        "reel",
        "Reel",
        "Reels",
        &[Format::untyped("reel", "download", Unit::Second)],
    )
};

fn families_of_papers(folder: &FolderListing<'_>) -> Vec<u64> {
    (0..).take(folder.files.len()).collect()
}

fn accepts_paper(candidate: &Candidate<'_>) -> bool {
    note_read(candidate.path);
    !fs::read(candidate.path).is_ok_and(|body| body.starts_with(b"veto"))
}

fn inspect_paper(path: &Path, _: &ReadTools<'_>) -> Result<Inspection, ReadError> {
    note_read(path);
    let body = fs::read(path)?;
    let text = String::from_utf8_lossy(&body).into_owned();
    assert!(!text.starts_with("panic"), "a reader of files crashed");
    if text.starts_with("damaged") {
        return Err(ReadError::Damaged("it is torn".to_owned()));
    }
    let folder = path.parent().expect("a folder");
    let notes = [
        folder.join("../house.slip"),
        folder.join("house.slip"),
        folder.join("shelf.slip"),
        path.with_extension("slip"),
    ];
    let notes = notes.map(|note| fs::read_to_string(note).unwrap_or_default());
    let mut said = Inspection::default();
    for line in text
        .lines()
        .chain(notes.iter().flat_map(|note| note.lines()))
    {
        match line.split_once('=') {
            Some(("title", value)) => said.title = Some(value.to_owned()),
            Some(("part", value)) => said.part_title = Some(value.to_owned()),
            Some(("author", value)) => said.credits.push(Credit::author(value)),
            Some(("series", value)) => {
                said.series = Some(Series {
                    name: value.to_owned(),
                    index: Some(1.5),
                });
            }
            Some(("fact", value)) => {
                said.facts.insert("fact".to_owned(), value.into());
            }
            _ => {}
        }
    }
    Ok(said)
}

fn cover_paper(path: &Path, _: &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError> {
    const LINE: &[u8] = b"\n%%picture\n";
    let body = fs::read(path)?;
    let line = body.windows(LINE.len()).position(|part| part == LINE);
    let picture = line.and_then(|at| body.get(at + LINE.len()..));
    assert_ne!(picture, Some(&b"panic"[..]), "a reader of pictures crashed");
    if picture == Some(b"damaged") {
        return Err(ReadError::Damaged("its picture is torn".to_owned()));
    }
    Ok(picture.map(<[u8]>::to_vec))
}

#[expect(clippy::unnecessary_wraps, reason = "the type of every probe")]
fn probe_reel(_: &Path, _: &ReadTools<'_>) -> Result<Probe, ReadError> {
    Ok(Probe {
        container: Some("reel".to_owned()),
        duration: Some(61.5),
        ..Probe::default()
    })
}

fn group_reels(folder: &FolderListing<'_>) -> Vec<Group> {
    let is_disc = folder.name().is_some_and(|name| name.starts_with("Disc "));
    let home = if is_disc {
        folder.parent().unwrap_or("")
    } else {
        folder.path
    };
    let title = home.rsplit('/').next().filter(|name| !name.is_empty());
    let part = |(index, _)| Member::part(index, i64::try_from(index).expect("small") + 1);
    vec![Group {
        key: join(home, "*"),
        members: folder.files.iter().enumerate().map(part).collect(),
        names: ItemNames {
            credits: vec![Credit::author("Ada Reel")],
            ..ItemNames::titled(title.unwrap_or(folder.library))
        },
    }]
}

/// Paths of files whose content some kind has read, over all tests.
static READ: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn note_read(path: &Path) {
    READ.lock()
        .expect("no test panics here")
        .push(path.to_owned());
}

/// One library and its server.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) app: App,
    pub(crate) hand: ManualClock,
    pub(crate) library: LibraryId,
    pub(crate) eyes: Eyes,
}

/// What the scanner is made to see instead of what is there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Eyes(Arc<Mutex<Vec<Trick>>>);

type Change = Arc<dyn Fn(io::Result<Listing>) -> io::Result<Listing> + Send + Sync>;

#[derive(Clone)]
struct Trick {
    folder: String,
    change: Change,
}

impl std::fmt::Debug for Trick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.folder)
    }
}

impl Eyes {
    /// Changes what a listing of `folder` answers.
    pub(crate) fn trick(
        &self,
        folder: &str,
        change: impl Fn(io::Result<Listing>) -> io::Result<Listing> + Send + Sync + 'static,
    ) {
        self.0.lock().expect("no panic").push(Trick {
            folder: folder.to_owned(),
            change: Arc::new(change),
        });
    }

    pub(crate) fn mount(&self, folder: &str) {
        self.trick(folder, |listing| {
            listing.map(|listing| Listing {
                is_mount: true,
                ..listing
            })
        });
    }

    pub(crate) fn unreadable(&self, folder: &str) {
        self.trick(folder, |_| Err(io::ErrorKind::PermissionDenied.into()));
    }

    pub(crate) fn honest(&self) {
        self.0.lock().expect("no panic").clear();
    }
}

#[derive(Debug)]
struct TrickDisk {
    real: LocalDisk,
    eyes: Eyes,
}

impl Disk for TrickDisk {
    fn list(&self, folder: &[u8], wanted: &dyn Fn(&[u8]) -> bool) -> io::Result<Listing> {
        let tricks = self.eyes.0.lock().expect("no panic").clone();
        let real = self.real.list(folder, wanted);
        tricks
            .iter()
            .filter(|trick| trick.folder.as_bytes() == folder)
            .fold(real, |listing, trick| (trick.change)(listing))
    }

    fn look(&self, path: &[u8]) -> io::Result<Look> {
        self.real.look(path)
    }

    fn folder(&self, path: &[u8]) -> io::Result<Option<Node>> {
        self.real.folder(path)
    }

    fn absolute(&self, path: &[u8]) -> PathBuf {
        self.real.absolute(path)
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("media")).expect("a root");
        let db = Db::open(&folder.path().join("ledge.db")).expect("a database");
        let start: Timestamp = "2026-11-21T09:00:00Z".parse().expect("a time");
        let (clock, hand) = Clock::manual(start);
        let app = App::new(Context {
            db,
            registry: Arc::new(registry()),
            clock,
            jobs: JobQueue::default(),
            events: Events::default(),
            watches: Watches::default(),
            settings: Arc::new(Settings {
                ffprobe: None,
                read_time_limit: Duration::from_secs(5),
                data: folder.path().to_owned(),
            }),
        });
        let mut world = Self {
            folder,
            app,
            hand,
            library: LibraryId(0),
            eyes: Eyes::default(),
        };
        world.sql(
            "INSERT INTO user (username, username_key, password_hash, role, created_at)
                   VALUES ('u', 'u', '', 'user', '2026-01-01T00:00:00.000000Z')",
        );
        world.library = world.add_library("media");
        world
    }

    pub(crate) fn add_library(&self, root: &str) -> LibraryId {
        let path = self.root_of(root);
        let sql = "INSERT INTO library (name, name_key, path, created_at)
                   VALUES (?1, ?1, CAST(?2 AS BLOB), '2026-01-01T00:00:00.000000Z')";
        let root = root.to_owned();
        self.app
            .db
            .write_blocking(move |tx| {
                tx.execute(sql, [root, path.to_str().expect("text").to_owned()])?;
                Ok(LibraryId(tx.last_insert_rowid()))
            })
            .expect("a library")
    }

    pub(crate) fn root_of(&self, root: &str) -> PathBuf {
        fs::canonicalize(self.folder.path())
            .expect("a path")
            .join(root)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.root_of("media")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, body: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, body).expect("a file");
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
        fs::rename(self.path(from), to).expect("a rename");
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.is_dir() {
            fs::remove_dir_all(path).expect("a removal");
        } else {
            fs::remove_file(path).expect("a removal");
        }
    }

    pub(crate) fn scan(&self) -> Counters {
        let (end, counters) = self.scan_with(false, &|| None);
        assert_eq!(end, End::Done);
        counters
    }

    /// The sentence with which a scan fails.
    pub(crate) fn failing_scan(&self) -> String {
        match self.scan_with(false, &|| None) {
            (End::Failed(why), _) => why,
            (end, _) => panic!("the scan ended as {end:?}"),
        }
    }

    pub(crate) fn scan_with(
        &self,
        accept_missing: bool,
        control: &(dyn Fn() -> Option<Stop> + Sync),
    ) -> (End, Counters) {
        self.hand.advance(Duration::from_mins(1));
        let disk = |root: &Path| self.disk(root);
        scan::scan(&self.app, &self.wanted(accept_missing), &disk, control)
            .expect("a scan")
            .expect("a library")
    }

    /// A scan of a part of the library.
    pub(crate) fn scan_scope(&self, scope: Scope) -> (End, Counters) {
        self.hand.advance(Duration::from_mins(1));
        let disk = |root: &Path| self.disk(root);
        let wanted = Scan {
            scope,
            ..self.wanted(false)
        };
        scan::scan(&self.app, &wanted, &disk, &|| None)
            .expect("a scan")
            .expect("a library")
    }

    /// A scan that may break off.
    pub(crate) fn try_scan(&self) -> StoreResult<Option<(End, Counters)>> {
        let disk = |root: &Path| self.disk(root);
        scan::scan(&self.app, &self.wanted(false), &disk, &|| None)
    }

    fn disk(&self, root: &Path) -> Arc<dyn Disk> {
        Arc::new(TrickDisk {
            real: LocalDisk::new(root),
            eyes: self.eyes.clone(),
        })
    }

    fn wanted(&self, accept_missing: bool) -> Scan {
        Scan {
            library: self.library,
            job: None,
            accept_missing,
            scope: Scope::default(),
        }
    }

    /// The same library under a server that was started anew.
    pub(crate) fn restarted(self) -> Self {
        self.app.db.close();
        let app = App::new(Context {
            db: Db::open(&self.folder.path().join("ledge.db")).expect("a database"),
            jobs: JobQueue::default(),
            ..Context::clone(&self.app)
        });
        Self { app, ..self }
    }

    /// The same library under a later server, which reads more.
    pub(crate) fn improved(self) -> Self {
        let kinds = vec![&BETTER_PAPER, &REEL];
        let registry = Registry::of(kinds, vec![&ENGINE], vec![]).expect("sound kinds");
        let app = App::new(Context {
            registry: Arc::new(registry),
            ..Context::clone(&self.app)
        });
        Self { app, ..self }
    }

    /// The terms of the search index as they are kept, and as a rebuild makes them.
    pub(crate) fn search_index(&self) -> (Vec<String>, Vec<String>) {
        self.app
            .db
            .write_blocking(|tx| {
                tx.execute_batch(
                    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words
                      USING fts5vocab(main, search_word, instance);
                     CREATE VIRTUAL TABLE IF NOT EXISTS temp.infixes
                      USING fts5vocab(main, search_infix, instance);",
                )?;
                let kept = terms(tx)?;
                search::rebuild(tx)?;
                Ok((kept, terms(tx)?))
            })
            .expect("terms")
    }

    pub(crate) fn sql(&self, sql: &str) {
        let sql = sql.to_owned();
        self.app
            .db
            .write_blocking(move |tx| Ok(tx.execute_batch(&sql)?))
            .expect("statements");
    }

    /// The rows of a query, columns joined by `|`.
    pub(crate) fn rows(&self, sql: &str) -> Vec<String> {
        let sql = sql.to_owned();
        self.app
            .db
            .read_blocking(move |conn| {
                let mut statement = conn.prepare(&sql)?;
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let texts: Vec<String> = (0..columns)
                        .map(|column| text(row.get_ref(column).expect("a column")))
                        .collect();
                    Ok(texts.join("|"))
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .expect("rows")
    }

    pub(crate) fn one(&self, sql: &str) -> String {
        let mut rows = self.rows(sql);
        assert_eq!(rows.len(), 1, "{sql}: {rows:?}");
        rows.remove(0)
    }

    /// Ids of the files by their paths; missing ones end in `?`.
    pub(crate) fn files(&self) -> BTreeMap<String, i64> {
        self.app
            .db
            .read_blocking(|conn| {
                let mut statement = conn.prepare(
                    "SELECT folder.path, file.name, file.missing, file.id
                       FROM file JOIN folder ON folder.id = file.folder_id",
                )?;
                let rows = statement.query_map([], |row| {
                    let (folder, name): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    let path = join(&scan::name::display(&folder), &scan::name::display(&name));
                    let mark = if row.get(2)? { "?" } else { "" };
                    Ok((format!("{path}{mark}"), row.get(3)?))
                })?;
                Ok(rows.collect::<Result<_, _>>()?)
            })
            .expect("files")
    }

    pub(crate) fn file(&self, path: &str) -> i64 {
        let files = self.files();
        *files
            .get(path)
            .unwrap_or_else(|| panic!("{path} is not in {files:?}"))
    }

    pub(crate) fn item(&self, path: &str) -> i64 {
        let file = self.file(path);
        self.one(&format!("SELECT item_id FROM file WHERE id = {file}"))
            .parse()
            .expect("an id")
    }

    /// Gives the user a place, a favourite and a view of the item.
    pub(crate) fn enjoy(&self, path: &str) {
        let (file, item) = (self.file(path), self.item(path));
        self.sql(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             VALUES (1, {file}, {item}, 7, '2026-05-01T00:00:0{0}.000000Z');
             INSERT OR REPLACE INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
             VALUES (1, {item}, 1, {file}, '2026-05-01T00:00:0{0}.000000Z');
             INSERT OR IGNORE INTO favourite (user_id, item_id, created_at)
             VALUES (1, {item}, '2026-05-01T00:00:00.000000Z');
             INSERT OR IGNORE INTO item_view (user_id, item_id, library_id, n, viewed_at)
             VALUES (1, {item}, 1, 3, '2026-05-01T00:00:00.000000Z');",
            file % 10,
        ));
    }

    /// What the user has about the item of a file: place, favourites, views.
    pub(crate) fn enjoyed(&self, path: &str) -> String {
        let (file, item) = (self.file(path), self.item(path));
        self.one(&format!(
            "SELECT (SELECT position FROM progress WHERE file_id = {file} AND item_id = {item}),
                    (SELECT count(*) FROM item_progress WHERE item_id = {item}),
                    (SELECT count(*) FROM favourite WHERE item_id = {item}),
                    (SELECT n FROM item_view WHERE item_id = {item})"
        ))
    }

    /// Gives the user everything there is: of the file a place, a past one and a mark; of its item
    /// a favourite, views, a save, a past one, and a title that a person wrote.
    pub(crate) fn own(&self, path: &str, n: i64) {
        let (file, item) = (self.file(path), self.item(path));
        let at = |minute: i64| format!("'2026-05-01T00:{:02}:00.000000Z'", minute + n);
        self.sql(&format!(
            "INSERT INTO progress (user_id, file_id, item_id, position, updated_at)
             VALUES (1, {file}, {item}, 1{n}, {now});
             INSERT INTO item_progress (user_id, item_id, library_id, file_id, updated_at)
             VALUES (1, {item}, 1, {file}, {now});
             INSERT INTO progress_history
                    (user_id, file_id, item_id, position, finished, updated_at, replaced_at)
             VALUES (1, {file}, {item}, 1{n} - 1, 0, {past}, {now});
             INSERT INTO annotation (user_id, item_id, file_id, type, position, created_at)
             VALUES (1, {item}, {file}, 'bookmark', 1{n}, {now});
             INSERT INTO favourite (user_id, item_id, created_at) VALUES (1, {item}, {now});
             INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
             VALUES (1, {item}, 1, 3, {now});
             INSERT INTO game_save (user_id, item_id, slot, size, sha256, updated_at, body)
             VALUES (1, {item}, 's', 2{n}, '', {now}, zeroblob(2{n}));
             INSERT INTO game_save_version
                    (user_id, item_id, slot, n, size, sha256, saved_at, body)
             VALUES (1, {item}, 's', 1, 2{n} - 1, '', {past}, zeroblob(2{n} - 1));
             UPDATE item SET title = 'Mine', sort_title = 'mine', title_source = 3
              WHERE id = {item};",
            now = at(1),
            past = at(0),
        ));
    }

    /// What of that an item has: place, past place, mark, views, sizes of the save and of the past
    /// one, title.
    pub(crate) fn owned(&self, item: i64) -> String {
        self.one(&format!(
            "SELECT (SELECT max(position) FROM progress WHERE item_id = {item}),
                    (SELECT position FROM progress_history WHERE item_id = {item}),
                    (SELECT position FROM annotation WHERE item_id = {item}),
                    (SELECT n FROM item_view JOIN favourite USING (user_id, item_id)
                      WHERE item_id = {item}),
                    (SELECT size FROM game_save WHERE item_id = {item}),
                    (SELECT size FROM game_save_version WHERE item_id = {item}),
                    title
               FROM item WHERE id = {item}"
        ))
    }

    /// How often kinds have read this file so far.
    pub(crate) fn reads(&self, path: &str) -> usize {
        let path = self.path(path);
        let read = READ.lock().expect("no panic");
        read.iter().filter(|read| **read == path).count()
    }

    pub(crate) fn errors(&self) -> Vec<String> {
        let text = self.one("SELECT errors FROM scan_run ORDER BY id DESC LIMIT 1");
        serde_json::from_str(&text).expect("an array")
    }
}

fn terms(tx: &rusqlite::Transaction<'_>) -> StoreResult<Vec<String>> {
    let mut statement = tx.prepare(
        "SELECT 'word ' || term || ' ' || doc || ' ' || col || ' ' || offset FROM temp.words
          UNION ALL
         SELECT 'infix ' || term || ' ' || doc FROM temp.infixes
          ORDER BY 1",
    )?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn text(value: rusqlite::types::ValueRef<'_>) -> String {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => "null".to_owned(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(n) => n.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => scan::name::display(bytes),
    }
}

pub(crate) fn registry() -> Registry {
    Registry::of(vec![&PAPER, &REEL], vec![&ENGINE], vec![]).expect("sound kinds")
}
