-- Adds app passwords, which open the protocols of other programs.

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
