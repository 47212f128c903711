-- Makes a database of version 30 from `version_32.sql`: what the upgrades 31 and 32 removed.

DROP INDEX item_of_profile;
CREATE TABLE item_profile_count (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    initial    TEXT    NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id, initial)
) STRICT, WITHOUT ROWID;
CREATE TABLE item_profile_total (
    library_id INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    subkind    TEXT    NOT NULL,
    profile_id INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    PRIMARY KEY (library_id, kind, subkind, profile_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_epoch (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
) STRICT;
CREATE TRIGGER item_profile_total_insert AFTER INSERT ON item_profile_count BEGIN
    INSERT INTO item_profile_total (library_id, kind, subkind, profile_id, n)
    VALUES (new.library_id, new.kind, new.subkind, new.profile_id, new.n)
        ON CONFLICT DO UPDATE SET n = n + new.n;
END;
CREATE TRIGGER item_profile_total_update AFTER UPDATE OF n ON item_profile_count BEGIN
    UPDATE item_profile_total SET n = n + new.n - old.n
     WHERE library_id = new.library_id AND kind = new.kind AND subkind = new.subkind
       AND profile_id = new.profile_id;
END;
CREATE TRIGGER item_profile_count_insert AFTER INSERT ON item
WHEN new.profile_id IS NOT NULL BEGIN
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    VALUES (new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1)
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER item_profile_count_delete AFTER DELETE ON item
WHEN old.profile_id IS NOT NULL BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
END;
CREATE TRIGGER item_profile_count_update
AFTER UPDATE OF library_id, kind, subkind, initial, profile_id ON item
WHEN (old.library_id, old.kind, old.subkind, old.initial, old.profile_id)
  IS NOT (new.library_id, new.kind, new.subkind, new.initial, new.profile_id) BEGIN
    UPDATE item_profile_count SET n = n - 1
     WHERE library_id = old.library_id AND kind = old.kind
       AND subkind = ifnull(old.subkind, '')
       AND profile_id = old.profile_id AND initial = old.initial;
    INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
    SELECT new.library_id, new.kind, ifnull(new.subkind, ''), new.profile_id, new.initial, 1
     WHERE new.profile_id IS NOT NULL
        ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE INDEX item_of_profile ON item (profile_id, library_id) WHERE profile_id IS NOT NULL;

INSERT INTO item_profile_count (library_id, kind, subkind, profile_id, initial, n)
SELECT library_id, kind, ifnull(subkind, ''), profile_id, initial, count(*)
  FROM item
 WHERE profile_id IS NOT NULL
 GROUP BY 1, 2, 3, 4, 5;
INSERT INTO search_epoch VALUES (1, 7);
PRAGMA user_version = 30;
