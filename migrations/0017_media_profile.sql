-- What items have in their files, for lists of what a client's engines play.

-- Every combination of container and codecs that was ever found; a few dozen in a large library.
CREATE TABLE media_profile (
    id        INTEGER PRIMARY KEY,
    container TEXT NOT NULL,
    vcodec    TEXT,
    acodec    TEXT
) STRICT;
CREATE UNIQUE INDEX media_profile_by_codecs
    ON media_profile (container, ifnull(vcodec, ''), ifnull(acodec, ''));
INSERT INTO media_profile (container, vcodec, acodec)
SELECT DISTINCT container, vcodec, acodec FROM file WHERE container IS NOT NULL;

-- Of the first present file; NULL where there is none, or it was not probed.
ALTER TABLE item ADD COLUMN profile_id INTEGER;
UPDATE item
   SET profile_id = (SELECT profile.id
                       FROM media_profile AS profile
                      WHERE (profile.container, profile.vcodec, profile.acodec)
                         IS (SELECT file.container, file.vcodec, file.acodec
                               FROM file
                               JOIN folder ON folder.id = file.folder_id
                              WHERE file.item_id = item.id AND file.missing = 0
                              ORDER BY file.sequence IS NULL, file.sequence, folder.path,
                                       file.name
                              LIMIT 1))
 WHERE EXISTS (SELECT 1 FROM file WHERE file.item_id = item.id AND file.container IS NOT NULL);

-- The profile stands at the end of every browse index, so that a list of what plays is walked
-- without a look at the items.
DROP INDEX item_by_title;
DROP INDEX item_by_added;
DROP INDEX item_by_year;
DROP INDEX item_by_author;
DROP INDEX item_by_series;
CREATE INDEX item_by_title ON item (library_id, kind, sort_title, id, missing, profile_id);
CREATE INDEX item_by_added ON item (library_id, kind, added_at, id, missing, profile_id);
CREATE INDEX item_by_year
    ON item (library_id, kind, sort_year, sort_title, id, missing, profile_id);
CREATE INDEX item_by_author
    ON item (library_id, kind, sort_authors, sort_title, id, missing, profile_id);
CREATE INDEX item_by_series
    ON item (library_id, kind, sort_series, sort_series_index, sort_title, id, missing, profile_id);
-- For profiles that few items have.
CREATE INDEX item_of_profile ON item (profile_id, library_id) WHERE profile_id IS NOT NULL;

-- How many items have a profile, by initial; kept by the triggers below.
CREATE TABLE item_profile_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, profile_id, initial)
) STRICT, WITHOUT ROWID;
INSERT INTO item_profile_count (library_id, kind, profile_id, initial, n)
SELECT library_id, kind, profile_id, initial, count(*)
  FROM item
 WHERE profile_id IS NOT NULL
 GROUP BY library_id, kind, profile_id, initial;
CREATE TRIGGER item_profile_count_insert AFTER INSERT ON item
WHEN new.profile_id IS NOT NULL BEGIN
    INSERT INTO item_profile_count (library_id, kind, profile_id, initial, n)
    VALUES (new.library_id, new.kind, new.profile_id, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_profile_count_delete AFTER DELETE ON item
WHEN old.profile_id IS NOT NULL BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND profile_id = old.profile_id AND initial = old.initial;
END;
CREATE TRIGGER item_profile_count_update AFTER UPDATE OF library_id, kind, initial, profile_id ON item
WHEN (old.library_id, old.kind, old.initial, old.profile_id)
  IS NOT (new.library_id, new.kind, new.initial, new.profile_id) BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND profile_id = old.profile_id AND initial = old.initial;
    INSERT INTO item_profile_count (library_id, kind, profile_id, initial, n)
    SELECT new.library_id, new.kind, new.profile_id, new.initial, 1
     WHERE new.profile_id IS NOT NULL
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
