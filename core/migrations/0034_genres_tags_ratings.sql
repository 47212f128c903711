-- Adds genres, languages, tags and ratings. The next scan writes the genres and languages of existing
-- items, because the version of the grouping rules changed.
ALTER TABLE item ADD COLUMN language TEXT;
ALTER TABLE item ADD COLUMN
    language_source INTEGER NOT NULL DEFAULT 0 CHECK (language_source BETWEEN 0 AND 3);
ALTER TABLE item ADD COLUMN
    genres_source INTEGER NOT NULL DEFAULT 0 CHECK (genres_source BETWEEN 0 AND 3);
CREATE INDEX item_of_language ON item (language) WHERE language IS NOT NULL;

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

CREATE TABLE rating (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    rating   INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX rating_by_item ON rating (item_id);
CREATE INDEX rating_by_value ON rating (user_id, rating, item_id);
