//! Lists of subkinds in an order whose index begins with the library and the kind. They read the
//! range of the kind, and SQLite skips the entries of other subkinds.

use rusqlite::Connection;

use crate::access::Visible;
use crate::error::StoreResult;
use crate::store::item::filter::{Filter, Partition};

/// Highest number of index entries per item of the list: a first page of sixty items passes about
/// two thousand entries. An estimate; rarer subkinds, for which a page may pass a whole range, were not
/// measured.
const MAX_ENTRIES: u64 = 32;

/// Returns the partitions of a filter with subkinds, with the sizes of their ranges. Returns `None`
/// if a subkind is rare, or if a range would be read for several subkinds.
pub(super) fn partitions(
    conn: &Connection,
    visible: Visible,
    filter: &Filter,
    mut partitions: Vec<Partition>,
) -> StoreResult<Option<Vec<Partition>>> {
    let is_same_range = |a: &Partition, b: &Partition| (a.library, &a.kind) == (b.library, &b.kind);
    if partitions
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if is_same_range(a, b)))
    {
        return Ok(None);
    }
    let of_kinds = Filter {
        subkinds: Vec::new(),
        ..filter.clone()
    };
    let ranges = of_kinds.partitions(conn, visible)?;
    for partition in &mut partitions {
        let range = ranges.iter().find(|range| is_same_range(range, partition));
        let entries = range.map_or(partition.size, |range| range.size);
        if entries > partition.size.saturating_mul(MAX_ENTRIES) {
            return Ok(None);
        }
        partition.size = entries;
    }
    Ok(Some(partitions))
}
