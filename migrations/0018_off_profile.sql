-- Where a user goes on with a file of another profile than the item's, so that a list of what
-- plays reads these rows alone and not the whole shelf.

INSERT OR IGNORE INTO media_profile (container, vcodec, acodec)
SELECT DISTINCT container, vcodec, acodec FROM file WHERE container IS NOT NULL;

-- 0 where that file was not probed; NULL where the item's profile holds.
ALTER TABLE item_progress ADD COLUMN off_profile INTEGER;
UPDATE item_progress
   SET off_profile = off.profile_id
  FROM (SELECT p.user_id, p.item_id, ifnull(profile.id, 0) AS profile_id
          FROM item_progress AS p
          JOIN file
            ON file.id = p.continue_file_id AND file.item_id = p.item_id AND file.missing = 0
          JOIN item ON item.id = p.item_id
          LEFT JOIN media_profile AS profile
            ON profile.container = file.container
           AND profile.vcodec IS file.vcodec
           AND profile.acodec IS file.acodec
         WHERE ifnull(profile.id, 0) <> ifnull(item.profile_id, 0)) AS off
 WHERE item_progress.user_id = off.user_id AND item_progress.item_id = off.item_id;
CREATE INDEX item_progress_off_profile
    ON item_progress (user_id, library_id, item_id, off_profile)
 WHERE off_profile IS NOT NULL;
