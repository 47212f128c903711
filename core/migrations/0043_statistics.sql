-- Sessions of use for the statistics, and settings of users.
CREATE TABLE usage_session (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id     INTEGER REFERENCES item (id) ON DELETE SET NULL,
    kind        TEXT    NOT NULL,
    started_at  TEXT    NOT NULL,
    last_at     TEXT    NOT NULL,
    pages       INTEGER NOT NULL DEFAULT 0 CHECK (pages >= 0),
    page_steps  TEXT,
    finished_at TEXT
) STRICT;
CREATE INDEX usage_session_by_time ON usage_session (user_id, started_at);
CREATE INDEX usage_session_of_item ON usage_session (item_id, user_id, started_at);

CREATE TABLE user_setting (
    user_id    INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    statistics INTEGER NOT NULL DEFAULT 1 CHECK (statistics IN (0, 1))
) STRICT;
