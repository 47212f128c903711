//! Query parameters of paged lists.

use serde::Deserialize;
use utoipa::IntoParams;

use super::{ApiError, ApiResult};
use crate::paging::{DEFAULT_LIMIT, MAX_LIMIT, Window};

/// `offset` and `limit` of a list.
#[derive(Debug, Clone, Copy, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Number of items to skip.
    #[param(minimum = 0, default = 0)]
    pub offset: Option<i64>,
    /// Maximum number of items to return.
    #[param(minimum = 1, maximum = 500, default = 60)]
    pub limit: Option<i64>,
}

impl PageQuery {
    /// Returns the requested window. Values out of range are rejected, not clamped.
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
