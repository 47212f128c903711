-- Adds digests by which other programs name files, and positions of other programs. The server
-- computes the digests of existing files in the background.

-- MD5 of the file's name, and partial MD5 of its content as KOReader computes it.
CREATE TABLE file_digest (
    file_id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
    name    BLOB NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE INDEX file_digest_by_name ON file_digest (name, file_id);
CREATE INDEX file_digest_by_content ON file_digest (content, file_id);

-- Files whose digests must be computed, the newest last. A failed file is tried again after the
-- next scan.
CREATE TABLE digest_queue (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id   INTEGER NOT NULL UNIQUE REFERENCES file (id) ON DELETE CASCADE,
    is_failed INTEGER NOT NULL DEFAULT 0 CHECK (is_failed IN (0, 1))
) STRICT;
CREATE INDEX digest_queue_by_state ON digest_queue (is_failed, id);
CREATE TRIGGER digest_queue_insert AFTER INSERT ON file BEGIN
    INSERT INTO digest_queue (file_id) VALUES (new.id);
END;
CREATE TRIGGER digest_queue_update AFTER UPDATE OF name, size, mtime_ns, missing ON file
WHEN new.missing = 0
 AND (old.name, old.size, old.mtime_ns, old.missing)
  IS NOT (new.name, new.size, new.mtime_ns, new.missing) BEGIN
    INSERT OR REPLACE INTO digest_queue (file_id) VALUES (new.id);
END;
INSERT INTO digest_queue (file_id) SELECT id FROM file WHERE missing = 0;

-- Positions as other programs sent them: of a file, or of a document that matches no file which
-- the user sees. `at` equals the time of the progress as long as the position is current.
CREATE TABLE foreign_progress (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER REFERENCES file (id) ON DELETE CASCADE,
    document  TEXT,
    -- Id of the protocol, and form of the value in it.
    protocol  TEXT    NOT NULL,
    scheme    TEXT    NOT NULL,
    value     TEXT    NOT NULL,
    fraction  REAL    NOT NULL CHECK (fraction BETWEEN 0 AND 1),
    device    TEXT    NOT NULL,
    device_id TEXT,
    at        TEXT    NOT NULL,
    CHECK ((file_id IS NULL) <> (document IS NULL))
) STRICT;
CREATE UNIQUE INDEX foreign_progress_of_file ON foreign_progress (file_id, user_id)
 WHERE file_id IS NOT NULL;
CREATE UNIQUE INDEX foreign_progress_of_document ON foreign_progress (document, user_id)
 WHERE document IS NOT NULL;
CREATE INDEX foreign_progress_by_user ON foreign_progress (user_id, at, id)
 WHERE document IS NOT NULL;
CREATE INDEX foreign_progress_of_user ON foreign_progress (user_id);

-- Documents that may match a file now: after its digests were stored, or after a grant.
CREATE TABLE adoption_queue (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    document TEXT    NOT NULL,
    PRIMARY KEY (user_id, document)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER adoption_queue_insert AFTER INSERT ON file_digest BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE document IN (lower(hex(new.name)), lower(hex(new.content)));
END;
CREATE TRIGGER adoption_queue_update AFTER UPDATE ON file_digest BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE document IN (lower(hex(new.name)), lower(hex(new.content)));
END;
CREATE TRIGGER adoption_queue_grant AFTER INSERT ON library_grant BEGIN
    INSERT OR IGNORE INTO adoption_queue (user_id, document)
    SELECT user_id, document
      FROM foreign_progress
     WHERE user_id = new.user_id AND document IS NOT NULL;
END;
