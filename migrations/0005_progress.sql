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
CREATE INDEX progress_by_time ON progress (user_id, updated_at, item_id);

-- One row per user and item, kept with each write: Continue never groups.
CREATE TABLE item_progress (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    finished   INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
    updated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_progress_by_item ON item_progress (item_id);
CREATE INDEX item_progress_by_file ON item_progress (file_id);
CREATE INDEX item_progress_by_time ON item_progress (user_id, finished, updated_at, item_id);

-- Every overwritten place.
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
) STRICT;
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, id);
CREATE INDEX progress_history_of_item ON progress_history (item_id);
CREATE INDEX progress_history_of_file ON progress_history (file_id);

CREATE TABLE favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id    INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX favourite_by_item ON favourite (item_id);

CREATE TABLE item_view (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id   INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    viewed_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_view_by_item ON item_view (item_id);
CREATE INDEX item_view_by_count ON item_view (user_id, n DESC, item_id);

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
