-- Adds works, and the relative position inside a section or page. The server links the existing items
-- in the background.
ALTER TABLE progress ADD COLUMN within REAL CHECK (within BETWEEN 0 AND 1);
ALTER TABLE progress_history ADD COLUMN within REAL;

-- Works: items that are forms of one title. A work with only one item is deleted.
CREATE TABLE work (
    id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;
CREATE TABLE work_item (
    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE,
    work_id INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX work_item_by_work ON work_item (work_id, item_id);
CREATE TRIGGER work_dissolved AFTER DELETE ON work_item
WHEN (SELECT count(*) FROM work_item WHERE work_id = old.work_id) < 2 BEGIN
    DELETE FROM work_item WHERE work_id = old.work_id;
    DELETE FROM work WHERE id = old.work_id;
END;

-- Forms that an administrator has separated, in both directions. They are never linked
-- automatically.
CREATE TABLE work_rejected (
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    other_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, other_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_rejected_by_other ON work_rejected (other_id);

-- Keys by which items are linked: a common key makes two items forms of one title.
CREATE TABLE work_key (
    item_id INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    key     TEXT    NOT NULL,
    PRIMARY KEY (item_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX work_key_by_key ON work_key (key, item_id);

-- Items whose keys may have changed.
CREATE TABLE work_queue (
    item_id INTEGER PRIMARY KEY REFERENCES item (id) ON DELETE CASCADE
) STRICT;
CREATE TRIGGER work_queue_insert AFTER INSERT ON item BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_update AFTER UPDATE OF title, authors, facts, subkind ON item
WHEN (old.title, old.authors, old.facts, old.subkind)
  IS NOT (new.title, new.authors, new.facts, new.subkind) BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_match_insert AFTER INSERT ON item_provider BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.item_id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER work_queue_match_update AFTER UPDATE ON item_provider BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.item_id) ON CONFLICT DO NOTHING;
END;
INSERT INTO work_queue (item_id) SELECT id FROM item;
