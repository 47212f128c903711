-- A database of version 32, the last version before the migrations became one schema file. The test
-- of `migrate` opens it. The first part is the schema, the second part contains rows of every table.

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

CREATE TABLE session (
    token_hash BLOB    PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    renewed_at TEXT    NOT NULL,
    expires_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);

CREATE TABLE library (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL,
    name_key         TEXT    NOT NULL UNIQUE,
    path             BLOB    NOT NULL UNIQUE,
    kinds            TEXT,
    root_is_mount    INTEGER CHECK (root_is_mount IN (0, 1)),
    created_at       TEXT    NOT NULL
) STRICT;

CREATE TABLE library_grant (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_grant_by_library ON library_grant (library_id, user_id);

CREATE TABLE series (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL,
    UNIQUE (kind, name_key)
) STRICT;

CREATE TABLE item (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id         INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind               TEXT    NOT NULL,
    group_key          TEXT    NOT NULL,
    title              TEXT    NOT NULL,
    sort_title         TEXT    NOT NULL,
    initial            TEXT    NOT NULL,
    year               INTEGER,
    sort_year          INTEGER NOT NULL DEFAULT 0,
    authors            TEXT    NOT NULL DEFAULT '',
    sort_authors       TEXT    NOT NULL DEFAULT '',
    description        TEXT,
    series_id          INTEGER REFERENCES series (id) ON DELETE SET NULL,
    series_index       REAL,
    sort_series_index  REAL    NOT NULL DEFAULT 0,
    sort_series        TEXT    NOT NULL DEFAULT '',
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
    missing            INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)), missing_since TEXT, beneath TEXT, profile_id INTEGER, subkind TEXT,
    UNIQUE (library_id, kind, group_key)
) STRICT;
CREATE INDEX item_of_series ON item (series_id) WHERE series_id IS NOT NULL;
CREATE INDEX item_missing ON item (library_id, id) WHERE missing = 1;
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

CREATE TABLE folder (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id     INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    path           BLOB    NOT NULL,
    is_mount       INTEGER NOT NULL DEFAULT 0 CHECK (is_mount IN (0, 1)),
    listing        BLOB, pictures BLOB,
    UNIQUE (library_id, path)
) STRICT;

CREATE TABLE file (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id      INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    folder_id    INTEGER NOT NULL REFERENCES folder (id),
    name         BLOB    NOT NULL,
    size         INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    fingerprint  BLOB,
    full_hash    BLOB,
    missing      INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    sequence     INTEGER,
    season       INTEGER,
    episode      INTEGER,
    title        TEXT,
    title_in_file TEXT,
    extent       INTEGER,
    added_at     TEXT    NOT NULL,
    inspected_at TEXT, container TEXT, vcodec TEXT, acodec TEXT, width INTEGER, height INTEGER, duration REAL, probed_at TEXT, missing_since TEXT, said TEXT, mark INTEGER,
    UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_by_item ON file (item_id, sequence, id);
CREATE INDEX file_by_fingerprint ON file (fingerprint) WHERE fingerprint IS NOT NULL;

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

CREATE TABLE progress_history (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    finished    INTEGER NOT NULL,
    locator     TEXT,
    updated_at  TEXT    NOT NULL,
    replaced_at TEXT    NOT NULL
, late INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1))) STRICT;
CREATE INDEX progress_history_of_item ON progress_history (item_id);

CREATE TABLE favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_by_item ON favourite (item_id);

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

CREATE TABLE file_ticket (
    token_hash   BLOB    PRIMARY KEY,
    file_id      INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    session_hash BLOB    NOT NULL REFERENCES session (token_hash) ON DELETE CASCADE,
    expires_at   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX file_ticket_by_file ON file_ticket (file_id);
CREATE INDEX file_ticket_by_session ON file_ticket (session_hash);
CREATE INDEX file_ticket_by_expiry ON file_ticket (expires_at);

CREATE TABLE job (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    ref_id      INTEGER,
    payload     TEXT    NOT NULL DEFAULT '{}',
    status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    result      TEXT,
    error       TEXT,
    run_at      TEXT    NOT NULL,
    created_at  TEXT    NOT NULL,
    started_at  TEXT,
    finished_at TEXT
, set_at TEXT) STRICT;
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
    errors          TEXT    NOT NULL DEFAULT '[]',
    errors_overflow INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    started_at      TEXT    NOT NULL,
    finished_at     TEXT
, is_whole INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1))) STRICT;
CREATE INDEX scan_run_by_library ON scan_run (library_id, id);
CREATE INDEX scan_run_by_job ON scan_run (job_id);

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

CREATE TABLE cover (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    hash   TEXT    NOT NULL UNIQUE,
    width  INTEGER NOT NULL,
    height INTEGER NOT NULL,
    tint   TEXT    NOT NULL
) STRICT;

CREATE TABLE cover_image (
    cover_id INTEGER NOT NULL REFERENCES cover (id) ON DELETE CASCADE,
    size     TEXT    NOT NULL CHECK (size IN ('small', 'medium', 'large')),
    mime     TEXT    NOT NULL,
    body     BLOB    NOT NULL,
    PRIMARY KEY (cover_id, size)
) STRICT;

CREATE TABLE item_provider (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL, is_chosen INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1)), is_source INTEGER NOT NULL DEFAULT 0 CHECK (is_source IN (0, 1)),
    PRIMARY KEY (item_id, provider)
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
    expires_at  TEXT
) STRICT;
CREATE INDEX metadata_fetch_by_item ON metadata_fetch (item_id, provider, id);

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

CREATE TABLE file_stream (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type     TEXT    NOT NULL CHECK (type IN ('video', 'audio', 'subtitle')),
    codec    TEXT,
    language TEXT,
    title    TEXT,
    forced   INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    chosen   INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1)),
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_chapter (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    title    TEXT    NOT NULL,
    start    REAL    NOT NULL,
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE item_progress (
    user_id          INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id          INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    library_id       INTEGER NOT NULL,
    file_id          INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    finished         INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    fraction         REAL,
    continue_file_id INTEGER REFERENCES file (id) ON DELETE SET NULL,
    updated_at       TEXT    NOT NULL, missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)), off_profile INTEGER,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_progress_by_item ON item_progress (item_id);
CREATE INDEX item_progress_by_file ON item_progress (file_id);
CREATE INDEX item_progress_by_next ON item_progress (continue_file_id);
CREATE INDEX item_progress_by_state ON item_progress (user_id, finished, library_id, item_id);
CREATE INDEX item_progress_by_time ON item_progress (user_id, library_id, updated_at, item_id);

CREATE TABLE item_view (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    viewed_at  TEXT    NOT NULL, missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_view_by_item ON item_view (item_id);
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, late, id);
CREATE INDEX progress_history_of_file ON progress_history (file_id, user_id, updated_at);

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
CREATE INDEX item_present ON item (library_id, kind) WHERE missing = 0;

CREATE TRIGGER item_missing_tells_users AFTER UPDATE OF missing ON item
WHEN old.missing <> new.missing BEGIN
    UPDATE item_progress SET missing = new.missing WHERE item_id = new.id;
    UPDATE item_view SET missing = new.missing WHERE item_id = new.id;
END;

CREATE TRIGGER item_progress_insert AFTER INSERT ON item_progress
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_progress
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;

CREATE TRIGGER item_view_insert AFTER INSERT ON item_view
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_view
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;
CREATE INDEX item_progress_on_shelf
    ON item_progress (user_id, library_id, updated_at, item_id)
 WHERE continue_file_id IS NOT NULL AND missing = 0;
CREATE INDEX item_view_by_count
    ON item_view (user_id, library_id, n, viewed_at, item_id)
 WHERE missing = 0;

CREATE TABLE media_profile (
    id        INTEGER PRIMARY KEY,
    container TEXT NOT NULL,
    vcodec    TEXT,
    acodec    TEXT
) STRICT;
CREATE UNIQUE INDEX media_profile_by_codecs
    ON media_profile (container, ifnull(vcodec, ''), ifnull(acodec, ''));
CREATE INDEX item_by_added ON item (library_id, kind, added_at, id, missing, profile_id);
CREATE INDEX item_by_year
    ON item (library_id, kind, sort_year, sort_title, id, missing, profile_id);
CREATE INDEX item_by_author
    ON item (library_id, kind, sort_authors, sort_title, id, missing, profile_id);
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing, profile_id);
CREATE INDEX item_progress_off_profile
    ON item_progress (user_id, library_id, item_id, off_profile)
 WHERE off_profile IS NOT NULL;
CREATE INDEX scan_run_whole ON scan_run (library_id, id) WHERE is_whole = 1;

CREATE TABLE cover_due (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id) ON DELETE CASCADE
) STRICT;

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

CREATE TABLE match_refused (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    PRIMARY KEY (item_id, provider, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE provider_state (
    provider   TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (provider, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE item_settled (
    item_id   INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    providers INTEGER NOT NULL,
    until     TEXT    NOT NULL
) STRICT;

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
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing, profile_id, subkind);
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
CREATE INDEX item_of_profile ON item (profile_id, library_id, kind, initial, subkind)
 WHERE profile_id IS NOT NULL;

INSERT INTO search_word (search_word, rank) VALUES ('automerge', 16), ('crisismerge', 32);
INSERT INTO search_infix (search_infix, rank) VALUES ('automerge', 16), ('crisismerge', 32);

-- Numbers from 1 to 40, one for each item. Every tenth item is missing.
CREATE TEMP TABLE n AS
WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
SELECT i FROM n;

INSERT INTO user (id, username, username_key, password_hash, role, disabled, created_at)
SELECT i, 'User ' || i, 'user ' || i, 'hash', iif(i = 1, 'admin', 'user'), i = 3,
       '2026-01-01T00:00:00.000000Z'
  FROM n WHERE i <= 4;
INSERT INTO session (token_hash, user_id, created_at, renewed_at, expires_at)
SELECT CAST('token ' || i AS BLOB), i, 'c', 'r', 'e' FROM n WHERE i <= 4;
INSERT INTO library (id, name, name_key, path, kinds, root_is_mount, created_at)
SELECT i, 'Shelf ' || i, 'shelf ' || i, CAST('/media/' || i AS BLOB),
       iif(i = 1, NULL, '["reel"]'), nullif(i % 3, 2), 'c'
  FROM n WHERE i <= 3;
INSERT INTO library_grant (user_id, library_id)
SELECT u.i, l.i FROM n AS u, n AS l WHERE u.i <= 3 AND l.i <= u.i;

INSERT INTO series (id, kind, name, name_key)
SELECT i, iif(i % 2, 'reel', 'sheet'), 'Saga ' || i, 'saga ' || i FROM n WHERE i <= 5;
INSERT INTO cover (id, hash, width, height, tint)
SELECT i, 'hash ' || i, 600, 900, '#102030' FROM n WHERE i <= 10;
INSERT INTO cover_image (cover_id, size, mime, body)
SELECT cover.i, size.column1, 'image/webp', zeroblob(40)
  FROM (SELECT i FROM n WHERE i <= 10) AS cover,
       (VALUES ('small'), ('medium'), ('large')) AS size;
INSERT INTO media_profile (id, container, vcodec, acodec)
VALUES (1, 'mp4', 'h264', 'aac'), (2, 'matroska', NULL, 'aac');
-- Sources 2 and 3 are values of providers and edits of users; scanned values are stored below them.
INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, year, authors,
                  sort_authors, description, series_id, series_index, sort_series, facts,
                  file_facts, cover_id, title_source, year_source, cover_source, added_at, missing,
                  missing_since, beneath, profile_id, subkind)
SELECT i, 1 + i % 3, iif(i % 2, 'reel', 'sheet'), 'key ' || i, 'Tïtle ' || i, 'title ' || i,
       char(65 + i % 26), nullif(1900 + i, 1930), 'Ann Ode', 'ann ode',
       iif(i % 4, NULL, 'Words about it.'), iif(i % 7, NULL, 1 + i % 5), iif(i % 7, NULL, i / 2.0),
       iif(i % 7, '', 'saga'), json_object('pages', i), json_object('size', i),
       iif(i % 4, 1 + i % 10, NULL), i % 4, i % 3, iif(i % 4, 1, 0), 't' || i, i % 10 = 0,
       iif(i % 10, NULL, 'm'),
       iif(i % 4 >= 2, json_object('title', json_object('value', 'Scanned', 'source', 1)), NULL),
       iif(i % 10 AND i % 9, 1 + i % 2, NULL), iif(i % 5, NULL, 'short')
  FROM n;
INSERT INTO folder (id, library_id, path, is_mount, listing, pictures)
SELECT i, i, CAST('' AS BLOB), i = 2, zeroblob(16), zeroblob(16) FROM n WHERE i <= 3;
INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, fingerprint, full_hash, missing,
                  sequence, title, extent, added_at, inspected_at, container, vcodec, acodec, width,
                  height, duration, probed_at, missing_since, said, mark)
SELECT 2 * n.i + part.i - 2, n.i, 1 + n.i % 3, CAST(n.i || '-' || part.i AS BLOB), 1000 + n.i, n.i,
       CAST('finger ' || n.i || part.i AS BLOB), NULL, n.i % 10 = 0, part.i, 'Part ' || part.i, 100,
       't', 'i', iif(n.i % 9, iif(n.i % 2, 'matroska', 'mp4'), NULL),
       iif(n.i % 9 AND n.i % 2 = 0, 'h264', NULL), iif(n.i % 9, 'aac', NULL), 640, 480, 1.5 * n.i,
       'p', iif(n.i % 10, NULL, 'm'), iif(n.i % 2, '{"album":"A"}', NULL),
       iif(n.i % 3, n.i * 7, NULL)
  FROM n, (SELECT i FROM n WHERE i <= 2) AS part;
INSERT INTO file_stream (file_id, position, type, codec, language, title, forced, chosen)
SELECT i, 0, 'video', 'h264', NULL, NULL, 0, 1 FROM n
 UNION ALL SELECT i, 1, 'subtitle', 'subrip', 'deu', 'Deutsch', i % 2, 0 FROM n;
INSERT INTO file_chapter (file_id, position, title, start)
SELECT n.i, part.i, 'Chapter', part.i * 60.5 FROM n, (SELECT i FROM n WHERE i <= 2) AS part;
INSERT INTO person (id, name, name_key)
SELECT i, 'Person ' || i, 'person ' || i FROM n WHERE i <= 12;
INSERT INTO item_person (item_id, position, person_id, role)
SELECT n.i, part.i, 1 + (n.i + part.i) % 12, iif(part.i = 1, 'author', 'narrator')
  FROM n, (SELECT i FROM n WHERE i <= 2) AS part;
INSERT INTO item_person (item_id, position, person_id, role) VALUES (1, 3, 3, 'editor');
INSERT INTO search_word (rowid, title, path, authors)
SELECT i, 'Tïtle ' || i, 'key ' || i, 'Ann Ode' FROM n;
INSERT INTO search_infix (rowid, text) SELECT i, 'Tïtle ' || i FROM n;

INSERT INTO progress (user_id, file_id, item_id, position, finished, locator, updated_at)
SELECT u.i, 2 * n.i - 1, n.i, n.i % 100, n.i % 4 = 0, nullif('/' || n.i, '/7'),
       '2026-02-01T00:00:00.0000' || printf('%02d', n.i) || 'Z'
  FROM n, (SELECT i FROM n WHERE i <= 3) AS u;
INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, fraction,
                           continue_file_id, updated_at, off_profile)
SELECT user_id, item_id, 1 + item_id % 3, file_id, 0, position / 200.0, file_id + finished,
       updated_at, iif(item_id % 6, NULL, item_id % 4)
  FROM progress;
INSERT INTO progress_history (user_id, item_id, file_id, position, finished, locator, updated_at,
                              replaced_at, late)
SELECT 1 + i % 3, i, 2 * i - 1, i, 0, NULL, 'u', 'r', i % 2 FROM n;
INSERT INTO favourite (user_id, item_id, created_at) SELECT 1 + i % 3, i, 'c' FROM n WHERE i % 2;
INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
SELECT 1 + i % 3, i, 1 + i % 3, i, 'v' || i FROM n;
INSERT INTO annotation (user_id, item_id, file_id, type, position, locator, text, note, color,
                        created_at)
SELECT 1 + i % 3, i, 2 * i, iif(i % 2, 'highlight', 'bookmark'), i, '/' || i, 'text', 'note', 'red',
       'c'
  FROM n WHERE i % 3 = 0;
INSERT INTO file_ticket (token_hash, file_id, session_hash, expires_at)
SELECT CAST('ticket ' || i AS BLOB), i, CAST('token 1' AS BLOB), 'e' FROM n WHERE i < 9;
INSERT INTO game_save (user_id, item_id, slot, core, size, sha256, updated_at, body)
SELECT 1 + i % 3, i, 'auto', 'core', 64, hex(i), 'u', CAST('save ' || i AS BLOB)
  FROM n WHERE i % 6 = 0;
INSERT INTO game_save_version (user_id, item_id, slot, n, core, size, sha256, saved_at, body)
SELECT user_id, item_id, slot, part.i, core, 32, sha256, 's', CAST('version ' || part.i AS BLOB)
  FROM game_save, (SELECT i FROM n WHERE i <= 3) AS part;

INSERT INTO job (kind, ref_id, payload, status, attempts, result, error, run_at, created_at, set_at)
SELECT 'scan', 1 + i % 3, '{}',
       CASE i % 4 WHEN 0 THEN 'queued' WHEN 1 THEN 'running' WHEN 2 THEN 'done' ELSE 'failed' END,
       i % 3, NULL, NULL, 'r', 'c', iif(i % 2, 's' || i, NULL)
  FROM n WHERE i <= 20;
INSERT INTO scan_run (library_id, job_id, status, scanned, added, errors, started_at, is_whole)
SELECT 1 + i % 3, i, 'done', i, i, '["a line"]', 's', i % 2 FROM n WHERE i <= 20;
INSERT INTO cover_due (item_id) SELECT i FROM n WHERE i % 2;

-- The provider `beside` reads local files.
INSERT INTO item_provider (item_id, provider, external_id, is_chosen, is_source)
SELECT i, iif(i % 3, 'igdb', 'beside'), 'x' || i, i % 3 = 0, i % 5 = 0 FROM n WHERE i % 2;
INSERT INTO match_refused (item_id, provider, external_id)
SELECT i, iif(i % 8, 'igdb', 'beside'), 'y' || i FROM n WHERE i % 4 = 0;
INSERT INTO metadata_fetch (item_id, provider, outcome, query, external_id, title, year, authors,
                            score, error, fetched_at, expires_at)
SELECT i, iif(i % 3, 'igdb', 'beside'), iif(i % 2, 'ok', 'notfound'), 'q', 'x' || i, 'Title', 1999,
       'Ann', 0.9, NULL, 'f', 'e'
  FROM n;
INSERT INTO provider_state (provider, key, value, expires_at)
VALUES ('igdb', 'token', 'v', 'e'), ('beside', 'token', 'v', 'e');
INSERT INTO item_settled (item_id, providers, until) SELECT i, 1, 'u' FROM n WHERE i % 8 = 0;

DROP TABLE temp.n;
PRAGMA user_version = 32;
