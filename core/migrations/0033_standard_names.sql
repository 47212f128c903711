-- Gives tables, columns, indexes, triggers and a provider their present names. All rows stay.

-- Triggers that contain an old name, or that a change of a provider id would start.
DROP TRIGGER item_missing_tells_users;
DROP TRIGGER metadata_fetch_added;
DROP TRIGGER metadata_fetch_changed;
DROP TRIGGER item_provider_added;
DROP TRIGGER item_provider_changed;
DROP TRIGGER item_provider_removed;

DROP INDEX item_progress_by_next;
DROP INDEX item_progress_off_profile;
DROP INDEX progress_history_by_item;

ALTER TABLE item RENAME COLUMN beneath TO scanned_values;
ALTER TABLE file RENAME COLUMN said TO kind_data;
ALTER TABLE file RENAME COLUMN mark TO read_signature;
ALTER TABLE file_stream RENAME COLUMN chosen TO is_default;
ALTER TABLE item_progress RENAME COLUMN off_profile TO continue_profile_id;
ALTER TABLE progress_history RENAME COLUMN late TO is_stale;
ALTER TABLE job RENAME COLUMN set_at TO scheduled_at;
ALTER TABLE cover_due RENAME TO cover_queue;
ALTER TABLE match_refused RENAME TO match_rejected;
ALTER TABLE item_settled RENAME TO enrichment_checked;

UPDATE item_provider SET provider = 'local_files' WHERE provider = 'beside';
UPDATE match_rejected SET provider = 'local_files' WHERE provider = 'beside';
UPDATE metadata_fetch SET provider = 'local_files' WHERE provider = 'beside';
UPDATE provider_state SET provider = 'local_files' WHERE provider = 'beside';

CREATE INDEX item_progress_by_continue_file ON item_progress (continue_file_id);
CREATE INDEX item_progress_by_continue_profile
    ON item_progress (user_id, library_id, item_id, continue_profile_id)
 WHERE continue_profile_id IS NOT NULL;
CREATE INDEX progress_history_by_item ON progress_history (user_id, item_id, is_stale, id);

CREATE TRIGGER item_missing_update AFTER UPDATE OF missing ON item
WHEN old.missing <> new.missing BEGIN
    UPDATE item_progress SET missing = new.missing WHERE item_id = new.id;
    UPDATE item_view SET missing = new.missing WHERE item_id = new.id;
END;
CREATE TRIGGER metadata_fetch_added AFTER INSERT ON metadata_fetch
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = new.item_id;
END;
CREATE TRIGGER metadata_fetch_changed AFTER UPDATE ON metadata_fetch
BEGIN
    DELETE FROM enrichment_checked WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_added AFTER INSERT ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = new.item_id;
END;
CREATE TRIGGER item_provider_changed AFTER UPDATE ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_provider_removed AFTER DELETE ON item_provider
BEGIN
    DELETE FROM enrichment_checked WHERE item_id = old.item_id;
END;
