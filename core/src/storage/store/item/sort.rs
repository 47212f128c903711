//! Orders of a list. A new order needs a variant of [`Sort`], its `SortSpec`, and a migration that
//! creates its indexes. The API accepts it by the name of the variant.

use super::filter::Filter;
pub(super) use crate::store::file::totals::UNKNOWN;

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
    /// Rating of the viewer, then title; items without a rating last.
    Rating,
    /// Time of the viewer's latest progress, then title; items without progress last.
    LastPlayed,
    /// Length in seconds, then title; items without a length last.
    Duration,
    /// Number of pages, then title; items without pages last.
    Pages,
    /// Size of the files, then title.
    Size,
    /// Date of release, then title; items without a date and a year last.
    Released,
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

/// Order of a list. The id orders ties. If the direction is descending, ties are descending too,
/// except in orders with unknown values last: there, ties are ascending by title and id.
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
    /// Index that begins with library, kind and subkind. Without it, a list of a subkind filters the
    /// index above, which contains the subkind, or is a set of ids.
    subkind_index: Option<&'static str>,
    /// Key columns, which follow in both indexes before the id. They hold numbers or texts in
    /// binary order.
    pub(super) columns: &'static [&'static str],
    /// `true` if the first column contains [`UNKNOWN`] for items that come last in both directions.
    pub(super) has_unknown_last: bool,
}

impl SortSpec {
    /// Returns the name of the index for the partitions of a filter.
    pub(super) fn index_for(&self, filter: &Filter) -> &'static str {
        match self.subkind_index {
            Some(index) if !filter.subkinds.is_empty() => index,
            _ => self.index,
        }
    }

    /// Returns `true` if an index begins with the subkind.
    pub(super) fn has_subkind_index(&self) -> bool {
        self.subkind_index.is_some()
    }
}

/// Returns the spec of an order by a number and the title, with unknown numbers last.
macro_rules! by_total {
    ($name:literal) => {
        &SortSpec {
            index: concat!("item_by_", $name),
            subkind_index: None,
            columns: &[concat!("sort_", $name), "sort_title"],
            has_unknown_last: true,
        }
    };
}

impl Sort {
    /// Returns the indexes of the order. The orders by the viewer's rows and the random order read
    /// partitions by title.
    pub(super) fn spec(self) -> &'static SortSpec {
        match self {
            Self::Title | Self::Random | Self::Rating | Self::LastPlayed => &SortSpec {
                index: "item_by_title",
                subkind_index: Some("item_of_subkind_by_title"),
                columns: &["sort_title"],
                has_unknown_last: false,
            },
            Self::Added => &SortSpec {
                index: "item_by_added",
                subkind_index: Some("item_of_subkind_by_added"),
                columns: &["added_at"],
                has_unknown_last: false,
            },
            Self::Year => &SortSpec {
                index: "item_by_year",
                subkind_index: None,
                columns: &["sort_year", "sort_title"],
                has_unknown_last: false,
            },
            Self::Author => &SortSpec {
                index: "item_by_author",
                subkind_index: None,
                columns: &["sort_authors", "sort_title"],
                has_unknown_last: false,
            },
            Self::Series => &SortSpec {
                index: "item_by_series",
                subkind_index: None,
                columns: &["sort_series", "sort_series_index", "sort_title"],
                has_unknown_last: false,
            },
            Self::Duration => by_total!("duration"),
            Self::Pages => by_total!("pages"),
            Self::Size => by_total!("size"),
            Self::Released => by_total!("released"),
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
