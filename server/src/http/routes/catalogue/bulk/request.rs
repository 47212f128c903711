//! Body of a bulk edit.

use ledge_core::http::{ApiError, ApiResult, CurrentUser};
use ledge_core::id::ItemId;
use ledge_core::registry::Registry;
use ledge_core::store::catalogue::batch::bulk::{MAX_SELECTED, Selection, Set};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::filter::{self, BulkFilter};
use super::set::{self, BulkSet};
use crate::http::routes::id_list;

/// Edit of many items: either `ids` or `filter` selects them.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({ "ids": [12, 15], "set": { "genres_add": ["Adventure"], "rating": 8 } }))]
#[serde(deny_unknown_fields)]
pub(crate) struct EditItems {
    /// Ids of the items.
    #[serde(default)]
    #[schema(value_type = Option<Vec<ItemId>>, min_items = 1, max_items = 1000)]
    ids: Option<Vec<ItemId>>,
    /// Filter of the items, with the names of the filters of `/items`. It selects at most 10,000
    /// items.
    #[serde(default)]
    #[schema(value_type = Option<BulkFilter>)]
    filter: Option<Map<String, Value>>,
    /// Values to set.
    #[schema(value_type = BulkSet)]
    set: Map<String, Value>,
    /// `false` writes without locking the fields.
    #[serde(default = "yes")]
    #[schema(default = true)]
    lock: bool,
    /// `true` writes nothing and returns the number of items with a sample.
    #[serde(default)]
    #[schema(default = false)]
    preview: bool,
    /// Number of items from the preview. Required with `filter`, except for a preview.
    #[serde(default)]
    #[schema(maximum = 10_000)]
    expected: Option<u32>,
}

fn yes() -> bool {
    true
}

/// A valid bulk edit.
pub(super) struct BulkRequest {
    pub(super) selection: Selection,
    pub(super) expected: Option<u64>,
    pub(super) set: Set,
}

impl BulkRequest {
    /// Returns the selection with its expected number of items.
    pub(super) fn selection(&self) -> (&Selection, Option<u64>) {
        (&self.selection, self.expected)
    }
}

impl EditItems {
    pub(super) fn is_preview(&self) -> bool {
        self.preview
    }

    /// Validates the request. The role is checked first.
    pub(super) fn check(self, user: &CurrentUser, registry: &Registry) -> ApiResult<BulkRequest> {
        let mut set = set::check(user, self.set)?;
        if self
            .expected
            .is_some_and(|count| u64::from(count) > MAX_SELECTED)
        {
            let message = format!("`expected` is at most {MAX_SELECTED}.");
            return Err(ApiError::invalid("expected", message));
        }
        set.keeps_sources = !self.lock;
        let (selection, expected) = match (self.ids, self.filter) {
            (Some(ids), None) => (
                Selection::Ids(id_list::distinct("ids", &ids)?),
                self.expected.map(u64::from),
            ),
            (None, Some(filter)) => {
                if self.expected.is_none() && !self.preview {
                    let message = "With `filter`, send the `count` of a preview as `expected`.";
                    return Err(ApiError::invalid("expected", message));
                }
                let filter = filter::check(filter, registry)?;
                (
                    Selection::Filter(Box::new(filter)),
                    self.expected.map(u64::from),
                )
            }
            (None, None) => {
                let message = "Select the items with `ids` or with `filter`.";
                return Err(ApiError::invalid("ids", message));
            }
            (Some(_), Some(_)) => {
                let message = "Send either `ids` or `filter`.";
                return Err(ApiError::invalid("filter", message));
            }
        };
        Ok(BulkRequest {
            selection,
            expected,
            set,
        })
    }
}
