-- Shelves without missing items: what a user has of an item tells whether the item is missing, so
-- that a shelf never steps over rows it does not show; and what is present, by kind, in the order
-- of ids.

CREATE INDEX item_present ON item (library_id, kind) WHERE missing = 0;

ALTER TABLE item_progress
  ADD COLUMN missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1));
ALTER TABLE item_view
  ADD COLUMN missing INTEGER NOT NULL DEFAULT 0 CHECK (missing IN (0, 1));
UPDATE item_progress SET missing = 1 WHERE item_id IN (SELECT id FROM item WHERE missing = 1);
UPDATE item_view SET missing = 1 WHERE item_id IN (SELECT id FROM item WHERE missing = 1);

CREATE TRIGGER item_missing_tells_users AFTER UPDATE OF missing ON item
WHEN old.missing <> new.missing BEGIN
    UPDATE item_progress SET missing = new.missing WHERE item_id = new.id;
    UPDATE item_view SET missing = new.missing WHERE item_id = new.id;
END;
CREATE TRIGGER item_progress_insert AFTER INSERT ON item_progress
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_progress
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;
CREATE TRIGGER item_view_insert AFTER INSERT ON item_view
WHEN new.missing <> (SELECT missing FROM item WHERE id = new.item_id) BEGIN
    UPDATE item_view
       SET missing = (SELECT missing FROM item WHERE id = new.item_id)
     WHERE user_id = new.user_id AND item_id = new.item_id;
END;

DROP INDEX item_progress_on_shelf;
CREATE INDEX item_progress_on_shelf
    ON item_progress (user_id, library_id, updated_at, item_id)
 WHERE continue_file_id IS NOT NULL AND missing = 0;
DROP INDEX item_view_by_count;
CREATE INDEX item_view_by_count
    ON item_view (user_id, library_id, n, viewed_at, item_id)
 WHERE missing = 0;
