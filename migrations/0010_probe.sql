-- What a probe finds in a file. Codec names are ffprobe's.
ALTER TABLE file ADD COLUMN container TEXT;
ALTER TABLE file ADD COLUMN vcodec TEXT;
ALTER TABLE file ADD COLUMN acodec TEXT;
ALTER TABLE file ADD COLUMN width INTEGER;
ALTER TABLE file ADD COLUMN height INTEGER;
ALTER TABLE file ADD COLUMN duration REAL;
ALTER TABLE file ADD COLUMN probed_at TEXT;

CREATE TABLE file_stream (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    type     TEXT    NOT NULL CHECK (type IN ('video', 'audio', 'subtitle')),
    codec    TEXT,
    language TEXT,
    title    TEXT,
    forced   INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
    -- Named so because DEFAULT is a keyword.
    chosen   INTEGER NOT NULL DEFAULT 0 CHECK (chosen IN (0, 1)),
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_chapter (
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    title    TEXT    NOT NULL,
    -- Seconds from the beginning of the file.
    start    REAL    NOT NULL,
    PRIMARY KEY (file_id, position)
) STRICT, WITHOUT ROWID;
