//! List responses: `items`, and for paged lists `total`, `offset` and `limit`.

use serde::Serialize;
use utoipa::ToSchema;

/// Largest page size.
pub const MAX_LIMIT: u32 = 500;
/// Page size if the request has no `limit`.
pub const DEFAULT_LIMIT: u32 = 60;

/// A validated window of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Number of items to skip.
    pub offset: u64,
    /// Maximum number of items to return.
    pub limit: u32,
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Number of items in the whole list.
    pub total: u64,
    /// Number of skipped items.
    pub offset: u64,
    /// Page size of the request.
    pub limit: u32,
}

impl<T> Page<T> {
    /// Returns the page at `window` of a complete list.
    pub fn of_all(all: Vec<T>, window: Window) -> Self {
        let total = all.len() as u64;
        let skipped = usize::try_from(window.offset).unwrap_or(usize::MAX);
        let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
        let items = all.into_iter().skip(skipped).take(limit).collect();
        Self::new(items, total, window)
    }

    /// Creates a page of `items` at `window` of a list of `total` items.
    pub fn new(items: Vec<T>, total: u64, window: Window) -> Self {
        Self {
            items,
            total,
            offset: window.offset,
            limit: window.limit,
        }
    }
}

/// A complete list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    /// All items of the list.
    pub items: Vec<T>,
}
