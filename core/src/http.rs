//! HTTP code that the routes of the server and of the kinds share: errors, extractors, paging.

pub mod content;
pub mod error;
pub mod extract;
pub mod file;
pub mod inside;
pub mod json;
pub mod kind_routes;
pub mod page;
pub mod picture;
pub mod protocol;
pub mod publications;
pub mod recordings;
pub mod version;

pub use error::{ApiError, ApiResult, ErrorBody};
pub use extract::{Administrator, AskedItem, CurrentSession, CurrentUser, Id, parse_id};
pub use json::{ApiJson, ApiLastQuery, ApiQuery, CompressibleJson, SecretJson};
pub use kind_routes::{KindRouter, KindRoutes};
pub use page::PageQuery;
pub use version::Versioned;
