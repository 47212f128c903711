-- Covers from files: which items are to be looked at, and what becomes of a cover that no item
-- has any more.

CREATE TABLE cover_due (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id) ON DELETE CASCADE
) STRICT;
INSERT INTO cover_due (item_id) SELECT id FROM item ORDER BY id;

ALTER TABLE folder ADD COLUMN pictures BLOB;

CREATE TRIGGER cover_unused_update AFTER UPDATE OF cover_id ON item
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unused_delete AFTER DELETE ON item WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id);
END;
