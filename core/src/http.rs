//! What the server's and the kinds' routes share: errors, extractors, paging.

pub mod error;
pub mod extract;
pub mod inside;
pub mod json;
pub mod page;

pub use error::{ApiError, ApiResult, ErrorBody};
pub use extract::{Administrator, AskedItem, CurrentUser, Id, parse_id};
pub use json::{ApiJson, ApiLastQuery, ApiQuery, CompressibleJson, SecretJson};
pub use page::{Items, Page, PageQuery};
