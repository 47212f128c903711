-- Adds the milliseconds of positions that music apps save in the queue and in bookmarks.

ALTER TABLE play_queue ADD COLUMN millis INTEGER NOT NULL DEFAULT 0 CHECK (millis BETWEEN 0 AND 999);
ALTER TABLE annotation ADD COLUMN millis INTEGER NOT NULL DEFAULT 0 CHECK (millis BETWEEN 0 AND 999);

DROP TRIGGER play_queue_file_delete;
CREATE TRIGGER play_queue_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM play_queue_entry WHERE file_id = old.id) BEGIN
    UPDATE play_queue
       SET version = version + 1,
           position = iif(current_entry_id IN (SELECT id FROM play_queue_entry
                                                WHERE file_id = old.id), 0, position),
           millis = iif(current_entry_id IN (SELECT id FROM play_queue_entry
                                              WHERE file_id = old.id), 0, millis)
     WHERE user_id IN (SELECT list_id FROM play_queue_entry WHERE file_id = old.id);
    DELETE FROM play_queue_entry WHERE file_id = old.id;
END;
