-- Places that came too late to count are kept beside those that were overwritten.

ALTER TABLE progress_history
    ADD COLUMN late INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1));
DROP INDEX progress_history_by_item;
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, late, id);
-- Also tells whether a place that is sent again is there already.
DROP INDEX progress_history_of_file;
CREATE INDEX progress_history_of_file ON progress_history (file_id, user_id, updated_at);
-- Lists by time read `item_progress`.
DROP INDEX progress_by_time;
