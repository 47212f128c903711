//! Lists: `items`, and for paged ones `total`, `offset` and `limit`.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ApiError, ApiResult};

/// Largest page.
pub const MAX_LIMIT: u32 = 500;
/// Page where none is asked for.
pub const DEFAULT_LIMIT: u32 = 60;

/// `offset` and `limit` of a list.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// How many items to pass over.
    #[param(minimum = 0, default = 0)]
    pub offset: Option<i64>,
    /// How many items to answer with.
    #[param(minimum = 1, maximum = 500, default = 60)]
    pub limit: Option<i64>,
}

/// A checked window of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many items to pass over.
    pub offset: u64,
    /// How many items to answer with.
    pub limit: u32,
}

impl PageQuery {
    /// The window asked for; what is out of range is refused, never clamped.
    pub fn window(self) -> ApiResult<Window> {
        let offset = u64::try_from(self.offset.unwrap_or(0))
            .map_err(|_| ApiError::invalid("offset", "`offset` is 0 or more."))?;
        let limit = u32::try_from(self.limit.unwrap_or(DEFAULT_LIMIT.into()))
            .ok()
            .filter(|limit| (1..=MAX_LIMIT).contains(limit))
            .ok_or_else(|| ApiError::invalid("limit", "`limit` is between 1 and 500."))?;
        Ok(Window { offset, limit })
    }
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// How many there are altogether.
    pub total: u64,
    /// How many were passed over.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u32,
}

impl<T> Page<T> {
    /// A page of `total` items, as seen through `window`.
    pub fn new(items: Vec<T>, total: u64, window: Window) -> Self {
        Self {
            items,
            total,
            offset: window.offset,
            limit: window.limit,
        }
    }
}

/// A whole list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    /// The items.
    pub items: Vec<T>,
}
