-- Databases of two builds differ in a trigger and an index of version 35. This step creates both again.

-- A purge of the current file also resets the position of the queue.
DROP TRIGGER play_queue_file_delete;
CREATE TRIGGER play_queue_file_delete BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM play_queue_entry WHERE file_id = old.id) BEGIN
    UPDATE play_queue
       SET version = version + 1,
           position = iif(current_entry_id IN (SELECT id FROM play_queue_entry
                                                WHERE file_id = old.id), 0, position)
     WHERE user_id IN (SELECT list_id FROM play_queue_entry WHERE file_id = old.id);
    DELETE FROM play_queue_entry WHERE file_id = old.id;
END;

-- A playlist for other players has a ticket for each file. The oldest ones are deleted in order.
DROP INDEX file_ticket_by_session;
CREATE INDEX file_ticket_by_session ON file_ticket (session_hash, expires_at);
