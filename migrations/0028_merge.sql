-- Each transaction of a scan leaves a piece of each search index behind. Merging four pieces of a
-- size, as FTS5 does by itself, wrote what a first scan finds over and over; sixteen of them
-- are asked as quickly as four. Only at twice as many would one write have to merge them all.
INSERT INTO search_word (search_word, rank) VALUES ('automerge', 16);
INSERT INTO search_word (search_word, rank) VALUES ('crisismerge', 32);
INSERT INTO search_infix (search_infix, rank) VALUES ('automerge', 16);
INSERT INTO search_infix (search_infix, rank) VALUES ('crisismerge', 32);
