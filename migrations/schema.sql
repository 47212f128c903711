-- The schema as the migrations make it, for reading. A test holds it against the real one;
-- the program itself only runs the numbered files.

-- Accounts and sessions. Names are compared in lower case (`username_key`).
CREATE TABLE user (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    username      TEXT    NOT NULL,
    username_key  TEXT    NOT NULL UNIQUE,
    password_hash TEXT    NOT NULL,
    role          TEXT    NOT NULL CHECK (role IN ('admin', 'user')),
    disabled      INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
    created_at    TEXT    NOT NULL,
    last_seen_at  TEXT
) STRICT;

-- Only the SHA-256 of a token is kept.
CREATE TABLE session (
    token_hash BLOB    PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    renewed_at TEXT    NOT NULL,
    expires_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);

-- Libraries and who may see them. `kinds` is a JSON array, NULL for all kinds.
CREATE TABLE library (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL,
    name_key         TEXT    NOT NULL UNIQUE,
    path             BLOB    NOT NULL UNIQUE,
    kinds            TEXT,
    -- Whether the root was a mount point at the last complete scan; NULL before the first.
    root_is_mount    INTEGER CHECK (root_is_mount IN (0, 1)),
    created_at       TEXT    NOT NULL
) STRICT;

CREATE TABLE library_grant (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_grant_by_library ON library_grant (library_id, user_id);

-- Series, items, folders and files. Names and paths are the bytes the file system has.
CREATE TABLE series (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL,
    UNIQUE (kind, name_key)
) STRICT;

-- Sources of a field, weakest first: 0 name, 1 file, 2 provider, 3 person (and so locked).
CREATE TABLE item (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id         INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind               TEXT    NOT NULL,
    -- What the kind's grouping calls the item; see `registry::naming::Group::key`.
    group_key          TEXT    NOT NULL,
    title              TEXT    NOT NULL,
    -- Collation keys, made by `text::sort_key`; `initial` is the letter the title files under.
    sort_title         TEXT    NOT NULL,
    initial            TEXT    NOT NULL,
    year               INTEGER,
    -- What is unknown is ordered first; a key that is never NULL can be compared as a tuple. Kept
    -- by the triggers below: SQLite does not read generated columns from an index alone.
    sort_year          INTEGER NOT NULL DEFAULT 0,
    -- Names credited as authors, joined; recomputed whenever credits change.
    authors            TEXT    NOT NULL DEFAULT '',
    sort_authors       TEXT    NOT NULL DEFAULT '',
    description        TEXT,
    series_id          INTEGER REFERENCES series (id) ON DELETE SET NULL,
    series_index       REAL,
    sort_series_index  REAL    NOT NULL DEFAULT 0,
    sort_series        TEXT    NOT NULL DEFAULT '',
    -- What is known beside the fields, as JSON; what the files themselves say stands once more in
    -- `file_facts`, so that facts from names can change beneath it.
    facts              TEXT    NOT NULL DEFAULT '{}',
    file_facts         TEXT    NOT NULL DEFAULT '{}',
    cover_id           INTEGER,
    title_source       INTEGER NOT NULL DEFAULT 0 CHECK (title_source BETWEEN 0 AND 3),
    year_source        INTEGER NOT NULL DEFAULT 0 CHECK (year_source BETWEEN 0 AND 3),
    authors_source     INTEGER NOT NULL DEFAULT 0 CHECK (authors_source BETWEEN 0 AND 3),
    description_source INTEGER NOT NULL DEFAULT 0 CHECK (description_source BETWEEN 0 AND 3),
    series_source      INTEGER NOT NULL DEFAULT 0 CHECK (series_source BETWEEN 0 AND 3),
    cover_source       INTEGER NOT NULL DEFAULT 0 CHECK (cover_source BETWEEN 0 AND 3),
    added_at           TEXT    NOT NULL,
    missing            INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    missing_since TEXT,
    -- What scans say of fields that a provider or a person wrote, as JSON: they fall to it when
    -- they are unlocked.
    beneath TEXT,
    -- What is in its first present file; NULL where there is none, or it was not probed.
    profile_id INTEGER,
    -- The sort of item within its kind, as its kind assigns it; NULL for none.
    subkind TEXT,
    UNIQUE (library_id, kind, group_key)
) STRICT;
-- The library leads every browse index: what a user may see is one range per library and kind.
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_added ON item (library_id, kind, added_at, id, missing, profile_id);
CREATE INDEX item_by_year
    ON item (library_id, kind, sort_year, sort_title, id, missing, profile_id);
CREATE INDEX item_by_author
    ON item (library_id, kind, sort_authors, sort_title, id, missing, profile_id);
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing, profile_id);
-- A list of one subkind is one range of these per library, as a list of one kind is of the others.
CREATE INDEX item_of_subkind_by_title
    ON item (library_id, kind, subkind, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_added
    ON item (library_id, kind, subkind, added_at, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_year
    ON item (library_id, kind, subkind, sort_year, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_author
    ON item (library_id, kind, subkind, sort_authors, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_series
    ON item (library_id, kind, subkind, sort_series, sort_series_index, sort_title, id, missing,
             profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_series ON item (series_id) WHERE series_id IS NOT NULL;
-- For profiles that few items have.
CREATE INDEX item_of_profile ON item (profile_id, library_id) WHERE profile_id IS NOT NULL;
CREATE INDEX item_missing ON item (library_id, id) WHERE missing = 1;
-- Ordered by id below the kind: from anywhere on, as Explore walks.
CREATE INDEX item_present ON item (library_id, kind) WHERE missing = 0;
CREATE INDEX item_of_cover ON item (cover_id) WHERE cover_id IS NOT NULL;

CREATE TRIGGER item_sort_insert AFTER INSERT ON item
WHEN new.sort_year <> ifnull(new.year, 0)
  OR new.sort_series_index <> ifnull(new.series_index, 0) BEGIN
    UPDATE item
       SET sort_year = ifnull(new.year, 0), sort_series_index = ifnull(new.series_index, 0)
     WHERE id = new.id;
END;
CREATE TRIGGER item_sort_update AFTER UPDATE OF year, series_index ON item
WHEN new.sort_year <> ifnull(new.year, 0)
  OR new.sort_series_index <> ifnull(new.series_index, 0) BEGIN
    UPDATE item
       SET sort_year = ifnull(new.year, 0), sort_series_index = ifnull(new.series_index, 0)
     WHERE id = new.id;
END;

-- How many items a library has, by kind, subkind, presence and initial; items without a subkind are
-- counted under the empty text; kept by the triggers below, so
-- that totals and letters never count items.
CREATE TABLE item_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    missing    INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, missing, initial)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_count_insert AFTER INSERT ON item BEGIN
    INSERT INTO item_count (library_id, kind, subkind, missing, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_count_delete AFTER DELETE ON item BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND missing = old.missing AND initial = old.initial;
END;
CREATE TRIGGER item_count_update
AFTER UPDATE OF library_id, kind, subkind, missing, initial ON item
WHEN (old.library_id, old.kind, old.subkind, old.missing, old.initial)
  IS NOT (new.library_id, new.kind, new.subkind, new.missing, new.initial) BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND missing = old.missing AND initial = old.initial;
    INSERT INTO item_count (library_id, kind, subkind, missing, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Every combination of container and codecs that was ever found; a few dozen in a large library.
CREATE TABLE media_profile (
    id        INTEGER PRIMARY KEY,
    container TEXT NOT NULL,
    vcodec    TEXT,
    acodec    TEXT
) STRICT;
CREATE UNIQUE INDEX media_profile_by_codecs
    ON media_profile (container, ifnull(vcodec, ''), ifnull(acodec, ''));

-- How many items have a profile, by initial; kept by the triggers below.
CREATE TABLE item_profile_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id, initial)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_profile_count_insert AFTER INSERT ON item
WHEN new.profile_id IS NOT NULL BEGIN
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_profile_count_delete AFTER DELETE ON item
WHEN old.profile_id IS NOT NULL BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
END;
CREATE TRIGGER item_profile_count_update
AFTER UPDATE OF library_id, kind, subkind, initial, profile_id ON item
WHEN (old.library_id, old.kind, old.subkind, old.initial, old.profile_id)
  IS NOT (new.library_id, new.kind, new.subkind, new.initial, new.profile_id) BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    SELECT new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1
     WHERE new.profile_id IS NOT NULL
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- The same, whatever the initial; kept by the triggers below.
CREATE TABLE item_profile_total (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_profile_total_insert AFTER INSERT ON item_profile_count BEGIN
    INSERT INTO item_profile_total (library_id, kind, subkind, profile_id, n)
    VALUES (new.library_id, new.kind, new.subkind, new.profile_id, new.n)
        ON CONFLICT DO UPDATE SET n = n + new.n;
END;
CREATE TRIGGER item_profile_total_update AFTER UPDATE OF n ON item_profile_count BEGIN
    UPDATE item_profile_total SET n = n + new.n - old.n
     WHERE library_id = new.library_id AND kind = new.kind AND subkind = new.subkind
       AND profile_id = new.profile_id;
END;

CREATE TABLE folder (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id     INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    -- Below the library's root, without a leading slash; empty for the root.
    path           BLOB    NOT NULL,
    -- Whether another file system began here when it was last listed.
    is_mount       INTEGER NOT NULL DEFAULT 0 CHECK (is_mount IN (0, 1)),
    -- Digest of the listing (names, sizes, times) and of the grouping rules that the files stored
    -- here came from. Equal: nothing changed, no file row is looked at. NULL: look again.
    listing        BLOB,
    -- Digest of the pictures here that may be covers (names, sizes, times); NULL for none.
    pictures       BLOB,
    UNIQUE (library_id, path)
) STRICT;

CREATE TABLE file (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id      INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    folder_id    INTEGER NOT NULL REFERENCES folder (id),
    name         BLOB    NOT NULL,
    size         INTEGER NOT NULL,
    -- Nanoseconds since 1970; a file system's own time, compared and never shown raw.
    mtime_ns     INTEGER NOT NULL,
    -- BLAKE3 over size, head and tail, 16 bytes; NULL for empty files and until first read.
    fingerprint  BLOB,
    -- BLAKE3 of the whole file, kept where two files share a fingerprint.
    full_hash    BLOB,
    missing      INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    -- Order among parts played one after another; NULL for alternatives.
    sequence     INTEGER,
    season       INTEGER,
    episode      INTEGER,
    title        TEXT,
    -- The part's title as the file itself gives it: it stands before the one its name has.
    title_in_file TEXT,
    -- Length in the format's unit.
    extent       INTEGER,
    added_at     TEXT    NOT NULL,
    inspected_at TEXT,
    container TEXT,
    vcodec TEXT,
    acodec TEXT,
    width INTEGER,
    height INTEGER,
    duration REAL,
    probed_at TEXT,
    missing_since TEXT,
    -- What the kind wanted kept of the file's own words, in a form of its own: shown to its
    -- grouping also when only neighbours of the file are read again.
    said TEXT,
    -- By which version of its kind's readers it was read, and from which notes beside it, as a hash:
    -- where it would be another today the file is read again; NULL until it is read.
    mark INTEGER,
    UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_by_item ON file (item_id, sequence, id);
CREATE INDEX file_by_fingerprint ON file (fingerprint) WHERE fingerprint IS NOT NULL;

-- People and what they did for an item.
CREATE TABLE person (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE item_person (
    item_id   INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    role      TEXT    NOT NULL,
    PRIMARY KEY (item_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_person_by_person ON item_person (person_id, item_id);

-- How many items of each library a person is credited with, and how many a series has; kept by the
-- triggers below, so that lists of people and series count nothing. An item that is credited to a
-- person in two roles counts once.
CREATE TABLE person_count (
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (person_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER person_count_insert AFTER INSERT ON item_person
WHEN (SELECT count(*) FROM item_person
       WHERE person_id = new.person_id AND item_id = new.item_id) = 1 BEGIN
    INSERT INTO person_count (person_id, library_id, n)
    SELECT new.person_id, library_id, 1 FROM item WHERE id = new.item_id
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- When an item goes, its row is gone before its credits are: they count down nothing here.
CREATE TRIGGER person_count_delete AFTER DELETE ON item_person
WHEN NOT EXISTS (SELECT 1 FROM item_person
                  WHERE person_id = old.person_id AND item_id = old.item_id) BEGIN
    UPDATE person_count SET n = n - 1
     WHERE person_id = old.person_id
       AND library_id = (SELECT library_id FROM item WHERE id = old.item_id);
    DELETE FROM person_count WHERE person_id = old.person_id AND n = 0;
END;
CREATE TRIGGER person_count_item BEFORE DELETE ON item BEGIN
    UPDATE person_count SET n = n - 1
     WHERE library_id = old.library_id
       AND person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id);
    DELETE FROM person_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id)
       AND n = 0;
END;

CREATE TABLE series_count (
    series_id  INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (series_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER series_count_insert AFTER INSERT ON item WHEN new.series_id IS NOT NULL BEGIN
    INSERT INTO series_count (series_id, library_id, n)
    VALUES (new.series_id, new.library_id, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER series_count_delete AFTER DELETE ON item WHEN old.series_id IS NOT NULL BEGIN
    UPDATE series_count SET n = n - 1
     WHERE series_id = old.series_id AND library_id = old.library_id;
    DELETE FROM series_count WHERE series_id = old.series_id AND n = 0;
END;
CREATE TRIGGER series_count_leave AFTER UPDATE OF series_id ON item
WHEN old.series_id IS NOT NULL AND old.series_id IS NOT new.series_id BEGIN
    UPDATE series_count SET n = n - 1
     WHERE series_id = old.series_id AND library_id = old.library_id;
    DELETE FROM series_count WHERE series_id = old.series_id AND n = 0;
END;
CREATE TRIGGER series_count_join AFTER UPDATE OF series_id ON item
WHEN new.series_id IS NOT NULL AND old.series_id IS NOT new.series_id BEGIN
    INSERT INTO series_count (series_id, library_id, n)
    VALUES (new.series_id, new.library_id, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE INDEX series_by_name ON series (name_key, id);

-- What belongs to one user: places, favourites, views, annotations, tickets.
CREATE TABLE progress (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL CHECK (position >= 0),
    finished   INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    locator    TEXT,
    updated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX progress_by_item ON progress (item_id, user_id, updated_at);
CREATE INDEX progress_by_file ON progress (file_id);

-- One row per user and item, kept with each write: Continue never groups.
CREATE TABLE item_progress (
    user_id          INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id          INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- The item's; it never changes, and goes with the item.
    library_id       INTEGER NOT NULL,
    -- The file with the newest place.
    file_id          INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    finished         INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    -- How much of the item is done, 0 to 1; NULL where that cannot be told.
    fraction         REAL,
    -- The file to go on with; NULL where the item is finished or nothing is left.
    continue_file_id INTEGER REFERENCES file (id) ON DELETE SET NULL,
    updated_at       TEXT    NOT NULL,
    -- The item's, kept by the triggers below: shelves never step over what is missing.
    missing          INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    -- The profile of the file to go on with where it is not the item's: 0 where that file was not
    -- probed, NULL where the item's holds.
    off_profile      INTEGER,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_progress_by_item ON item_progress (item_id);
CREATE INDEX item_progress_by_file ON item_progress (file_id);
CREATE INDEX item_progress_by_next ON item_progress (continue_file_id);
CREATE INDEX item_progress_by_state ON item_progress (user_id, finished, library_id, item_id);
CREATE INDEX item_progress_by_time ON item_progress (user_id, library_id, updated_at, item_id);
CREATE INDEX item_progress_on_shelf
    ON item_progress (user_id, library_id, updated_at, item_id)
 WHERE continue_file_id IS NOT NULL AND missing = 0;
CREATE INDEX item_progress_off_profile
    ON item_progress (user_id, library_id, item_id, off_profile)
 WHERE off_profile IS NOT NULL;
CREATE TRIGGER item_progress_insert AFTER INSERT ON item_progress
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_progress
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;

-- Every overwritten place, and every one that was older than the stored when it came (`late`).
CREATE TABLE progress_history (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    finished    INTEGER NOT NULL,
    locator     TEXT,
    updated_at  TEXT    NOT NULL,
    -- When it was overwritten; of a late one, when it came.
    replaced_at TEXT    NOT NULL,
    late        INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1))
) STRICT;
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, late, id);
CREATE INDEX progress_history_of_item ON progress_history (item_id);
CREATE INDEX progress_history_of_file ON progress_history (file_id, user_id, updated_at);

CREATE TABLE favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_by_item ON favourite (item_id);

CREATE TABLE item_view (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- The item's; it never changes, and goes with the item.
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    viewed_at  TEXT    NOT NULL,
    -- The item's, kept by the triggers below.
    missing    INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_view_by_item ON item_view (item_id);
CREATE INDEX item_view_by_count
    ON item_view (user_id, library_id, n, viewed_at, item_id)
 WHERE missing = 0;
CREATE TRIGGER item_view_insert AFTER INSERT ON item_view
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_view
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;
CREATE TRIGGER item_missing_tells_users AFTER UPDATE OF missing ON item
WHEN old.missing <> new.missing BEGIN
    UPDATE item_progress SET missing = new.missing WHERE item_id = new.id;
    UPDATE item_view SET missing = new.missing WHERE item_id = new.id;
END;

CREATE TABLE annotation (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    type       TEXT    NOT NULL CHECK (type IN ('bookmark', 'highlight')),
    position   INTEGER NOT NULL CHECK (position >= 0),
    locator    TEXT,
    text       TEXT,
    note       TEXT,
    color      TEXT,
    created_at TEXT    NOT NULL
) STRICT;
CREATE INDEX annotation_by_item ON annotation (user_id, item_id, id);
CREATE INDEX annotation_of_item ON annotation (item_id);
CREATE INDEX annotation_of_file ON annotation (file_id);

-- Tickets for one file and one user, for players that cannot send a cookie.
CREATE TABLE file_ticket (
    token_hash   BLOB    PRIMARY KEY,
    file_id      INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    session_hash BLOB    NOT NULL REFERENCES session (token_hash) ON DELETE CASCADE,
    expires_at   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX file_ticket_by_file ON file_ticket (file_id);
CREATE INDEX file_ticket_by_session ON file_ticket (session_hash);
CREATE INDEX file_ticket_by_expiry ON file_ticket (expires_at);

-- Background work, and the runs of scans.
CREATE TABLE job (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    ref_id      INTEGER,
    -- What the handler needs to know, as JSON.
    payload     TEXT    NOT NULL DEFAULT '{}',
    status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    -- What the handler reports, as JSON.
    result      TEXT,
    error       TEXT,
    run_at      TEXT    NOT NULL,
    created_at  TEXT    NOT NULL,
    started_at  TEXT,
    finished_at TEXT,
    -- When run_at was set, by the clock of then; NULL: when it was queued.
    set_at      TEXT
) STRICT;
CREATE INDEX job_by_ref ON job (kind, ref_id, id);
CREATE INDEX job_queued ON job (run_at, id) WHERE status = 'queued';
CREATE INDEX job_by_status ON job (status, id);

CREATE TABLE scan_run (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id      INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    job_id          INTEGER REFERENCES job (id) ON DELETE SET NULL,
    status          TEXT    NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled')),
    scanned         INTEGER NOT NULL DEFAULT 0,
    total           INTEGER,
    added           INTEGER NOT NULL DEFAULT 0,
    updated         INTEGER NOT NULL DEFAULT 0,
    moved           INTEGER NOT NULL DEFAULT 0,
    missing         INTEGER NOT NULL DEFAULT 0,
    restored        INTEGER NOT NULL DEFAULT 0,
    -- At most 100 texts, as a JSON array; the rest is counted.
    errors          TEXT    NOT NULL DEFAULT '[]',
    errors_overflow INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    started_at      TEXT    NOT NULL,
    finished_at     TEXT,
    -- Whether all of the library was looked at, not only folders in which something changed.
    is_whole        INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1))
) STRICT;
CREATE INDEX scan_run_by_library ON scan_run (library_id, id);
CREATE INDEX scan_run_whole ON scan_run (library_id, id) WHERE is_whole = 1;
CREATE INDEX scan_run_by_job ON scan_run (job_id);

-- The search indexes, by item id: one of whole words and their beginnings, one of trigrams for
-- what stands inside a word. Written by `search::reindex` only. Both index the folded text that
-- `search::fold` makes; neither keeps it. Both merge once there are 16 pieces of a size, and at once
-- where there are 32 (`automerge` and `crisismerge`, rows of theirs).
CREATE VIRTUAL TABLE search_word USING fts5 (
    title, path, authors,
    content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
CREATE VIRTUAL TABLE search_infix USING fts5 (
    text,
    content = '', contentless_delete = 1,
    tokenize = 'trigram', detail = none
);
-- How often anything else happened to the two than that items came into them which are newer than
-- all that were there.
CREATE TABLE search_epoch (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
) STRICT;

-- Covers, addressed by what is in them; an item points to one by `cover_id`.
CREATE TABLE cover (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    -- BLAKE3 of the source image, lower-case hexadecimal.
    hash   TEXT    NOT NULL UNIQUE,
    width  INTEGER NOT NULL,
    height INTEGER NOT NULL,
    -- Main colour, `#rrggbb`.
    tint   TEXT    NOT NULL
) STRICT;

CREATE TABLE cover_image (
    cover_id INTEGER NOT NULL REFERENCES cover (id) ON DELETE CASCADE,
    size     TEXT    NOT NULL CHECK (size IN ('small', 'medium', 'large')),
    mime     TEXT    NOT NULL,
    body     BLOB    NOT NULL,
    PRIMARY KEY (cover_id, size)
) STRICT;

-- A cover goes with the last item that has it.
CREATE TRIGGER cover_unused_update AFTER UPDATE OF cover_id ON item
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unused_delete AFTER DELETE ON item WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id);
END;

-- Items whose files or pictures changed since their cover was looked for. An item that is noted
-- again gets another id: what was begun before does not settle it.
CREATE TABLE cover_due (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id) ON DELETE CASCADE
) STRICT;

-- What providers were asked and answered, and the saves of games.
CREATE TABLE item_provider (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    -- Whether a person chose this match, and whether its words stand in the item's fields.
    is_chosen INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1)),
    is_source INTEGER NOT NULL DEFAULT 0 CHECK (is_source IN (0, 1)),
    PRIMARY KEY (item_id, provider)
) STRICT, WITHOUT ROWID;

-- Matches that a person has undone: none of them is made again by itself.
CREATE TABLE match_refused (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    PRIMARY KEY (item_id, provider, external_id)
) STRICT, WITHOUT ROWID;

-- Tokens and the like, which outlive a restart.
CREATE TABLE provider_state (
    provider   TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (provider, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE metadata_fetch (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    outcome     TEXT    NOT NULL CHECK (outcome IN ('ok', 'notfound', 'failure')),
    query       TEXT    NOT NULL,
    external_id TEXT,
    title       TEXT,
    year        INTEGER,
    authors     TEXT,
    score       REAL,
    error       TEXT,
    fetched_at  TEXT    NOT NULL,
    -- NULL for failures: they are always tried again.
    expires_at  TEXT
) STRICT;
CREATE INDEX metadata_fetch_by_item ON metadata_fetch (item_id, provider, id);

-- Until when nobody is to be asked about an item, so that a walk through a library need not read
-- what was answered about each. An item without a row is looked at.
CREATE TABLE item_settled (
    item_id   INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    -- A number for the list of providers that were to be asked.
    providers INTEGER NOT NULL,
    until     TEXT    NOT NULL
) STRICT;

-- Whatever is answered or decided about an item has it looked at again.
CREATE TRIGGER metadata_fetch_added AFTER INSERT ON metadata_fetch
BEGIN
    DELETE FROM item_settled WHERE item_id = new.item_id;
END;
CREATE TRIGGER metadata_fetch_changed AFTER UPDATE ON metadata_fetch
BEGIN
    DELETE FROM item_settled WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_added AFTER INSERT ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id = new.item_id;
END;
CREATE TRIGGER item_provider_changed AFTER UPDATE ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_removed AFTER DELETE ON item_provider
BEGIN
    DELETE FROM item_settled WHERE item_id = old.item_id;
END;

CREATE TABLE game_save (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    slot       TEXT    NOT NULL,
    core       TEXT,
    size       INTEGER NOT NULL,
    sha256     TEXT    NOT NULL,
    updated_at TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    PRIMARY KEY (user_id, item_id, slot)
) STRICT;
CREATE INDEX game_save_by_item ON game_save (item_id);

-- The overwritten states of a slot.
CREATE TABLE game_save_version (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    slot     TEXT    NOT NULL,
    n        INTEGER NOT NULL,
    core     TEXT,
    size     INTEGER NOT NULL,
    sha256   TEXT    NOT NULL,
    saved_at TEXT    NOT NULL,
    body     BLOB    NOT NULL,
    UNIQUE (user_id, item_id, slot, n)
) STRICT;
CREATE INDEX game_save_version_by_item ON game_save_version (item_id);

-- What a probe finds in a file. Codec names are ffprobe's.

CREATE TABLE file_stream (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type     TEXT    NOT NULL CHECK (type IN ('video', 'audio', 'subtitle')),
    codec    TEXT,
    language TEXT,
    title    TEXT,
    forced   INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    -- Named so because DEFAULT is a keyword.
    chosen   INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1)),
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_chapter (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    title    TEXT    NOT NULL,
    -- Seconds from the beginning of the file.
    start    REAL    NOT NULL,
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;
