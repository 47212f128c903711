//! The orders of a list, and the columns of the index that each follows.

use super::filter::Filter;
use crate::db::presence::levels::Order;

/// What a list is ordered by. Ties are ordered by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Natural, without case, accents and article.
    #[default]
    Title,
    /// When the item came into the library.
    Added,
    /// Year, then title; unknown years stand between those before the first and the others.
    Year,
    /// The author line, then title.
    Author,
    /// Series, number in it, then title; items without a series first.
    Series,
    /// A shuffle that is the same for the same seed.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// Which end comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smallest first.
    #[default]
    Asc,
    /// Largest first.
    Desc,
}

impl Direction {
    /// The other end first.
    pub(super) fn reversed(self) -> Self {
        match self {
            Self::Asc => Self::Desc,
            Self::Desc => Self::Asc,
        }
    }

    /// SQL's word.
    pub(super) fn sql(self) -> &'static str {
        match self {
            Self::Asc => "ASC",
            Self::Desc => "DESC",
        }
    }
}

impl Sort {
    /// The order, for what is kept of it in memory.
    pub(super) fn order(self) -> Order {
        Order {
            index: self.index(),
            columns: self.columns(),
        }
    }

    /// The key's columns, in the order of the index that begins with library and kind.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Title | Self::Random { .. } => &["sort_title"],
            Self::Added => &["added_at"],
            Self::Year => &["sort_year", "sort_title"],
            Self::Author => &["sort_authors", "sort_title"],
            Self::Series => &["sort_series", "sort_series_index", "sort_title"],
        }
    }

    /// The index of a list's ranges: of a subkind's items alone where the list is of one.
    pub(super) fn index_for(self, filter: &Filter) -> &'static str {
        if filter.subkind.is_none() {
            return self.index();
        }
        match self {
            Self::Title | Self::Random { .. } => "item_of_subkind_by_title",
            Self::Added => "item_of_subkind_by_added",
            Self::Year => "item_of_subkind_by_year",
            Self::Author => "item_of_subkind_by_author",
            Self::Series => "item_of_subkind_by_series",
        }
    }

    /// The index that has the columns, for `INDEXED BY`: the planner has no statistics, and a
    /// wrong guess costs seconds at a million items.
    pub(super) fn index(self) -> &'static str {
        match self {
            Self::Title | Self::Random { .. } => "item_by_title",
            Self::Added => "item_by_added",
            Self::Year => "item_by_year",
            Self::Author => "item_by_author",
            Self::Series => "item_by_series",
        }
    }
}
