-- The search indexes, by item id: one of whole words and their beginnings, one of trigrams for
-- what stands inside a word. Written by `search::reindex` only. Both index the folded text that
-- `search::fold` makes; neither keeps it.
CREATE VIRTUAL TABLE search_word USING fts5 (
    title, path, authors,
    content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3'
);
CREATE VIRTUAL TABLE search_infix USING fts5 (
    text,
    content = '', contentless_delete = 1,
    tokenize = 'trigram', detail = none
);
