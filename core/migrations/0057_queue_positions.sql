-- New files and items are found by their ids. With a row in a queue for each of them, each of the two
-- queues took 4 % of the CPU time of a first scan of 290,243 items.

CREATE TABLE queue_position (
    queue   TEXT    NOT NULL PRIMARY KEY CHECK (queue IN ('digest', 'work')),
    last_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO queue_position (queue, last_id)
VALUES ('digest', (SELECT ifnull(max(id), 0) FROM file)),
       ('work', (SELECT ifnull(max(id), 0) FROM item));
DROP TRIGGER digest_queue_insert;
DROP TRIGGER work_queue_insert;
