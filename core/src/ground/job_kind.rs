//! Kinds of background jobs, as stored in the column `job.kind`.

/// Scan of a library.
pub const SCAN: &str = "scan";
/// Search for covers. The jobs belong to no library.
pub const COVERS: &str = "covers";
/// Enrichment of a library with metadata of providers.
pub const ENRICH_LIBRARY: &str = "enrich";
/// Enrichment of one item with metadata of providers.
pub const ENRICH_ITEM: &str = "enrich_item";
/// Enrichment of a list of items with metadata of providers.
pub const ENRICH_ITEMS: &str = "enrich_items";
/// Backup of the database.
pub const BACKUP: &str = "backup";
/// Import of another program's data.
pub const IMPORT: &str = "import";
/// Digests of files, by which other programs name them.
pub const DIGESTS: &str = "digests";
