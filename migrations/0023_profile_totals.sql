-- How many items of a library and kind have a profile, whatever their initials: a list of what
-- plays adds up a few of these instead of one for each letter.
CREATE TABLE item_profile_total (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, profile_id)
) STRICT, WITHOUT ROWID;
INSERT INTO item_profile_total (library_id, kind, profile_id, n)
SELECT library_id, kind, profile_id, sum(n)
  FROM item_profile_count
 GROUP BY library_id, kind, profile_id;
CREATE TRIGGER item_profile_total_insert AFTER INSERT ON item_profile_count BEGIN
    INSERT INTO item_profile_total (library_id, kind, profile_id, n)
    VALUES (new.library_id, new.kind, new.profile_id, new.n)
        ON CONFLICT DO UPDATE SET n = n + new.n;
END;
CREATE TRIGGER item_profile_total_update AFTER UPDATE OF n ON item_profile_count BEGIN
    UPDATE item_profile_total SET n = n + new.n - old.n
     WHERE library_id = new.library_id AND kind = new.kind AND profile_id = new.profile_id;
END;
