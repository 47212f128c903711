-- Adds collections.

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
