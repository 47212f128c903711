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
