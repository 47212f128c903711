-- Adds the batches of edits and imports.

-- Batches of changes by one request or one import, for `undo`. A batch stays when its user is
-- deleted.
CREATE TABLE edit_batch (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER REFERENCES user (id) ON DELETE SET NULL,
    action     TEXT    NOT NULL CHECK (action IN ('edit', 'import')),
    -- Names of the fields, as a JSON array.
    fields     TEXT    NOT NULL,
    -- 1 if all administrators see the batch: an import, or a change of shared fields.
    is_shared  INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
    created_at TEXT    NOT NULL,
    undone_at  TEXT
) STRICT;
CREATE INDEX edit_batch_by_user ON edit_batch (user_id, id);
CREATE INDEX edit_batch_shared ON edit_batch (is_shared, id);
CREATE INDEX edit_batch_by_time ON edit_batch (created_at);

-- Number of changed items per batch and library: all, and those with changed shared fields.
CREATE TABLE edit_batch_total (
    batch_id   INTEGER NOT NULL REFERENCES edit_batch (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    n          INTEGER NOT NULL,
    n_shared   INTEGER NOT NULL,
    PRIMARY KEY (batch_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edit_batch_total_by_library ON edit_batch_total (library_id);

-- Values before and after a change, as JSON. An undo deletes the rows that it has processed.
CREATE TABLE edit_value (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id  INTEGER NOT NULL REFERENCES edit_batch (id) ON DELETE CASCADE,
    -- NULL for a value that belongs to no item, such as an imported list.
    item_id   INTEGER REFERENCES item (id) ON DELETE CASCADE,
    -- User whose own value changed. NULL for a shared field.
    user_id   INTEGER REFERENCES user (id) ON DELETE CASCADE,
    field     TEXT    NOT NULL,
    old_value TEXT    NOT NULL,
    new_value TEXT    NOT NULL
) STRICT;
CREATE INDEX edit_value_of_batch ON edit_value (batch_id, item_id);
CREATE INDEX edit_value_of_item ON edit_value (item_id);
CREATE INDEX edit_value_of_user ON edit_value (user_id);
