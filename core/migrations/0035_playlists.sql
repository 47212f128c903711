-- Adds playlists and the saved queue.

-- Playlists: ordered files of a user. `version` increases with each write that changes the list.
CREATE TABLE playlist (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id     INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    name        TEXT    NOT NULL,
    -- Folded name for searches, and collation key for the order.
    name_key    TEXT    NOT NULL,
    sort_name   TEXT    NOT NULL,
    description TEXT,
    is_public   INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
    version     INTEGER NOT NULL DEFAULT 1,
    created_at  TEXT    NOT NULL,
    updated_at  TEXT    NOT NULL
) STRICT;
CREATE INDEX playlist_by_user ON playlist (user_id);
CREATE INDEX playlist_public ON playlist (user_id) WHERE is_public = 1;

CREATE TABLE playlist_entry (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id     INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
    -- Positions have gaps, so that an insertion changes no other row.
    position    INTEGER NOT NULL,
    file_id     INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    -- Copy of the file's library, which never changes.
    library_id  INTEGER NOT NULL,
    added_at    TEXT    NOT NULL
) STRICT;
CREATE INDEX playlist_entry_by_position ON playlist_entry (list_id, position, id, library_id);
CREATE INDEX playlist_entry_of_file ON playlist_entry (file_id, list_id);

-- Number of entries and their length in seconds, per playlist and library. Triggers maintain the
-- numbers, so that a list of playlists reads no entries. Unknown lengths count as 0.
CREATE TABLE playlist_total (
    list_id    INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    duration   INTEGER NOT NULL,
    PRIMARY KEY (list_id, library_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER playlist_total_insert AFTER INSERT ON playlist_entry BEGIN
    INSERT INTO playlist_total (list_id, library_id, n, duration)
    SELECT new.list_id, new.library_id, 1, ifnull(extent, 0) FROM file WHERE id = new.file_id
        ON CONFLICT DO UPDATE SET n = n + 1, duration = duration + excluded.duration;
END;
CREATE TRIGGER playlist_total_delete AFTER DELETE ON playlist_entry BEGIN
    UPDATE playlist_total
       SET n = n - 1,
           duration = duration - ifnull((SELECT extent FROM file WHERE id = old.file_id), 0)
     WHERE list_id = old.list_id AND library_id = old.library_id;
    DELETE FROM playlist_total
     WHERE list_id = old.list_id AND library_id = old.library_id AND n = 0;
END;
CREATE TRIGGER playlist_total_extent AFTER UPDATE OF extent ON file
WHEN old.extent IS NOT new.extent
 AND EXISTS (SELECT 1 FROM playlist_entry WHERE file_id = new.id) BEGIN
    UPDATE playlist_total
       SET duration = duration + entry.n * (ifnull(new.extent, 0) - ifnull(old.extent, 0))
      FROM (SELECT list_id, library_id, count(*) AS n
              FROM playlist_entry
             WHERE file_id = new.id
             GROUP BY list_id, library_id) AS entry
     WHERE playlist_total.list_id = entry.list_id
       AND playlist_total.library_id = entry.library_id;
END;

-- Saved queue of a user. The row stays when the queue is emptied, so that no version is reused.
CREATE TABLE play_queue (
    user_id          INTEGER PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
    current_entry_id INTEGER REFERENCES play_queue_entry (id) ON DELETE SET NULL,
    -- Position in seconds within the current entry.
    position         INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0),
    version          INTEGER NOT NULL DEFAULT 1,
    updated_at       TEXT    NOT NULL
) STRICT;
CREATE INDEX play_queue_by_current ON play_queue (current_entry_id);

-- `list_id` is the id of the user.
CREATE TABLE play_queue_entry (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    list_id    INTEGER NOT NULL REFERENCES play_queue (user_id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    library_id INTEGER NOT NULL,
    added_at   TEXT    NOT NULL
) STRICT;
CREATE INDEX play_queue_entry_by_position
    ON play_queue_entry (list_id, position, id, library_id);
CREATE INDEX play_queue_entry_of_file ON play_queue_entry (file_id, list_id);

-- A purge changes the lists that contain the file. The entries are deleted before the file, because
-- the totals need its length.
CREATE TRIGGER playlist_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM playlist_entry WHERE file_id = old.id) BEGIN
    UPDATE playlist SET version = version + 1
     WHERE id IN (SELECT list_id FROM playlist_entry WHERE file_id = old.id);
    DELETE FROM playlist_entry WHERE file_id = old.id;
END;
CREATE TRIGGER play_queue_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM play_queue_entry WHERE file_id = old.id) BEGIN
    UPDATE play_queue SET version = version + 1
     WHERE user_id IN (SELECT list_id FROM play_queue_entry WHERE file_id = old.id);
    DELETE FROM play_queue_entry WHERE file_id = old.id;
END;
