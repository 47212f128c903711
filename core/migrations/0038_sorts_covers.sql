-- Adds the sort columns of duration, pages, size and release, and the pictures that can be covers. Numbers of pages depend on the formats of
-- the kinds: the next scan writes them, because the version of the grouping rules changed.
ALTER TABLE item ADD COLUMN sort_duration INTEGER NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE item ADD COLUMN sort_pages INTEGER NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE item ADD COLUMN sort_size INTEGER NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE item ADD COLUMN sort_released INTEGER NOT NULL DEFAULT 9223372036854775807;

-- Present files count, or all files of a missing item. Versions of a part count once; without parts,
-- the longest alternative counts. Only probed files have a duration.
UPDATE item
   SET sort_size = coalesce(
           (SELECT sum(size) FROM file WHERE item_id = item.id AND missing = item.missing),
           sort_size),
       sort_duration = coalesce(
           (SELECT sum(part.extent)
              FROM (SELECT max(file.extent) AS extent
                      FROM file
                     WHERE file.item_id = item.id AND file.missing = item.missing
                       AND file.sequence IS NOT NULL AND file.duration IS NOT NULL
                     GROUP BY file.sequence, file.season, ifnull(file.episode, -file.id)) AS part),
           (SELECT max(file.extent)
              FROM file
             WHERE file.item_id = item.id AND file.missing = item.missing
               AND file.duration IS NOT NULL),
           sort_duration),
       sort_released = (
           SELECT CASE
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', item.year)
                  THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', item.year)
                  THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                  ELSE ifnull(item.year * 10000, 9223372036854775807)
                  END
             FROM (SELECT item.facts ->> '$.date' AS date));

CREATE INDEX item_by_duration
    ON item (library_id, kind, sort_duration, sort_title, id, missing, profile_id);
CREATE INDEX item_by_pages
    ON item (library_id, kind, sort_pages, sort_title, id, missing, profile_id);
CREATE INDEX item_by_size
    ON item (library_id, kind, sort_size, sort_title, id, missing, profile_id);
CREATE INDEX item_by_released
    ON item (library_id, kind, sort_released, sort_title, id, missing, profile_id);

-- The date of the facts is more exact than the year, unless another year was entered.
CREATE TRIGGER item_released_insert AFTER INSERT ON item
WHEN new.year IS NOT NULL AND new.sort_released = 9223372036854775807 BEGIN
    UPDATE item
       SET sort_released = (
           SELECT CASE
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', new.year)
                  THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                  WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                   AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', new.year)
                  THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                  ELSE new.year * 10000
                  END
             FROM (SELECT new.facts ->> '$.date' AS date))
     WHERE id = new.id;
END;
CREATE TRIGGER item_released_update AFTER UPDATE OF year, facts ON item
WHEN old.year IS NOT new.year OR old.facts <> new.facts BEGIN
    UPDATE item
       SET sort_released = fresh.value
      FROM (SELECT CASE
                   WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
                    AND strftime('%Y', substr(date, 1, 10)) = printf('%04d', new.year)
                   THEN 0 + strftime('%Y%m%d', substr(date, 1, 10))
                   WHEN date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'
                    AND strftime('%Y', substr(date, 1, 7) || '-01') = printf('%04d', new.year)
                   THEN 0 + strftime('%Y%m00', substr(date, 1, 7) || '-01')
                   ELSE ifnull(new.year * 10000, 9223372036854775807)
                   END AS value
              FROM (SELECT new.facts ->> '$.date' AS date)) AS fresh
     WHERE id = new.id AND sort_released <> fresh.value;
END;

-- Pictures that an administrator can select as the cover of an item.
CREATE TABLE item_cover (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    item_id  INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    -- `embedded`, `folder`, `upload`, or the id of a provider.
    source   TEXT    NOT NULL,
    cover_id INTEGER NOT NULL REFERENCES cover (id) ON DELETE CASCADE,
    UNIQUE (item_id, cover_id)
) STRICT;
CREATE INDEX item_cover_of_cover ON item_cover (cover_id);

INSERT INTO item_cover (item_id, source, cover_id)
SELECT item.id, link.provider, item.cover_id
  FROM item
  JOIN item_provider AS link ON link.item_id = item.id AND link.is_source = 1
 WHERE item.cover_source = 2 AND item.cover_id IS NOT NULL
    ON CONFLICT DO NOTHING;

DROP TRIGGER cover_unused_update;
DROP TRIGGER cover_unused_delete;
-- A cover is deleted with the last item that uses or offers it.
CREATE TRIGGER cover_unused_update AFTER UPDATE OF cover_id ON item
WHEN old.cover_id IS NOT NULL AND old.cover_id IS NOT new.cover_id BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id)
       AND NOT EXISTS (SELECT 1 FROM item_cover WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unused_delete AFTER DELETE ON item WHEN old.cover_id IS NOT NULL BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id)
       AND NOT EXISTS (SELECT 1 FROM item_cover WHERE cover_id = old.cover_id);
END;
CREATE TRIGGER cover_unoffered AFTER DELETE ON item_cover BEGIN
    DELETE FROM cover
     WHERE id = old.cover_id
       AND NOT EXISTS (SELECT 1 FROM item WHERE cover_id = old.cover_id)
       AND NOT EXISTS (SELECT 1 FROM item_cover WHERE cover_id = old.cover_id);
END;
