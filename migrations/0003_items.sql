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
    UNIQUE (library_id, kind, group_key)
) STRICT;
-- The library leads every browse index: what a user may see is one range per library and kind.
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing);
CREATE INDEX item_by_added ON item (library_id, kind, added_at, id, missing);
CREATE INDEX item_by_year ON item (library_id, kind, sort_year, sort_title, id, missing);
CREATE INDEX item_by_author ON item (library_id, kind, sort_authors, sort_title, id, missing);
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing);
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

-- How many items a library has, by kind, presence and initial; kept by the triggers below, so
-- that totals and letters never count items.
CREATE TABLE item_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    missing    INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, missing, initial)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER item_count_insert AFTER INSERT ON item BEGIN
    INSERT INTO item_count (library_id, kind, missing, initial, n)
    VALUES (new.library_id, new.kind, new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_count_delete AFTER DELETE ON item BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND missing = old.missing AND initial = old.initial;
END;
CREATE TRIGGER item_count_update AFTER UPDATE OF library_id, kind, missing, initial ON item
WHEN (old.library_id, old.kind, old.missing, old.initial)
  IS NOT (new.library_id, new.kind, new.missing, new.initial) BEGIN
    UPDATE item_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND missing = old.missing AND initial = old.initial;
    INSERT INTO item_count (library_id, kind, missing, initial, n)
    VALUES (new.library_id, new.kind, new.missing, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
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
    UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_by_item ON file (item_id, sequence, id);
CREATE INDEX file_by_fingerprint ON file (fingerprint) WHERE fingerprint IS NOT NULL;
