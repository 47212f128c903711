//! What a database of each version is filled with.

use super::super::LATEST;

/// Rows in the order in which the schema came to hold them: the first version that takes them so,
/// the last one, and the statements. `n` is a table of the numbers from 1 to `ITEMS`.
pub(super) const ROWS: [(usize, usize, &str); 23] = [
    (
        1,
        LATEST,
        "INSERT INTO user (id, username, username_key, password_hash, role, disabled, created_at)
         SELECT i, 'User ' || i, 'user ' || i, 'hash', iif(i = 1, 'admin', 'user'), i = 3,
                '2026-01-01T00:00:00.000000Z'
           FROM n WHERE i <= 4;
         INSERT INTO session (token_hash, user_id, created_at, renewed_at, expires_at)
         SELECT CAST('token ' || i AS BLOB), i, 'c', 'r', 'e' FROM n WHERE i <= 4;",
    ),
    (
        2,
        LATEST,
        "INSERT INTO library (id, name, name_key, path, kinds, root_is_mount, created_at)
         SELECT i, 'Shelf ' || i, 'shelf ' || i, CAST('/media/' || i AS BLOB),
                iif(i = 1, NULL, '[\"reel\"]'), nullif(i % 3, 2), 'c'
           FROM n WHERE i <= 3;
         INSERT INTO library_grant (user_id, library_id)
         SELECT u.i, l.i FROM n AS u, n AS l WHERE u.i <= 3 AND l.i <= u.i;",
    ),
    (
        3,
        LATEST,
        "INSERT INTO series (id, kind, name, name_key)
         SELECT i, iif(i % 2, 'reel', 'sheet'), 'Saga ' || i, 'saga ' || i FROM n WHERE i <= 5;
         INSERT INTO item (id, library_id, kind, group_key, title, sort_title, initial, year,
                           authors, sort_authors, description, series_id, series_index,
                           sort_series, facts, file_facts, title_source, year_source, added_at,
                           missing)
         SELECT i, 1 + i % 3, iif(i % 2, 'reel', 'sheet'), 'key ' || i, 'Tïtle ' || i,
                'title ' || i, char(65 + i % 26), nullif(1900 + i, 1960), 'Ann Ode', 'ann ode',
                iif(i % 4, NULL, 'Words about it.'), iif(i % 7, NULL, 1 + i % 5),
                iif(i % 7, NULL, i / 2.0), iif(i % 7, '', 'saga'), json_object('pages', i),
                json_object('size', i), i % 4, i % 3, 't' || i, i % 10 = 0
           FROM n;
         INSERT INTO folder (id, library_id, path, is_mount, listing)
         SELECT i, i, CAST('' AS BLOB), i = 2, zeroblob(16) FROM n WHERE i <= 3;
         INSERT INTO file (id, item_id, folder_id, name, size, mtime_ns, fingerprint, full_hash,
                           missing, sequence, title, extent, added_at, inspected_at)
         SELECT 2 * n.i + part.i - 2, n.i, 1 + n.i % 3, CAST(n.i || '-' || part.i AS BLOB),
                1000 + n.i, n.i, iif(n.i % 5, randomblob(16), NULL), NULL, n.i % 10 = 0, part.i,
                'Part ' || part.i, 100, 't', 'i'
           FROM n, (SELECT i FROM n WHERE i <= 2) AS part;",
    ),
    (
        4,
        LATEST,
        "INSERT INTO person (id, name, name_key)
         SELECT i, 'Person ' || i, 'person ' || i FROM n WHERE i <= 12;
         INSERT INTO item_person (item_id, position, person_id, role)
         SELECT n.i, place.i, 1 + (n.i + place.i) % 12, iif(place.i = 1, 'author', 'narrator')
           FROM n, (SELECT i FROM n WHERE i <= 2) AS place;
         INSERT INTO item_person (item_id, position, person_id, role) VALUES (1, 3, 3, 'editor');",
    ),
    (
        5,
        LATEST,
        "INSERT INTO progress (user_id, file_id, item_id, position, finished, locator, updated_at)
         SELECT u.i, 2 * n.i - 1, n.i, n.i % 100, n.i % 4 = 0, nullif('/' || n.i, '/7'),
                '2026-02-01T00:00:00.0000' || printf('%02d', n.i % 60) || 'Z'
           FROM n, (SELECT i FROM n WHERE i <= 3) AS u;
         INSERT INTO progress_history (user_id, item_id, file_id, position, finished, locator,
                                       updated_at, replaced_at)
         SELECT 1 + i % 3, i, 2 * i - 1, i, 0, NULL, 'u', 'r' FROM n;
         INSERT INTO favourite (user_id, item_id, created_at)
         SELECT 1 + i % 3, i, 'c' FROM n WHERE i % 2;
         INSERT INTO annotation (user_id, item_id, file_id, type, position, locator, text, note,
                                 color, created_at)
         SELECT 1 + i % 3, i, 2 * i, iif(i % 2, 'highlight', 'bookmark'), i, '/' || i, 'text',
                'note', 'red', 'c'
           FROM n WHERE i % 3 = 0;
         INSERT INTO file_ticket (token_hash, file_id, session_hash, expires_at)
         SELECT CAST('ticket ' || i AS BLOB), i, CAST('token 1' AS BLOB), 'e' FROM n WHERE i < 9;",
    ),
    (
        5,
        11,
        "INSERT INTO item_progress (user_id, item_id, file_id, finished, updated_at)
         SELECT user_id, item_id, file_id, 0, updated_at FROM progress;
         INSERT INTO item_view (user_id, item_id, n, viewed_at)
         SELECT 1 + i % 3, i, i, 'v' || i FROM n;",
    ),
    (
        12,
        LATEST,
        "INSERT INTO item_progress (user_id, item_id, library_id, file_id, finished, fraction,
                                    continue_file_id, updated_at)
         SELECT user_id, item_id, 1 + item_id % 3, file_id, 0, position / 200.0,
                file_id + finished, updated_at
           FROM progress;
         INSERT INTO item_view (user_id, item_id, library_id, n, viewed_at)
         SELECT 1 + i % 3, i, 1 + i % 3, i, 'v' || i FROM n;",
    ),
    (
        6,
        LATEST,
        "INSERT INTO job (kind, ref_id, payload, status, attempts, result, error, run_at,
                          created_at)
         SELECT 'scan', 1 + i % 3, '{}',
                CASE i % 4 WHEN 0 THEN 'queued' WHEN 1 THEN 'running' WHEN 2 THEN 'done'
                           ELSE 'failed' END,
                i % 3, NULL, NULL, 'r', 'c'
           FROM n WHERE i <= 20;
         INSERT INTO scan_run (library_id, job_id, status, scanned, added, errors, started_at)
         SELECT 1 + i % 3, i, 'done', i, i, '[\"a line\"]', 's' FROM n WHERE i <= 20;",
    ),
    (
        7,
        LATEST,
        "INSERT INTO search_word (rowid, title, path, authors)
         SELECT i, 'Tïtle ' || i, 'key ' || i, 'Ann Ode' FROM n;
         INSERT INTO search_infix (rowid, text) SELECT i, 'Tïtle ' || i FROM n;",
    ),
    (
        8,
        LATEST,
        "INSERT INTO cover (id, hash, width, height, tint)
         SELECT i, 'hash ' || i, 600, 900, '#102030' FROM n WHERE i <= 30;
         INSERT INTO cover_image (cover_id, size, mime, body)
         SELECT cover.i, size.column1, 'image/webp', randomblob(40)
           FROM (SELECT i FROM n WHERE i <= 30) AS cover,
                (VALUES ('small'), ('medium'), ('large')) AS size;
         UPDATE item SET cover_id = 1 + id % 30, cover_source = 1 WHERE id % 4;",
    ),
    (
        9,
        LATEST,
        "INSERT INTO item_provider (item_id, provider, external_id)
         SELECT i, 'one', 'x' || i FROM n WHERE i % 2;
         INSERT INTO metadata_fetch (item_id, provider, outcome, query, external_id, title, year,
                                     authors, score, error, fetched_at, expires_at)
         SELECT i, 'one', iif(i % 2, 'ok', 'notfound'), 'q', 'x' || i, 'Title', 1999, 'Ann', 0.9,
                NULL, 'f', 'e'
           FROM n;
         INSERT INTO game_save (user_id, item_id, slot, core, size, sha256, updated_at, body)
         SELECT 1 + i % 3, i, 'auto', 'core', 64, hex(i), 'u', randomblob(64)
           FROM n WHERE i % 6 = 0;
         INSERT INTO game_save_version (user_id, item_id, slot, n, core, size, sha256, saved_at,
                                        body)
         SELECT user_id, item_id, slot, part.i, core, 32, sha256, 's', randomblob(32)
           FROM game_save, (SELECT i FROM n WHERE i <= 5) AS part;",
    ),
    (
        10,
        LATEST,
        "UPDATE file
            SET container = iif(id % 2, 'mp4', 'matroska'), vcodec = nullif('v' || id % 3, 'v0'),
                acodec = 'aac', width = 640, height = 480, duration = 1.5 * id, probed_at = 'p'
          WHERE item_id % 9;
         INSERT INTO file_stream (file_id, position, type, codec, language, title, forced, chosen)
         SELECT i, 0, 'video', 'h264', NULL, NULL, 0, 1 FROM n
          UNION ALL SELECT i, 1, 'subtitle', 'subrip', 'deu', 'Deutsch', i % 2, 0 FROM n;
         INSERT INTO file_chapter (file_id, position, title, start)
         SELECT n.i, part.i, 'Chapter', part.i * 60.5
           FROM n, (SELECT i FROM n WHERE i <= 4) AS part;",
    ),
    (
        11,
        LATEST,
        "UPDATE item SET missing_since = 'm' WHERE missing = 1;
         UPDATE file SET missing_since = 'm' WHERE missing = 1;",
    ),
    (
        13,
        LATEST,
        "INSERT INTO progress_history (user_id, item_id, file_id, position, finished, updated_at,
                                       replaced_at, late)
         SELECT 1 + i % 3, i, 2 * i, i, 1, 'u', 'r', 1 FROM n;",
    ),
    (
        15,
        LATEST,
        "UPDATE item SET beneath = json_object('title', 'Beneath') WHERE title_source = 3;",
    ),
    (
        17,
        LATEST,
        "INSERT INTO media_profile (container, vcodec, acodec)
         SELECT DISTINCT container, vcodec, acodec FROM file WHERE container IS NOT NULL;
         UPDATE item
            SET profile_id = (SELECT profile.id
                                FROM media_profile AS profile
                                JOIN file ON file.container = profile.container
                                         AND file.vcodec IS profile.vcodec
                                         AND file.acodec IS profile.acodec
                               WHERE file.item_id = item.id AND file.sequence = 1)
          WHERE missing = 0;",
    ),
    (
        19,
        LATEST,
        "INSERT INTO scan_run (library_id, status, started_at, is_whole)
         VALUES (1, 'done', 's', 0);",
    ),
    (
        21,
        LATEST,
        "INSERT INTO cover_due (item_id) SELECT i FROM n WHERE i % 2;
         UPDATE folder SET pictures = zeroblob(16);",
    ),
    (
        22,
        LATEST,
        "UPDATE file SET said = json_object('album', 'A') WHERE id % 2;",
    ),
    (24, LATEST, "UPDATE file SET mark = id * 7 WHERE id % 3;"),
    (
        25,
        LATEST,
        "UPDATE item_provider SET is_chosen = item_id % 3 = 0, is_source = item_id % 5 = 0;
         INSERT INTO match_refused (item_id, provider, external_id)
         SELECT i, 'two', 'y' || i FROM n WHERE i % 4 = 0;
         INSERT INTO provider_state (provider, key, value, expires_at)
         VALUES ('two', 'token', 'v', 'e');",
    ),
    (
        26,
        LATEST,
        "INSERT INTO item_settled (item_id, providers, until)
         SELECT i, 1, 'u' FROM n WHERE i % 8 = 0;",
    ),
    (
        27,
        LATEST,
        "UPDATE job SET set_at = 's' || id WHERE id % 2;",
    ),
];
