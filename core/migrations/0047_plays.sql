-- Adds plays of files, and favourites and ratings of files and people.
CREATE TABLE file_play (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    -- Start of the second of the play.
    played_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id, played_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_play_of_file ON file_play (file_id);

-- Number of plays and the time of the last one. A trigger maintains them, so that a list of files
-- reads no plays.
CREATE TABLE file_play_total (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id   INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    n         INTEGER NOT NULL,
    played_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_play_total_of_file ON file_play_total (file_id);
CREATE TRIGGER file_play_insert AFTER INSERT ON file_play BEGIN
    INSERT INTO file_play_total (user_id, file_id, n, played_at)
    VALUES (new.user_id, new.file_id, 1, new.played_at)
        ON CONFLICT (user_id, file_id) DO UPDATE
       SET n = n + 1, played_at = max(played_at, excluded.played_at);
END;

CREATE TABLE file_favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id    INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_favourite_of_file ON file_favourite (file_id);
CREATE INDEX file_favourite_by_time ON file_favourite (user_id, created_at, file_id);

CREATE TABLE person_favourite (
    user_id    INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    person_id  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    created_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_favourite_of_person ON person_favourite (person_id);
CREATE INDEX person_favourite_by_time ON person_favourite (user_id, created_at, person_id);

CREATE TABLE file_rating (
    user_id  INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    file_id  INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
    rating   INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at TEXT    NOT NULL,
    PRIMARY KEY (user_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_rating_of_file ON file_rating (file_id);

CREATE TABLE person_rating (
    user_id   INTEGER NOT NULL REFERENCES user (id) ON DELETE CASCADE,
    person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    rating    INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 10),
    rated_at  TEXT    NOT NULL,
    PRIMARY KEY (user_id, person_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_rating_of_person ON person_rating (person_id);

-- Name of the program that saved the queue.
ALTER TABLE play_queue ADD COLUMN changed_by TEXT;

-- Bookmarks of programs that have one bookmark per file.
CREATE INDEX annotation_of_app ON annotation (user_id, file_id)
 WHERE type = 'bookmark' AND locator = 'app';
