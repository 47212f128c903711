-- Schema of a new database. The numbered files in this folder upgrade older databases to it.

-- Accounts and sessions. `username_key` contains the name in lower case, for comparison.
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

-- The table contains only the SHA-256 of a token.
CREATE TABLE session (
    token_hash BLOB    PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    renewed_at TEXT    NOT NULL,
    expires_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_id);
CREATE INDEX session_by_expiry ON session (expires_at);

-- Libraries and the users with access. `kinds` is a JSON array, or NULL for all kinds.
CREATE TABLE library (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    name             TEXT    NOT NULL,
    name_key         TEXT    NOT NULL UNIQUE,
    path             BLOB    NOT NULL UNIQUE,
    kinds            TEXT,
    -- 1 if the root was a mount point at the last complete scan. NULL before the first scan.
    root_is_mount    INTEGER CHECK (root_is_mount IN (0, 1)),
    created_at       TEXT    NOT NULL
) STRICT;

CREATE TABLE library_grant (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_grant_by_library ON library_grant (library_id, user_id);

-- Series, items, folders and files. Names and paths are bytes, as in the file system.
CREATE TABLE series (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL,
    UNIQUE (kind, name_key)
) STRICT;

-- Source of a field, in ascending order of precedence: 0 name, 1 file, 2 provider, 3 user.
-- Source 3 locks the field.
CREATE TABLE item (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id         INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind               TEXT    NOT NULL,
    -- Key from the kind's grouping; see `registry::naming::Group::key`.
    group_key          TEXT    NOT NULL,
    title              TEXT    NOT NULL,
    -- `text::sort_key` computes the collation keys. `initial` is the index letter of the title.
    sort_title         TEXT    NOT NULL,
    initial            TEXT    NOT NULL,
    year               INTEGER,
    -- The sort columns are never NULL, so that they can be compared as tuples. Unknown values come
    -- first. Triggers maintain them, because SQLite cannot read a generated column from an index.
    sort_year          INTEGER NOT NULL DEFAULT 0,
    -- Joined names of the authors. They are recomputed after each change of the credits.
    authors            TEXT    NOT NULL DEFAULT '',
    sort_authors       TEXT    NOT NULL DEFAULT '',
    description        TEXT,
    series_id          INTEGER REFERENCES series (id) ON DELETE SET NULL,
    series_index       REAL,
    sort_series_index  REAL    NOT NULL DEFAULT 0,
    sort_series        TEXT    NOT NULL DEFAULT '',
    -- Sums of the item's files, and the date of release as YYYYMMDD, where an unknown month or day
    -- is 00. Unknown values are the largest integer, so that they come last.
    sort_duration      INTEGER NOT NULL DEFAULT 9223372036854775807,
    sort_pages         INTEGER NOT NULL DEFAULT 9223372036854775807,
    sort_size          INTEGER NOT NULL DEFAULT 9223372036854775807,
    sort_released      INTEGER NOT NULL DEFAULT 9223372036854775807,
    -- Further values, as JSON. `file_facts` contains a copy of the values from the files, so that
    -- values from names can change independently.
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
    missing_since      TEXT,
    -- Scanned values of fields that a provider or a user has written, as JSON. An unlocked field
    -- returns to its scanned value.
    scanned_values TEXT,
    -- Profile of the first present file. NULL without such a file, or if it was not probed.
    profile_id INTEGER,
    -- Subdivision of the kind, as the kind assigns it. NULL for none.
    subkind TEXT,
    -- Primary subtag of the language, such as `en`. NULL if unknown.
    language TEXT,
    language_source INTEGER NOT NULL DEFAULT 0 CHECK (language_source BETWEEN 0 AND 3),
    genres_source INTEGER NOT NULL DEFAULT 0 CHECK (genres_source BETWEEN 0 AND 3),
    UNIQUE (library_id, kind, group_key)
) STRICT;
-- Every browse index begins with the library, so that a user's list is one range per library and
-- kind.
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_added ON item (library_id, kind, added_at, id, missing, profile_id);
CREATE INDEX item_by_year
    ON item (library_id, kind, sort_year, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_author
    ON item (library_id, kind, sort_authors, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing, profile_id,
             subkind);
CREATE INDEX item_by_duration
    ON item (library_id, kind, sort_duration, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_pages
    ON item (library_id, kind, sort_pages, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_size
    ON item (library_id, kind, sort_size, sort_title, id, missing, profile_id, subkind);
CREATE INDEX item_by_released
    ON item (library_id, kind, sort_released, sort_title, id, missing, profile_id, subkind);
-- A list of one subkind is one range of these indexes per library. In the other orders, it filters a
-- range of the kind: each further index costs 1 to 4 % of the CPU time of a first scan.
CREATE INDEX item_of_subkind_by_title
    ON item (library_id, kind, subkind, sort_title, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
CREATE INDEX item_of_subkind_by_added
    ON item (library_id, kind, subkind, added_at, id, missing, profile_id)
 WHERE subkind IS NOT NULL;
-- The items of a series by number and year, with unknown years last. Items without a number are read
-- as a range of their own.
CREATE INDEX item_of_series
    ON item (series_id, series_index, sort_year = 0, sort_year, sort_title, id, library_id,
             missing, added_at)
 WHERE series_id IS NOT NULL;
-- Totals and letters of playable items, and lists of rare profiles.
CREATE INDEX item_of_profile ON item (profile_id, library_id, kind, initial, subkind)
 WHERE profile_id IS NOT NULL;
CREATE INDEX item_missing ON item (library_id, id) WHERE missing = 1;
CREATE INDEX item_of_language ON item (language) WHERE language IS NOT NULL;
-- The shelf Explore reads items in the order of their ids, from any id.
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

-- The date of the facts is more exact than the year, unless another year was entered.
CREATE TRIGGER item_released_insert AFTER INSERT ON item
WHEN new.year IS NOT NULL AND new.sort_released = 9223372036854775807 BEGIN
    UPDATE item
       SET sort_released = (
           SELECT CASE
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', new.year)
                  THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', new.year)
                  THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                  ELSE new.year * 10000
                  END
             FROM (SELECT new.facts ->> '$.date' AS date))
     WHERE id = new.id;
END;
CREATE TRIGGER item_released_update AFTER UPDATE OF year, facts ON item
WHEN old.year IS NOT new.year OR old.facts <> new.facts BEGIN
    UPDATE item
       SET sort_released = fresh.value
      FROM (SELECT CASE
                   WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                    AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', new.year)
                   THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                   WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                    AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', new.year)
                   THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                   ELSE ifnull(new.year * 10000, 9223372036854775807)
                   END AS value
              FROM (SELECT new.facts ->> '$.date' AS date)) AS fresh
     WHERE id = new.id AND sort_released <> fresh.value;
END;

-- Number of items by library, kind, subkind, presence and initial. Items without a subkind are
-- counted under the empty text. Triggers maintain the numbers for totals and letters.
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

-- Combinations of container and codecs in all libraries. A large library has a few dozen.
CREATE TABLE media_profile (
    id        INTEGER PRIMARY KEY,
    container TEXT NOT NULL,
    vcodec    TEXT,
    acodec    TEXT
) STRICT;
CREATE UNIQUE INDEX media_profile_by_codecs
    ON media_profile (container, ifnull(vcodec, ''), ifnull(acodec, ''));

CREATE TABLE folder (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id     INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    -- Path below the library's root, without a leading slash. Empty for the root.
    path           BLOB    NOT NULL,
    -- 1 if the folder was a mount point when it was last listed.
    is_mount       INTEGER NOT NULL DEFAULT 0 CHECK (is_mount IN (0, 1)),
    -- Digest of the listing (names, sizes, times) and of the grouping rules at the last scan. An
    -- equal digest means that nothing changed. NULL forces a comparison of the files.
    listing        BLOB,
    -- Digest of possible cover pictures (names, sizes, times). NULL for none.
    pictures       BLOB,
    UNIQUE (library_id, path)
) STRICT;

CREATE TABLE file (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id      INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    folder_id    INTEGER NOT NULL REFERENCES folder (id),
    name         BLOB    NOT NULL,
    size         INTEGER NOT NULL,
    -- Modification time from the file system, in nanoseconds since 1970. Used for comparison.
    mtime_ns     INTEGER NOT NULL,
    -- BLAKE3 of size, head and tail, 16 bytes. NULL for empty files and before the first read.
    fingerprint  BLOB,
    -- BLAKE3 of the complete file. Stored if two files have the same fingerprint.
    full_hash    BLOB,
    missing      INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    -- Order of parts that are played one after another. NULL for alternatives.
    sequence     INTEGER,
    season       INTEGER,
    episode      INTEGER,
    title        TEXT,
    -- Title of the part from the file. It takes precedence over the title from the name.
    title_in_file TEXT,
    -- Length in the unit of the format, such as pages or seconds.
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
    -- Opaque metadata of the kind, in its own format. The kind's grouping receives it again if only
    -- neighbours of the file are read again.
    kind_data TEXT,
    -- Hash of the version of the kind's readers and of the sidecar files at the last read. A
    -- different hash causes another read. NULL before the first read.
    read_signature INTEGER,
    -- Last number of a file with several episodes.
    last_episode INTEGER,
    UNIQUE (folder_id, name)
) STRICT;
CREATE INDEX file_by_item ON file (item_id, sequence, id);
CREATE INDEX file_by_fingerprint ON file (fingerprint) WHERE fingerprint IS NOT NULL;

-- People and their roles in items.
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
    -- Played character, for cast members.
    character TEXT,
    PRIMARY KEY (item_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_person_by_person ON item_person (person_id, item_id);

-- Number of items per library, for each person and each series. Triggers maintain the numbers, so
-- that lists of people and series need no counting. Several roles in one item count once.
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
-- SQLite deletes an item's row before its credits, so this trigger finds no library then.
-- `person_count_item` counts the deleted item.
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

-- Genres of items. `name_key` contains the folded name, which identifies a genre.
CREATE TABLE genre (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE item_genre (
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    genre_id INTEGER NOT NULL REFERENCES genre (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX item_genre_by_genre ON item_genre (genre_id, item_id);

-- Number of items per genre, library and kind. Triggers maintain the numbers, so that the list of
-- genres needs no counting.
CREATE TABLE genre_count (
    genre_id   INTEGER NOT NULL REFERENCES genre (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (genre_id, library_id, kind)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER genre_count_insert AFTER INSERT ON item_genre BEGIN
    INSERT INTO genre_count (genre_id, library_id, kind, n)
    SELECT new.genre_id, library_id, kind, 1 FROM item WHERE id = new.item_id
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- SQLite deletes an item's row before its genres, so this trigger finds no library then.
-- `genre_count_item` counts the deleted item.
CREATE TRIGGER genre_count_delete AFTER DELETE ON item_genre BEGIN
    UPDATE genre_count SET n = n - 1
     WHERE genre_id = old.genre_id
       AND (library_id, kind) = (SELECT library_id, kind FROM item WHERE id = old.item_id);
    DELETE FROM genre_count WHERE genre_id = old.genre_id AND n = 0;
END;
CREATE TRIGGER genre_count_item BEFORE DELETE ON item BEGIN
    UPDATE genre_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND genre_id IN (SELECT genre_id FROM item_genre WHERE item_id = old.id);
    DELETE FROM genre_count
     WHERE genre_id IN (SELECT genre_id FROM item_genre WHERE item_id = old.id)
       AND n = 0;
END;

-- Tags. A tag without an owner is shared: administrators manage it, and all users see it.
CREATE TABLE tag (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id  INTEGER REFERENCES user (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    name_key TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tag_by_name ON tag (ifnull(user_id, 0), name_key);
CREATE INDEX tag_by_user ON tag (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE item_tag (
    tag_id  INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
    item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_tag_by_item ON item_tag (item_id, tag_id);
-- A tag is deleted with its last item.
CREATE TRIGGER tag_unused AFTER DELETE ON item_tag BEGIN
    DELETE FROM tag
     WHERE id = old.tag_id
       AND NOT EXISTS (SELECT 1 FROM item_tag WHERE tag_id = old.tag_id);
END;

-- User data: progress, favourites, ratings, views, annotations, tickets.
CREATE TABLE progress (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL CHECK (position >= 0),
    finished   INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    locator    TEXT,
    updated_at TEXT    NOT NULL,
    -- Relative position inside the section or page, from 0 to 1.
    within     REAL    CHECK (within BETWEEN 0 AND 1),
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX progress_by_item ON progress (item_id, user_id, updated_at);
CREATE INDEX progress_by_file ON progress (file_id);

-- Summary of progress per user and item. Each write of progress updates it.
CREATE TABLE item_progress (
    user_id          INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id          INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- Copy of the item's library, which never changes.
    library_id       INTEGER NOT NULL,
    -- File with the newest progress.
    file_id          INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    finished         INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    -- Finished part of the item, from 0 to 1. NULL if unknown.
    fraction         REAL,
    -- File to continue with. NULL if the item is finished or no file is left.
    continue_file_id INTEGER REFERENCES file (id) ON DELETE SET NULL,
    updated_at       TEXT    NOT NULL,
    -- Copy of the item's column, which triggers maintain. Shelves filter by it in their index.
    missing          INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1)),
    -- Profile of the file to continue with, if it differs from the item's profile. 0 if that file
    -- was not probed. NULL if the item's profile applies.
    continue_profile_id INTEGER,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_progress_by_item ON item_progress (item_id);
CREATE INDEX item_progress_by_file ON item_progress (file_id);
CREATE INDEX item_progress_by_continue_file ON item_progress (continue_file_id);
CREATE INDEX item_progress_by_state ON item_progress (user_id, finished, library_id, item_id);
CREATE INDEX item_progress_by_time ON item_progress (user_id, library_id, updated_at, item_id);
CREATE INDEX item_progress_on_shelf
    ON item_progress (user_id, library_id, updated_at, item_id)
 WHERE continue_file_id IS NOT NULL AND missing = 0;
CREATE INDEX item_progress_by_continue_profile
    ON item_progress (user_id, library_id, item_id, continue_profile_id)
 WHERE continue_profile_id IS NOT NULL;
CREATE TRIGGER item_progress_insert AFTER INSERT ON item_progress
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_progress
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;

-- Overwritten progress, and stale progress: it was older than the stored one on arrival.
CREATE TABLE progress_history (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    finished    INTEGER NOT NULL,
    locator     TEXT,
    updated_at  TEXT    NOT NULL,
    -- Time of the overwrite. For stale progress, the time of arrival.
    replaced_at TEXT    NOT NULL,
    is_stale    INTEGER NOT NULL DEFAULT 0 CHECK (is_stale IN (0, 1)),
    within      REAL
) STRICT;
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, is_stale, id);
CREATE INDEX progress_history_of_item ON progress_history (item_id);
CREATE INDEX progress_history_of_file ON progress_history (file_id, user_id, updated_at);

CREATE TABLE favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_by_item ON favourite (item_id);

CREATE TABLE rating (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    rating   INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_by_item ON rating (item_id);
CREATE INDEX rating_by_value ON rating (user_id, rating, item_id);

CREATE TABLE item_view (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- Copy of the item's library, which never changes.
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    viewed_at  TEXT    NOT NULL,
    -- Copy of the item's column, which triggers maintain.
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
CREATE TRIGGER item_missing_update AFTER UPDATE OF missing ON item
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
    created_at TEXT    NOT NULL,
    -- Milliseconds after the position in seconds, in bookmarks of programs with exact positions.
    millis     INTEGER NOT NULL DEFAULT 0 CHECK (millis BETWEEN 0 AND 999)
) STRICT;
CREATE INDEX annotation_by_item ON annotation (user_id, item_id, id);
CREATE INDEX annotation_of_item ON annotation (item_id);
CREATE INDEX annotation_of_file ON annotation (file_id);
-- Bookmarks of programs that have one bookmark per file.
CREATE INDEX annotation_of_app ON annotation (user_id, file_id)
 WHERE type = 'bookmark' AND locator = 'app';

-- Plays of files.
CREATE TABLE file_play (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    -- Start of the second of the play.
    played_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id, played_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_play_of_file ON file_play (file_id);

-- Number of plays and the time of the last one. A trigger maintains them, so that a list of files
-- reads no plays.
CREATE TABLE file_play_total (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    played_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_play_total_of_file ON file_play_total (file_id);
CREATE TRIGGER file_play_insert AFTER INSERT ON file_play BEGIN
    INSERT INTO file_play_total (user_id, file_id, n, played_at)
    VALUES (new.user_id, new.file_id, 1, new.played_at)
        ON CONFLICT (user_id, file_id) DO UPDATE
       SET n = n + 1, played_at = max(played_at, excluded.played_at);
END;

CREATE TABLE file_favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_favourite_of_file ON file_favourite (file_id);
CREATE INDEX file_favourite_by_time ON file_favourite (user_id, created_at, file_id);

CREATE TABLE person_favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_favourite_of_person ON person_favourite (person_id);
CREATE INDEX person_favourite_by_time ON person_favourite (user_id, created_at, person_id);

CREATE TABLE file_rating (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    rating   INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_rating_of_file ON file_rating (file_id);

CREATE TABLE person_rating (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    rating    INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at  TEXT    NOT NULL,
    PRIMARY KEY (user_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_rating_of_person ON person_rating (person_id);

-- Tickets for one file and one session, for players that cannot send a cookie.
CREATE TABLE file_ticket (
    token_hash   BLOB    PRIMARY KEY,
    file_id      INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    session_hash BLOB    NOT NULL REFERENCES session (token_hash) ON DELETE CASCADE,
    expires_at   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX file_ticket_by_file ON file_ticket (file_id);
CREATE INDEX file_ticket_by_session ON file_ticket (session_hash, expires_at);
CREATE INDEX file_ticket_by_expiry ON file_ticket (expires_at);

-- Background jobs, and the runs of scans.
CREATE TABLE job (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    ref_id      INTEGER,
    -- Parameters of the handler, as JSON.
    payload     TEXT    NOT NULL DEFAULT '{}',
    status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    -- Result of the handler, as JSON.
    result      TEXT,
    error       TEXT,
    run_at      TEXT    NOT NULL,
    created_at  TEXT    NOT NULL,
    started_at  TEXT,
    finished_at TEXT,
    -- Time at which `run_at` was set. NULL means `created_at`.
    scheduled_at TEXT
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
    -- At most 100 messages, as a JSON array. `errors_overflow` counts the others.
    errors          TEXT    NOT NULL DEFAULT '[]',
    errors_overflow INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    started_at      TEXT    NOT NULL,
    finished_at     TEXT,
    -- 1 if the run scanned the whole library, 0 if it scanned only changed folders.
    is_whole        INTEGER NOT NULL DEFAULT 1 CHECK (is_whole IN (0, 1))
) STRICT;
CREATE INDEX scan_run_by_library ON scan_run (library_id, id);
CREATE INDEX scan_run_whole ON scan_run (library_id, id) WHERE is_whole = 1;
CREATE INDEX scan_run_by_job ON scan_run (job_id);

-- Search indexes, by item id. `search_word` contains words and their prefixes, `search_infix`
-- contains trigrams. Only `search::reindex` writes them. They index the text of `search::fold`
-- without storing it.
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
-- FTS5 merges the segments of an index at 16 equal ones (default 4), and at 32 within one write.
-- Fewer merges make a first scan faster; queries have the same speed.
INSERT INTO search_word (search_word, rank) VALUES ('automerge', 16), ('crisismerge', 32);
INSERT INTO search_infix (search_infix, rank) VALUES ('automerge', 16), ('crisismerge', 32);

-- Words of titles, people and series by library, for the correction of terms. Each word is stored
-- forwards and backwards. Words without items may remain for some time.
CREATE TABLE search_vocabulary (
    is_reversed INTEGER NOT NULL CHECK (is_reversed IN (0, 1)),
    text        TEXT    NOT NULL,
    -- Not a foreign key: the words of a deleted library are deleted in the background.
    library_id  INTEGER NOT NULL,
    PRIMARY KEY (is_reversed, text, library_id)
) STRICT, WITHOUT ROWID;
-- Progress of the completion of the index after an upgrade, in one row. Items after `next_item` are
-- complete. No row if all items are complete.
CREATE TABLE search_backlog (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    next_item INTEGER NOT NULL
) STRICT;

-- Covers, identified by the hash of their content. `item.cover_id` refers to them.
CREATE TABLE cover (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    -- BLAKE3 of the source image, in lower-case hexadecimal.
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

-- Pictures that an administrator can select as the cover of an item.
CREATE TABLE item_cover (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- `embedded`, `folder`, `upload`, or the id of a provider.
    source   TEXT    NOT NULL,
    cover_id INTEGER NOT NULL REFERENCES cover (id) ON DELETE CASCADE,
    UNIQUE (item_id, cover_id)
) STRICT;
CREATE INDEX item_cover_of_cover ON item_cover (cover_id);

-- A cover is deleted with its last use; see `cover_use`.
CREATE TRIGGER cover_unused_update AFTER UPDATE OF cover_id ON item
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unused_delete AFTER DELETE ON item WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unoffered AFTER DELETE ON item_cover BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;

-- Items whose files or pictures have changed since the last search for their cover. A repeated
-- insertion gets a new id, so that a search that has already begun does not remove it.
CREATE TABLE cover_queue (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id) ON DELETE CASCADE
) STRICT;

-- Matches with providers, and the requests for them.
CREATE TABLE item_provider (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    -- `is_chosen`: a user chose the match. `is_source`: the item's fields contain its values.
    is_chosen INTEGER NOT NULL DEFAULT 0 CHECK (is_chosen IN (0, 1)),
    is_source INTEGER NOT NULL DEFAULT 0 CHECK (is_source IN (0, 1)),
    PRIMARY KEY (item_id, provider)
) STRICT, WITHOUT ROWID;

-- Matches that a user has undone. They are not made again automatically.
CREATE TABLE match_rejected (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    PRIMARY KEY (item_id, provider, external_id)
) STRICT, WITHOUT ROWID;

-- State of providers that outlives a restart, such as tokens.
CREATE TABLE provider_state (
    provider   TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    PRIMARY KEY (provider, key)
) STRICT, WITHOUT ROWID;

-- Settings of all providers. Without a row, the defaults apply.
CREATE TABLE metadata_setting (
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    -- 0 if no remote provider may be queried, not even on request.
    remote      INTEGER NOT NULL DEFAULT 1 CHECK (remote IN (0, 1)),
    -- 1 if complete scans are followed by an enrichment of the library.
    after_scans INTEGER NOT NULL DEFAULT 0 CHECK (after_scans IN (0, 1)),
    -- Languages of texts as a JSON array of BCP 47 tags, most wanted first. Empty for the default.
    languages   TEXT    NOT NULL DEFAULT '[]'
) STRICT;

-- Providers that must not be queried.
CREATE TABLE provider_disabled (
    provider TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Values of a provider's settings: plain text, or a secret that is encrypted with a key outside of
-- the database.
CREATE TABLE provider_value (
    provider TEXT NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT,
    nonce    BLOB,
    sealed   BLOB,
    PRIMARY KEY (provider, name),
    CHECK ((value IS NULL) = (sealed IS NOT NULL)),
    CHECK ((nonce IS NULL) = (sealed IS NULL))
) STRICT, WITHOUT ROWID;

-- Query order of the providers of a kind. Providers without a row follow by rank.
CREATE TABLE provider_order (
    kind     TEXT    NOT NULL,
    provider TEXT    NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (kind, provider)
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
    -- NULL for failures, which are always repeated.
    expires_at  TEXT
) STRICT;
CREATE INDEX metadata_fetch_by_item ON metadata_fetch (item_id, provider, id);

-- Items that need no request before `until`, so that a walk does not read their stored responses.
-- An item without a row is checked.
CREATE TABLE enrichment_checked (
    item_id   INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    -- Hash of the list of providers at the time of the check.
    providers INTEGER NOT NULL,
    until     TEXT    NOT NULL
) STRICT;

-- Every new response and every decision about an item causes another check.
CREATE TRIGGER metadata_fetch_added AFTER INSERT ON metadata_fetch
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = new.item_id;
END;
CREATE TRIGGER metadata_fetch_changed AFTER UPDATE ON metadata_fetch
BEGIN
    DELETE FROM enrichment_checked WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_added AFTER INSERT ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = new.item_id;
END;
CREATE TRIGGER item_provider_changed AFTER UPDATE ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_removed AFTER DELETE ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = old.item_id;
END;

-- Works: items that are forms of one title. A work with only one item is deleted.
CREATE TABLE work (
    id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;
CREATE TABLE work_item (
    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    work_id INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX work_item_by_work ON work_item (work_id, item_id);
CREATE TRIGGER work_dissolved AFTER DELETE ON work_item
WHEN (SELECT count(*) FROM work_item WHERE work_id = old.work_id) < 2 BEGIN
    DELETE FROM work_item WHERE work_id = old.work_id;
    DELETE FROM work WHERE id = old.work_id;
END;

-- Forms that an administrator has separated, in both directions. They are never linked
-- automatically.
CREATE TABLE work_rejected (
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    other_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_rejected_by_other ON work_rejected (other_id);

-- Keys by which items are linked: a common key makes two items forms of one title.
CREATE TABLE work_key (
    item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    key     TEXT    NOT NULL,
    PRIMARY KEY (item_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_key_by_key ON work_key (key, item_id);

-- Highest id of a file and of an item that the job of a queue has read. Later rows are new. They are
-- not queued: with a row for each of them, each of the two queues took 4 % of the CPU time of a first
-- scan of 290,243 items.
CREATE TABLE queue_position (
    queue   TEXT    NOT NULL PRIMARY KEY CHECK (queue IN ('digest', 'work')),
    last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO queue_position (queue, last_id) VALUES ('digest', 0), ('work', 0);

-- Items whose keys may have changed.
CREATE TABLE work_queue (
    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE
) STRICT;
CREATE TRIGGER work_queue_update AFTER UPDATE OF title, authors, facts, subkind ON item
WHEN (old.title, old.authors, old.facts, old.subkind)
  IS NOT (new.title, new.authors, new.facts, new.subkind) BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_number AFTER UPDATE OF series_index ON item
WHEN new.series_index IS NOT NULL AND new.series_index IS NOT old.series_index BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_match_insert AFTER INSERT ON item_provider BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.item_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_match_update AFTER UPDATE ON item_provider BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.item_id) ON CONFLICT DO NOTHING;
END;

-- Saves of games.
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

-- Overwritten saves of a slot.
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

-- Streams and chapters of a file. Codec names are the names of ffprobe.
CREATE TABLE file_stream (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type     TEXT    NOT NULL CHECK (type IN ('video', 'audio', 'subtitle')),
    codec    TEXT,
    language TEXT,
    title    TEXT,
    forced   INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_chapter (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    title    TEXT    NOT NULL,
    -- Time in seconds from the beginning of the file.
    start    REAL    NOT NULL,
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

-- Playlists: ordered files of a user. `version` increases with each write that changes the list.
CREATE TABLE playlist (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    -- Folded name for searches, and collation key for the order.
    name_key    TEXT    NOT NULL,
    sort_name   TEXT    NOT NULL,
    description TEXT,
    is_public   INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    version     INTEGER NOT NULL DEFAULT 1,
    created_at  TEXT    NOT NULL,
    updated_at  TEXT    NOT NULL
) STRICT;
CREATE INDEX playlist_by_user ON playlist (user_id);
CREATE INDEX playlist_public ON playlist (user_id) WHERE is_public = 1;

CREATE TABLE playlist_entry (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id     INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
    -- Positions have gaps, so that an insertion changes no other row.
    position    INTEGER NOT NULL,
    file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    -- Copy of the file's library, which never changes.
    library_id  INTEGER NOT NULL,
    added_at    TEXT    NOT NULL
) STRICT;
CREATE INDEX playlist_entry_by_position ON playlist_entry (list_id, position, id, library_id);
CREATE INDEX playlist_entry_of_file ON playlist_entry (file_id, list_id);

-- Number of entries and their length in seconds, per playlist and library. Triggers maintain the
-- numbers, so that a list of playlists reads no entries. Unknown lengths count as 0.
CREATE TABLE playlist_total (
    list_id    INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    duration   INTEGER NOT NULL,
    PRIMARY KEY (list_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER playlist_total_insert AFTER INSERT ON playlist_entry BEGIN
    INSERT INTO playlist_total (list_id, library_id, n, duration)
    SELECT new.list_id, new.library_id, 1, ifnull(extent, 0) FROM file WHERE id = new.file_id
        ON CONFLICT DO UPDATE SET n = n + 1, duration = duration + excluded.duration;
END;
CREATE TRIGGER playlist_total_delete AFTER DELETE ON playlist_entry BEGIN
    UPDATE playlist_total
       SET n = n - 1,
           duration = duration - ifnull((SELECT extent FROM file WHERE id = old.file_id), 0)
     WHERE list_id = old.list_id AND library_id = old.library_id;
    DELETE FROM playlist_total
     WHERE list_id = old.list_id AND library_id = old.library_id AND n = 0;
END;
CREATE TRIGGER playlist_total_extent AFTER UPDATE OF extent ON file
WHEN old.extent IS NOT new.extent
 AND EXISTS (SELECT 1 FROM playlist_entry WHERE file_id = new.id) BEGIN
    UPDATE playlist_total
       SET duration = duration + entry.n * (ifnull(new.extent, 0) - ifnull(old.extent, 0))
      FROM (SELECT list_id, library_id, count(*) AS n
              FROM playlist_entry
             WHERE file_id = new.id
             GROUP BY list_id, library_id) AS entry
     WHERE playlist_total.list_id = entry.list_id
       AND playlist_total.library_id = entry.library_id;
END;

-- Saved queue of a user. The row stays when the queue is emptied, so that no version is reused.
CREATE TABLE play_queue (
    user_id          INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    current_entry_id INTEGER REFERENCES play_queue_entry (id) ON DELETE SET NULL,
    -- Position in seconds within the current entry.
    position         INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0),
    version          INTEGER NOT NULL DEFAULT 1,
    updated_at       TEXT    NOT NULL,
    -- Name of the program that saved the queue.
    changed_by       TEXT,
    -- Milliseconds after the position in seconds, for programs with exact positions.
    millis           INTEGER NOT NULL DEFAULT 0 CHECK (millis BETWEEN 0 AND 999)
) STRICT;
CREATE INDEX play_queue_by_current ON play_queue (current_entry_id);

-- `list_id` is the id of the user.
CREATE TABLE play_queue_entry (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id    INTEGER NOT NULL REFERENCES play_queue (user_id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    added_at   TEXT    NOT NULL
) STRICT;
CREATE INDEX play_queue_entry_by_position
    ON play_queue_entry (list_id, position, id, library_id);
CREATE INDEX play_queue_entry_of_file ON play_queue_entry (file_id, list_id);

-- A purge changes the lists that contain the file. The entries are deleted before the file, because
-- the totals need its length.
CREATE TRIGGER playlist_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM playlist_entry WHERE file_id = old.id) BEGIN
    UPDATE playlist SET version = version + 1
     WHERE id IN (SELECT list_id FROM playlist_entry WHERE file_id = old.id);
    DELETE FROM playlist_entry WHERE file_id = old.id;
END;
CREATE TRIGGER play_queue_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM play_queue_entry WHERE file_id = old.id) BEGIN
    UPDATE play_queue
       SET version = version + 1,
           position = iif(current_entry_id IN (SELECT id FROM play_queue_entry
                                                WHERE file_id = old.id), 0, position),
           millis = iif(current_entry_id IN (SELECT id FROM play_queue_entry
                                              WHERE file_id = old.id), 0, millis)
     WHERE user_id IN (SELECT list_id FROM play_queue_entry WHERE file_id = old.id);
    DELETE FROM play_queue_entry WHERE file_id = old.id;
END;

-- Collections of a user: ordered items, or a rule that selects items. `version` increases with each
-- write that changes the list.
CREATE TABLE collection (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    -- Folded name for searches, and collation key for the order.
    name_key    TEXT    NOT NULL,
    sort_name   TEXT    NOT NULL,
    description TEXT,
    is_public   INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    -- Rule of a smart collection, as JSON. NULL for a manual collection.
    rule        TEXT,
    version     INTEGER NOT NULL DEFAULT 1,
    created_at  TEXT    NOT NULL,
    updated_at  TEXT    NOT NULL
) STRICT;
CREATE INDEX collection_by_user ON collection (user_id);
CREATE INDEX collection_public ON collection (user_id) WHERE is_public = 1;

CREATE TABLE collection_item (
    list_id    INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- Positions have gaps, so that an insertion changes no other row.
    position   INTEGER NOT NULL,
    -- Copy of the item's library, which never changes.
    library_id INTEGER NOT NULL,
    added_at   TEXT    NOT NULL,
    PRIMARY KEY (list_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_item_by_position
    ON collection_item (list_id, position, item_id, library_id);
CREATE INDEX collection_item_of_item ON collection_item (item_id, list_id);

-- Number of items per collection and library, so that a list of collections reads no items.
CREATE TABLE collection_total (
    list_id    INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (list_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER collection_total_insert AFTER INSERT ON collection_item BEGIN
    INSERT INTO collection_total (list_id, library_id, n) VALUES (new.list_id, new.library_id, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER collection_total_delete AFTER DELETE ON collection_item BEGIN
    UPDATE collection_total SET n = n - 1
     WHERE list_id = old.list_id AND library_id = old.library_id;
    DELETE FROM collection_total
     WHERE list_id = old.list_id AND library_id = old.library_id AND n = 0;
END;

-- A purge changes the collections that contain the item.
CREATE TRIGGER collection_item_purge BEFORE DELETE ON item
WHEN EXISTS (SELECT 1 FROM collection_item WHERE item_id = old.id) BEGIN
    UPDATE collection SET version = version + 1
     WHERE id IN (SELECT list_id FROM collection_item WHERE item_id = old.id);
    DELETE FROM collection_item WHERE item_id = old.id;
END;

-- Batches of changes by one request or one import, for `undo`. A batch stays when its user is
-- deleted.
CREATE TABLE edit_batch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER REFERENCES user (id) ON DELETE SET NULL,
    action     TEXT    NOT NULL CHECK (action IN ('edit', 'import')),
    -- Names of the fields, as a JSON array.
    fields     TEXT    NOT NULL,
    -- 1 if all administrators see the batch: an import, or a change of shared fields.
    is_shared  INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
    created_at TEXT    NOT NULL,
    undone_at  TEXT
) STRICT;
CREATE INDEX edit_batch_by_user ON edit_batch (user_id, id);
CREATE INDEX edit_batch_shared ON edit_batch (is_shared, id);
CREATE INDEX edit_batch_by_time ON edit_batch (created_at);

-- Number of changed items per batch and library: all, and those with changed shared fields.
CREATE TABLE edit_batch_total (
    batch_id   INTEGER NOT NULL REFERENCES edit_batch (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    n_shared   INTEGER NOT NULL,
    PRIMARY KEY (batch_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edit_batch_total_by_library ON edit_batch_total (library_id);

-- Values before and after a change, as JSON. An undo deletes the rows that it has processed.
CREATE TABLE edit_value (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id  INTEGER NOT NULL REFERENCES edit_batch (id) ON DELETE CASCADE,
    -- NULL for a value that belongs to no item, such as an imported list.
    item_id   INTEGER REFERENCES item (id) ON DELETE CASCADE,
    -- User whose own value changed. NULL for a shared field.
    user_id   INTEGER REFERENCES user (id) ON DELETE CASCADE,
    field     TEXT    NOT NULL,
    old_value TEXT    NOT NULL,
    new_value TEXT    NOT NULL
) STRICT;
CREATE INDEX edit_value_of_batch ON edit_value (batch_id, item_id);
CREATE INDEX edit_value_of_item ON edit_value (item_id);
CREATE INDEX edit_value_of_user ON edit_value (user_id);

-- The secret is not stored: `secret_hash` is its SHA-256, `md5_hash` the SHA-256 of its MD5 in
-- hexadecimal digits. `nonce` derives it again with the server's key.
CREATE TABLE app_password (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id          INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name             TEXT    NOT NULL,
    scopes           TEXT    NOT NULL,
    pages_move_place INTEGER NOT NULL CHECK (pages_move_place IN (0, 1)),
    nonce            BLOB    NOT NULL,
    secret_hash      BLOB    NOT NULL UNIQUE,
    md5_hash         BLOB    NOT NULL UNIQUE,
    created_at       TEXT    NOT NULL,
    last_used_at     TEXT,
    last_address     TEXT,
    last_client      TEXT,
    last_protocol    TEXT
) STRICT;
CREATE INDEX app_password_by_user ON app_password (user_id, id);

-- Random id of this library, for the ids of its items in other programs.
CREATE TABLE instance (
    id   INTEGER PRIMARY KEY CHECK (id = 1),
    uuid BLOB NOT NULL
) STRICT;
INSERT INTO instance (id, uuid) VALUES (1, randomblob(16));

-- Sessions: progress writes and views of a user in an item, each at most five minutes after the
-- previous one. A purge keeps the time and the kind.
CREATE TABLE usage_session (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id     INTEGER REFERENCES item (id) ON DELETE SET NULL,
    kind        TEXT    NOT NULL,
    started_at  TEXT    NOT NULL,
    last_at     TEXT    NOT NULL,
    pages       INTEGER NOT NULL DEFAULT 0 CHECK (pages >= 0),
    -- The pages by quarter of an hour since 1970, as JSON: [[quarter, pages]]. Every time zone has
    -- its midnight at the start of a quarter. NULL without pages.
    page_steps  TEXT,
    finished_at TEXT
) STRICT;
CREATE INDEX usage_session_by_time ON usage_session (user_id, started_at);
CREATE INDEX usage_session_of_item ON usage_session (item_id, user_id, started_at);

-- Settings that a user has changed.
CREATE TABLE user_setting (
    user_id    INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    -- 0 if no new sessions are stored.
    statistics INTEGER NOT NULL DEFAULT 1 CHECK (statistics IN (0, 1))
) STRICT;

-- Lists that an import created. The row of a deleted list stays, so that a repeated import does not
-- create the list again.
CREATE TABLE imported_list (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Id of the other program, and of the list in it.
    source        TEXT    NOT NULL,
    source_key    TEXT    NOT NULL,
    user_id       INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    kind          TEXT    NOT NULL CHECK (kind IN ('playlist', 'collection')),
    playlist_id   INTEGER REFERENCES playlist (id) ON DELETE SET NULL,
    collection_id INTEGER REFERENCES collection (id) ON DELETE SET NULL,
    -- Version of the list after the last import. Another version means a change in Ledge.
    version       INTEGER NOT NULL,
    UNIQUE (source, source_key, user_id, kind)
) STRICT;
CREATE INDEX imported_list_by_user ON imported_list (user_id);
CREATE INDEX imported_list_of_playlist ON imported_list (playlist_id)
 WHERE playlist_id IS NOT NULL;
CREATE INDEX imported_list_of_collection ON imported_list (collection_id)
 WHERE collection_id IS NOT NULL;

-- Number of present items per library, kind and author. Triggers maintain the numbers, so that the
-- list of authors needs no counting.
CREATE TABLE author_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX author_count_by_person ON author_count (person_id);
CREATE TRIGGER author_count_insert AFTER INSERT ON item_person
WHEN new.role = 'author'
 AND (SELECT count(*) FROM item_person
       WHERE person_id = new.person_id AND item_id = new.item_id AND role = 'author') = 1 BEGIN
    INSERT INTO author_count (library_id, kind, person_id, n)
    SELECT library_id, kind, new.person_id, 1 FROM item WHERE id = new.item_id AND missing = 0
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- SQLite deletes an item's row before its credits, so this trigger finds no library then.
-- `author_count_item` counts the deleted item.
CREATE TRIGGER author_count_delete AFTER DELETE ON item_person
WHEN old.role = 'author'
 AND NOT EXISTS (SELECT 1 FROM item_person
                  WHERE person_id = old.person_id AND item_id = old.item_id
                    AND role = 'author') BEGIN
    UPDATE author_count SET n = n - 1
     WHERE person_id = old.person_id
       AND (library_id, kind) = (SELECT library_id, kind FROM item
                                  WHERE id = old.item_id AND missing = 0);
    DELETE FROM author_count WHERE person_id = old.person_id AND n = 0;
END;
CREATE TRIGGER author_count_item BEFORE DELETE ON item WHEN old.missing = 0 BEGIN
    UPDATE author_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND person_id IN (SELECT person_id FROM item_person
                          WHERE item_id = old.id AND role = 'author');
    DELETE FROM author_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id) AND n = 0;
END;
CREATE TRIGGER author_count_lost AFTER UPDATE OF missing ON item
WHEN old.missing = 0 AND new.missing = 1 BEGIN
    UPDATE author_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND person_id IN (SELECT person_id FROM item_person
                          WHERE item_id = old.id AND role = 'author');
    DELETE FROM author_count
     WHERE person_id IN (SELECT person_id FROM item_person WHERE item_id = old.id) AND n = 0;
END;
CREATE TRIGGER author_count_found AFTER UPDATE OF missing ON item
WHEN old.missing = 1 AND new.missing = 0 BEGIN
    INSERT INTO author_count (library_id, kind, person_id, n)
    SELECT DISTINCT new.library_id, new.kind, person_id, 1
      FROM item_person
     WHERE item_id = new.id AND role = 'author'
        ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Titles and artists of files, for kinds whose files are parts with artists of their own. The index
-- `part_word` contains them folded, without storing them.
CREATE TABLE part (
    file_id    INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    -- Copy of the file's library, which never changes.
    library_id INTEGER NOT NULL,
    title      TEXT    NOT NULL,
    artists    TEXT    NOT NULL,
    -- Copy of the file's column, which a trigger maintains.
    missing    INTEGER NOT NULL CHECK (missing IN (0, 1))
) STRICT;
CREATE INDEX part_present ON part (library_id, file_id) WHERE missing = 0;
CREATE VIRTUAL TABLE part_word USING fts5 (
    title, artists,
    content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
CREATE TRIGGER part_missing AFTER UPDATE OF missing ON file WHEN old.missing <> new.missing BEGIN
    UPDATE part SET missing = new.missing WHERE file_id = new.id;
END;
CREATE TRIGGER part_delete AFTER DELETE ON part BEGIN
    DELETE FROM part_word WHERE rowid = old.file_id;
END;

-- MD5 of the file's name, and partial MD5 of its content as KOReader computes it.
CREATE TABLE file_digest (
    file_id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    name    BLOB NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX file_digest_by_name ON file_digest (name, file_id);
CREATE INDEX file_digest_by_content ON file_digest (content, file_id);

-- Files whose digests must be computed, the newest last. The job adds new files by their ids. A
-- failed file is tried again after the next scan.
CREATE TABLE digest_queue (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id   INTEGER NOT NULL UNIQUE REFERENCES file (id) ON DELETE CASCADE,
    is_failed INTEGER NOT NULL DEFAULT 0 CHECK (is_failed IN (0, 1))
) STRICT;
CREATE INDEX digest_queue_by_state ON digest_queue (is_failed, id);
CREATE TRIGGER digest_queue_update AFTER UPDATE OF name, size, mtime_ns, missing ON file
WHEN new.missing = 0
 AND (old.name, old.size, old.mtime_ns, old.missing)
  IS NOT (new.name, new.size, new.mtime_ns, new.missing) BEGIN
    INSERT OR REPLACE INTO digest_queue (file_id) VALUES (new.id);
END;

-- Positions as other programs sent them: of a file, or of a document that matches no file which
-- the user sees. `at` equals the time of the progress as long as the position is current.
CREATE TABLE foreign_progress (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER REFERENCES file (id) ON DELETE CASCADE,
    document  TEXT,
    -- Id of the protocol, and form of the value in it.
    protocol  TEXT    NOT NULL,
    scheme    TEXT    NOT NULL,
    value     TEXT    NOT NULL,
    fraction  REAL    NOT NULL CHECK (fraction BETWEEN 0 AND 1),
    device    TEXT    NOT NULL,
    device_id TEXT,
    at        TEXT    NOT NULL,
    CHECK ((file_id IS NULL) <> (document IS NULL))
) STRICT;
CREATE UNIQUE INDEX foreign_progress_of_file ON foreign_progress (file_id, user_id)
 WHERE file_id IS NOT NULL;
CREATE UNIQUE INDEX foreign_progress_of_document ON foreign_progress (document, user_id)
 WHERE document IS NOT NULL;
CREATE INDEX foreign_progress_by_user ON foreign_progress (user_id, at, id)
 WHERE document IS NOT NULL;
CREATE INDEX foreign_progress_of_user ON foreign_progress (user_id);

-- Documents that may match a file now: after its digests were stored, or after a grant.
CREATE TABLE adoption_queue (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    document TEXT    NOT NULL,
    PRIMARY KEY (user_id, document)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER adoption_queue_insert AFTER INSERT ON file_digest BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE document IN (lower(hex(new.name)), lower(hex(new.content)));
END;
CREATE TRIGGER adoption_queue_update AFTER UPDATE ON file_digest BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE document IN (lower(hex(new.name)), lower(hex(new.content)));
END;
CREATE TRIGGER adoption_queue_grant AFTER INSERT ON library_grant BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE user_id = new.user_id AND document IS NOT NULL;
END;

-- Ids of people in external databases. A person whose name equals that of another person, but whose
-- id differs, is a separate row of `person`.
CREATE TABLE person_identity (
    database    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
    person_id   INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    PRIMARY KEY (database, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_identity_of_person ON person_identity (person_id, database);

-- Details of a person as JSON; NULL if no provider has any. `providers` is a JSON list of the
-- providers that delivered them.
CREATE TABLE person_detail (
    person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    details   TEXT,
    providers TEXT    NOT NULL,
    -- Failed attempts since the last answer.
    failures  INTEGER NOT NULL DEFAULT 0,
    -- Time of the next request to the providers.
    due_at    TEXT    NOT NULL
) STRICT;

-- Details of an item from the provider of its match, and its ids in external databases, as JSON.
CREATE TABLE item_detail (
    item_id      INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    provider     TEXT    NOT NULL,
    details      TEXT    NOT NULL,
    external_ids TEXT    NOT NULL
) STRICT;

-- Episodes of an item from the provider of its match, including those without a file.
CREATE TABLE episode_detail (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    season      INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    -- Number in the whole series, if episodes are counted without seasons.
    absolute    INTEGER,
    title       TEXT,
    description TEXT,
    aired       TEXT,
    PRIMARY KEY (item_id, season, number)
) STRICT, WITHOUT ROWID;

-- Pictures other than covers: `backdrop` and `logo` of an item, poster of a `season`, `still` of an
-- episode, `portrait` of a person. `season` is 0 unless the picture belongs to a season or an
-- episode, and `number` is 0 unless it belongs to an episode. A picture without `cover_id` is not
-- fetched yet.
CREATE TABLE picture (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id   INTEGER REFERENCES item (id) ON DELETE CASCADE,
    person_id INTEGER REFERENCES person (id) ON DELETE CASCADE,
    role      TEXT    NOT NULL
              CHECK (role IN ('backdrop', 'logo', 'season', 'still', 'portrait')),
    season    INTEGER NOT NULL DEFAULT 0,
    number    INTEGER NOT NULL DEFAULT 0,
    provider  TEXT    NOT NULL,
    url       TEXT,
    -- Failed attempts to fetch the picture.
    failures  INTEGER NOT NULL DEFAULT 0,
    cover_id  INTEGER REFERENCES cover (id) ON DELETE SET NULL,
    CHECK ((item_id IS NULL) <> (person_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX picture_of_item ON picture (item_id, role, season, number)
 WHERE item_id IS NOT NULL;
CREATE UNIQUE INDEX picture_of_person ON picture (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX picture_of_cover ON picture (cover_id) WHERE cover_id IS NOT NULL;
CREATE INDEX picture_to_fetch ON picture (item_id, id)
 WHERE cover_id IS NULL AND item_id IS NOT NULL;

-- Uses of covers. A cover is deleted with its last use.
CREATE VIEW cover_use AS
SELECT cover_id FROM item WHERE cover_id IS NOT NULL
 UNION ALL
SELECT cover_id FROM item_cover
 UNION ALL
SELECT cover_id FROM picture WHERE cover_id IS NOT NULL;
CREATE TRIGGER cover_unshown_update AFTER UPDATE OF cover_id ON picture
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unshown_delete AFTER DELETE ON picture WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM cover_use WHERE cover_id = old.cover_id);
END;
