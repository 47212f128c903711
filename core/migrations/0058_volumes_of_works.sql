-- A corrected series or number can make two items forms of one title.

DROP TRIGGER work_queue_update;
CREATE TRIGGER work_queue_update
AFTER UPDATE OF title, authors, facts, subkind, series_id, series_index ON item
WHEN (old.title, old.authors, old.facts, old.subkind, old.series_id, old.series_index)
  IS NOT (new.title, new.authors, new.facts, new.subkind, new.series_id, new.series_index) BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;
