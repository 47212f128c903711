-- Adds the details of people: biography, dates, place and links from providers.

-- Details of a person as JSON; NULL if no provider has any. `providers` is a JSON list of the
-- providers that delivered them.
CREATE TABLE person_detail (
    person_id INTEGER PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
    details   TEXT,
    providers TEXT    NOT NULL,
    -- Failed attempts since the last answer.
    failures  INTEGER NOT NULL DEFAULT 0,
    -- Time of the next request to the providers.
    due_at    TEXT    NOT NULL
) STRICT;
