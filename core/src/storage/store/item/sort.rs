//! Orders of a list. A new order needs a variant of [`Sort`], its `SortSpec`, and a migration that
//! creates its two indexes. The API accepts it by the name of the variant.

use super::filter::Filter;

/// Sort keys of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// Title in natural order, ignoring case, accents and a leading article.
    #[default]
    Title,
    /// Time at which the item was added to the library.
    Added,
    /// Year, then title. An unknown year sorts like year 0.
    Year,
    /// Author line, then title.
    Author,
    /// Series, number in it, then title; items without a series first.
    Series,
    /// Random order, determined by [`Order::seed`].
    Random,
}

/// Sort direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smallest first.
    #[default]
    Asc,
    /// Largest first.
    Desc,
}

/// Order of a list. The id orders ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// Sort key.
    pub sort: Sort,
    /// Sort direction.
    pub direction: Direction,
    /// Seed of [`Sort::Random`]: equal seeds give equal orders.
    pub seed: u64,
}

/// Indexes that contain an order. The planner has no statistics, so that statements name the index:
/// a wrong choice costs seconds with a million items.
#[derive(Debug)]
pub(super) struct SortSpec {
    /// Index that begins with library and kind.
    index: &'static str,
    /// Index that begins with library, kind and subkind.
    subkind_index: &'static str,
    /// Key columns, which follow in both indexes before the id. They hold numbers or texts in
    /// binary order.
    pub(super) columns: &'static [&'static str],
}

impl SortSpec {
    /// Returns the name of the index for the partitions of a filter.
    pub(super) fn index_for(&self, filter: &Filter) -> &'static str {
        if filter.subkinds.is_empty() {
            self.index
        } else {
            self.subkind_index
        }
    }
}

impl Sort {
    /// Returns the indexes of the order. The random order reads partitions by title.
    pub(super) fn spec(self) -> &'static SortSpec {
        match self {
            Self::Title | Self::Random => &SortSpec {
                index: "item_by_title",
                subkind_index: "item_of_subkind_by_title",
                columns: &["sort_title"],
            },
            Self::Added => &SortSpec {
                index: "item_by_added",
                subkind_index: "item_of_subkind_by_added",
                columns: &["added_at"],
            },
            Self::Year => &SortSpec {
                index: "item_by_year",
                subkind_index: "item_of_subkind_by_year",
                columns: &["sort_year", "sort_title"],
            },
            Self::Author => &SortSpec {
                index: "item_by_author",
                subkind_index: "item_of_subkind_by_author",
                columns: &["sort_authors", "sort_title"],
            },
            Self::Series => &SortSpec {
                index: "item_by_series",
                subkind_index: "item_of_subkind_by_series",
                columns: &["sort_series", "sort_series_index", "sort_title"],
            },
        }
    }
}

impl Direction {
    /// Returns the opposite direction.
    pub(super) fn reversed(self) -> Self {
        match self {
            Self::Asc => Self::Desc,
            Self::Desc => Self::Asc,
        }
    }

    /// Returns the SQL keyword.
    pub(crate) fn sql(self) -> &'static str {
        match self {
            Self::Asc => "ASC",
            Self::Desc => "DESC",
        }
    }
}
