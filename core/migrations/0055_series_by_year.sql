-- Orders the items of a series by number and year, because films of a collection have no numbers.

DROP INDEX item_of_series;
-- The items of a series by number and year, with unknown years last. Items without a number are read
-- as a range of their own.
CREATE INDEX item_of_series
    ON item (series_id, series_index, sort_year = 0, sort_year, sort_title, id, library_id,
             missing, added_at)
 WHERE series_id IS NOT NULL;
