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
