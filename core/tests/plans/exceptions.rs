//! Exceptions of the test of query plans. Each states its reason, or the test that checks the plan.

/// Tables with few rows.
pub(crate) const SMALL: &[&str] = &[
    "library",
    "user",
    "job",
    "media_profile",
    "metadata_setting",
    "provider_disabled",
    "provider_value",
    "provider_order",
];

/// Names in a query plan for rows that the statement creates or receives.
pub(crate) const OWN: &[&str] = &[
    "(subquery",
    "CONSTANT",
    "arm",
    "fresh",
    "json_each",
    "near",
    "page",
    "ranked",
    "seed",
    "wanted",
];

/// Statements that read a whole table, by file and beginning, with the reason.
pub(crate) const WHOLE: &[(&str, &str, &str)] = &[
    (
        "recording/genre.rs",
        "SELECT genre.id, genre.name",
        "counts of genres, libraries and kinds, not of items",
    ),
    (
        "progress/summary.rs",
        "SELECT 1 FROM",
        "it stops at the first row",
    ),
    (
        "list/criteria.rs",
        "SELECT id_set(item.id)",
        "counts of libraries, kinds and initials",
    ),
    (
        "search/merge.rs",
        "SELECT count(*)",
        "it counts the pages of each segment, once after a scan",
    ),
    (
        "item_index/load.rs",
        "SELECT id, library_id",
        "the start asks for every item once",
    ),
    (
        "db/backup/verify.rs",
        "SELECT name",
        "tables, not their rows",
    ),
    (
        "db/backup/restore.rs",
        "SELECT count",
        "tables, not their rows",
    ),
    (
        "library/totals.rs",
        "SELECT kind, missing",
        "counts of libraries, kinds and initials, not of items",
    ),
    (
        "catalogue/named.rs",
        "SELECT",
        "names are walked in their order until the page is full",
    ),
    (
        "user_data/tag.rs",
        "SELECT id_set(link.item_id)",
        "the tags of a user and the shared ones",
    ),
    (
        "rule/named.rs",
        "SELECT item.id, item.title\n      FROM library_grant",
        "counts of libraries, kinds and initials",
    ),
    (
        "rule/named.rs",
        "SELECT id, title FROM item",
        "a part of a title can be anywhere in it",
    ),
    (
        "rule/named.rs",
        "SELECT id_set(link.item_id)",
        "the tags of a user and the shared ones",
    ),
    (
        "import/files.rs",
        "SELECT id, size, name",
        "an import looks for files by size and name, which have no index",
    ),
    (
        "import/database.rs",
        "SELECT count(*) FROM sqlite_schema",
        "tables of another program, not their rows",
    ),
];

/// Statements that sort, group or deduplicate a few rows with a temporary table.
pub(crate) const SORTED: &[(&str, &str, &str)] = &[
    (
        "search/parts.rs",
        "SELECT page.id",
        "the limited number of matches that are compared",
    ),
    (
        "recording/viewed.rs",
        "SELECT v.item_id",
        "items that the user has viewed",
    ),
    (
        "recording/genre.rs",
        "SELECT file.id\n           FROM json_each",
        "files of a few items, in the order of the items",
    ),
    (
        "matches/provider_setting.rs",
        "SELECT kind, provider",
        "providers of a few kinds",
    ),
    (
        "playlist/parts.rs",
        "SELECT entry.list_id, count(*)",
        "the playlists of one response",
    ),
    (
        "matches/people.rs",
        "SELECT link.role",
        "items of one person",
    ),
    (
        "file/recording.rs",
        "SELECT link.item_id",
        "people and genres of the items of a page",
    ),
    (
        "suggestions/seeds.rs",
        "SELECT item.kind",
        "people of a few items",
    ),
    (
        "db/backup/verify.rs",
        "SELECT DISTINCT",
        "tables with rows that refer to nothing",
    ),
    (
        "annotation/bookmark.rs",
        "SELECT",
        "bookmarks and started books of the user, the newest first",
    ),
    (
        "user_data/annotation.rs",
        "SELECT",
        "annotations of an item",
    ),
    (
        "file/digest.rs",
        "SELECT file.id",
        "copies of one file, or files of one name",
    ),
    (
        "detail/files.rs",
        "SELECT",
        "chapters and streams of an item's files",
    ),
    (
        "item/filter.rs",
        "SELECT c.library_id",
        "counts of libraries, kinds and initials",
    ),
    (
        "item/subkinds.rs",
        "SELECT c.kind",
        "counts of libraries, kinds and initials",
    ),
    (
        "item/letters.rs",
        "SELECT c.initial",
        "counts of libraries, kinds and initials",
    ),
    (
        "library/totals.rs",
        "SELECT kind, missing",
        "counts of libraries, kinds and initials",
    ),
    (
        "store/library.rs",
        "SELECT kind, missing",
        "counts of a library's kinds and initials",
    ),
    ("catalogue/edit.rs", "SELECT DISTINCT", "folders of an item"),
    (
        "file/media_profile.rs",
        "SELECT DISTINCT",
        "users who are in the middle of an item",
    ),
    ("user_data/save.rs", "SELECT DISTINCT", "slots of an item"),
    ("user_data/save.rs", "SELECT slot", "slots of a user's item"),
    ("job/run.rs", "UPDATE job", "jobs that wait"),
    (
        "cover/queue.rs",
        "INSERT OR REPLACE",
        "items of a folder, each of which is written then",
    ),
    (
        "cover/queue.rs",
        "SELECT file.folder_id",
        "the files of an item",
    ),
    ("library/grant.rs", "SELECT user.id", "users with a grant"),
    (
        "file/missing.rs",
        "SELECT item.id",
        "a page of what is missing",
    ),
    ("library/scan_run.rs", "SELECT id, path", "libraries"),
    ("store/matches.rs", "SELECT", "the last attempts at an item"),
    ("matches/link.rs", "SELECT provider", "matches of an item"),
    (
        "account/user_state.rs",
        "UPDATE game_save_version",
        "versions of a slot",
    ),
    ("user_data/tag.rs", "SELECT tag.id", "tags of an item"),
    (
        "cover/candidate.rs",
        "DELETE FROM item_cover",
        "pictures of an item",
    ),
    (
        "list/own.rs",
        "SELECT item.id",
        "items whose latest progress has the same time",
    ),
];

/// Composed statements, with the test that checks them, or the reason why no check is needed.
pub(crate) const COMPOSED: &[(&str, &str, &str)] = &[
    (
        "db/backup/verify.rs",
        "SELECT count(*)",
        "how many rows a table has is what is asked",
    ),
    (
        "storage/search.rs",
        "INSERT INTO {table}",
        "it tells an index to forget everything",
    ),
    (
        "catalogue/columns.rs",
        "UPDATE item SET {column} = 0",
        "one item by its id",
    ),
    (
        "account/user_state.rs",
        "UPDATE item",
        "two items by their ids",
    ),
    ("store/library.rs", "{SELECT}", "libraries are few"),
    (
        "batch/list.rs",
        "SELECT count(*)",
        "batches_are_found_by_index_without_scans",
    ),
    (
        "batch/list.rs",
        "SELECT {COLUMNS}",
        "batches_are_found_by_index_without_scans",
    ),
    (
        "item/card.rs",
        "SELECT wanted.key",
        "card_statement_uses_keys_only",
    ),
    (
        "item/detail.rs",
        "SELECT {columns}",
        "item_statement_uses_keys_only",
    ),
    (
        "item/list.rs",
        "SELECT",
        "every_order_merges_index_ranges_without_sorting",
    ),
    (
        "list/unknown_last.rs",
        "SELECT count(*)",
        "every_order_merges_index_ranges_without_sorting",
    ),
    (
        "list/merge.rs",
        "{} ORDER BY",
        "every_order_merges_index_ranges_without_sorting",
    ),
    (
        "progress/log.rs",
        "SELECT updated_at",
        "log_query_merges_libraries_without_sorting",
    ),
    (
        "progress/log.rs",
        "{} ORDER BY",
        "log_query_merges_libraries_without_sorting",
    ),
    (
        "playlist/entry.rs",
        "SELECT page.position",
        "page_is_found_in_covering_index_and_read_by_keys",
    ),
    (
        "user_list/overview.rs",
        "SELECT id FROM {name}",
        "page_reads_own_and_public_lists_by_index",
    ),
    (
        "user_list/overview.rs",
        "SELECT count(*)",
        "the ids of page_reads_own_and_public_lists_by_index",
    ),
    (
        "user_list/overview.rs",
        "SELECT {}",
        "page_reads_own_and_public_lists_by_index",
    ),
    (
        "user_list/access.rs",
        "SELECT {name}.user_id",
        "statements_of_one_list_search_indexes",
    ),
    (
        "user_list/cover.rs",
        "SELECT cover.id",
        "statements_of_one_list_search_indexes",
    ),
    (
        "lists/user_list.rs",
        "SELECT ifnull",
        "statements_of_one_list_search_indexes",
    ),
    ("lists/user_list.rs", "SELECT version", "one list by its id"),
    ("user_list/write.rs", "INSERT INTO {table}", "one list"),
    (
        "user_list/write.rs",
        "SELECT count(*)",
        "at most a thousand lists of a user, by NAME_by_user",
    ),
    ("user_list/write.rs", "UPDATE {table}", "one list by its id"),
    (
        "user_list/write.rs",
        "DELETE FROM {table}",
        "one list by its id",
    ),
    (
        "collection/manual.rs",
        "SELECT {key}",
        "page_is_read_from_covering_index",
    ),
    (
        "rule/ranges.rs",
        "SELECT id_set(item.id)",
        "ranges_are_read_from_covering_indexes",
    ),
    ("rule/ranges.rs", "WITH RECURSIVE", "the same test"),
    (
        "rule/named.rs",
        "SELECT id_set({item})",
        "names_are_found_by_their_index and the test after it",
    ),
    (
        "lists/ordered_list.rs",
        "SELECT {key}, position",
        "entries_are_read_in_order_from_covering_index",
    ),
    (
        "lists/ordered_list.rs",
        "SELECT {member}",
        "the entries of one list",
    ),
    (
        "lists/ordered_list.rs",
        "SELECT entry.{key}",
        "entries by their keys",
    ),
    ("lists/ordered_list.rs", "INSERT INTO {name}", "one entry"),
    (
        "lists/ordered_list.rs",
        "UPDATE {name}",
        "one entry by its key",
    ),
    (
        "lists/ordered_list.rs",
        "DELETE FROM {name}",
        "one entry by its key",
    ),
    (
        "lists/user_list.rs",
        "{name}.id, {name}.name",
        "statements_of_one_list_search_indexes",
    ),
    (
        "lists/user_list.rs",
        "SELECT {}",
        "statements_of_one_list_search_indexes",
    ),
    (
        "import/list.rs",
        "SELECT count(*)",
        "at most a thousand lists of a user, by NAME_by_user",
    ),
    ("import/list.rs", "SELECT {}", "the entries of one list"),
    (
        "import/list.rs",
        "SELECT name, description",
        "one list by its id",
    ),
    (
        "import/list.rs",
        "SELECT 1 FROM {table}",
        "one row by its id",
    ),
    (
        "import/list.rs",
        "DELETE FROM {entries}",
        "the entries of one list",
    ),
    (
        "import/list.rs",
        "DELETE FROM {table}",
        "one list by its id",
    ),
    (
        "import/database.rs",
        "SELECT 1",
        "tables of another program, not their rows",
    ),
    ("import/staging.rs", "INSERT INTO", "a temporary database"),
    ("import/staging.rs", "UPDATE", "a temporary database"),
    ("import/staging.rs", "SELECT", "a temporary database"),
];
