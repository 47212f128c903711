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
