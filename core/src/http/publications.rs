//! Capability of a kind: its items can be read in other programs.

pub mod digests;
pub mod exchange;
pub mod places;

use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::future::BoxFuture;

use super::ApiResult;
use crate::App;
use crate::access::VisibleFile;

pub use places::Places;

/// Publications of a kind. The crate of the kind submits it.
#[derive(Debug, Clone, Copy)]
pub struct Publications {
    /// Id of the kind.
    pub kind: &'static str,
    /// Returns `true` if a reading app may fetch a file with this name.
    pub offers: fn(name: &str) -> bool,
    /// Returns the form of a work with this subkind.
    pub work: fn(subkind: Option<&str>) -> Work,
    /// Single pages of files, if the kind has such files.
    pub pages: Option<Pages>,
    /// Conversion of positions, if the kind supports it.
    pub places: Option<Places>,
}

inventory::collect!(Publications);

/// Form of a work, as catalogues name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// A book.
    Book,
    /// A comic.
    Comic,
    /// An issue of a magazine or a newspaper.
    Periodical,
}

/// Single pages as pictures. The extent of such a file is the number of its pages.
#[derive(Debug, Clone, Copy)]
pub struct Pages {
    /// Returns `true` if a file with this name has pages.
    pub has: fn(name: &str) -> bool,
    /// Returns the picture of a page: as it is if it is a JPEG, PNG or GIF that is not wider than
    /// requested, otherwise as JPEG.
    pub page: fn(PageRequest) -> BoxFuture<'static, ApiResult<Response>>,
}

/// Request for a page.
#[derive(Debug)]
pub struct PageRequest {
    /// Context of the handler.
    pub app: App,
    /// The file.
    pub file: VisibleFile,
    /// Index of the page, from 0.
    pub page: usize,
    /// Largest width in pixels, 1 to 4096.
    pub width: Option<u32>,
    /// Headers of the request, for conditions.
    pub headers: HeaderMap,
}

impl Publications {
    /// Returns the capability of a kind.
    pub fn of_kind(kind: &str) -> Option<&'static Self> {
        Self::all().find(|publications| publications.kind == kind)
    }

    /// Returns the ids of all kinds with publications.
    pub fn kinds() -> Vec<&'static str> {
        let mut kinds: Vec<_> = Self::all().map(|publications| publications.kind).collect();
        kinds.sort_unstable();
        kinds
    }

    fn all() -> impl Iterator<Item = &'static Self> {
        inventory::iter::<Self>()
    }
}
