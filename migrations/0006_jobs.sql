-- Background work, and the runs of scans.
CREATE TABLE job (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT    NOT NULL,
    ref_id      INTEGER,
    -- What the handler needs to know, as JSON.
    payload     TEXT    NOT NULL DEFAULT '{}',
    status      TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed')),
    attempts    INTEGER NOT NULL DEFAULT 0,
    -- What the handler reports, as JSON.
    result      TEXT,
    error       TEXT,
    run_at      TEXT    NOT NULL,
    created_at  TEXT    NOT NULL,
    started_at  TEXT,
    finished_at TEXT
) STRICT;
CREATE INDEX job_by_ref ON job (kind, ref_id, id);
CREATE INDEX job_queued ON job (run_at, id) WHERE status = 'queued';
CREATE INDEX job_by_status ON job (status, id);

CREATE TABLE scan_run (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    library_id      INTEGER NOT NULL REFERENCES library (id) ON DELETE CASCADE,
    job_id          INTEGER REFERENCES job (id) ON DELETE SET NULL,
    status          TEXT    NOT NULL CHECK (status IN ('running', 'done', 'failed', 'cancelled')),
    scanned         INTEGER NOT NULL DEFAULT 0,
    total           INTEGER,
    added           INTEGER NOT NULL DEFAULT 0,
    updated         INTEGER NOT NULL DEFAULT 0,
    moved           INTEGER NOT NULL DEFAULT 0,
    missing         INTEGER NOT NULL DEFAULT 0,
    restored        INTEGER NOT NULL DEFAULT 0,
    -- At most 100 texts, as a JSON array; the rest is counted.
    errors          TEXT    NOT NULL DEFAULT '[]',
    errors_overflow INTEGER NOT NULL DEFAULT 0,
    error           TEXT,
    started_at      TEXT    NOT NULL,
    finished_at     TEXT
) STRICT;
CREATE INDEX scan_run_by_library ON scan_run (library_id, id);
CREATE INDEX scan_run_by_job ON scan_run (job_id);
