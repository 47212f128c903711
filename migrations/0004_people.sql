-- People and what they did for an item.
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
