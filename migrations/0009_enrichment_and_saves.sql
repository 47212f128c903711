-- What providers were asked and answered, and the saves of games.
CREATE TABLE item_provider (
    item_id     INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    provider    TEXT    NOT NULL,
    external_id TEXT    NOT NULL,
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
    -- NULL for failures: they are always tried again.
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
