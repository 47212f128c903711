-- A corrected number in a series can make two items forms of one title. A removed number, or another
-- series, cannot: it only takes away what keeps volumes separate.

CREATE TRIGGER work_queue_number AFTER UPDATE OF series_index ON item
WHEN new.series_index IS NOT NULL AND new.series_index IS NOT old.series_index BEGIN
    INSERT INTO work_queue (item_id) VALUES (new.id) ON CONFLICT DO NOTHING;
END;

-- Numbers that were corrected before.
INSERT INTO work_queue (item_id)
SELECT DISTINCT id
  FROM work_key
  JOIN item ON item.id = work_key.item_id
 WHERE series_index IS NOT NULL
    ON CONFLICT DO NOTHING;
