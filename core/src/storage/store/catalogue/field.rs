//! Fields of items and the sources of their values.

use serde::Serialize;
use utoipa::ToSchema;

/// Sources of field values, in ascending strength. A weaker source never overwrites a stronger one.
pub mod source {
    /// Names of files and folders.
    pub const NAME: i64 = 0;
    /// Content of the file.
    pub const FILE: i64 = 1;
    /// A metadata provider.
    pub const PROVIDER: i64 = 2;
    /// A user's edit, which locks the field.
    pub const PERSON: i64 = 3;
}

/// A value and its source.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// One of the constants of [`source`].
    pub source: i64,
}

/// A field that users can edit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Title of the item.
    Title,
    /// Year of publication or release.
    Year,
    /// Authors in order.
    Authors,
    /// Description.
    Description,
    /// Series and the number in it.
    Series,
    /// Cover picture.
    Cover,
    /// Genres in order.
    Genres,
    /// Language.
    Language,
}

impl Field {
    /// Returns the column of `item` that contains the source.
    pub(crate) fn source_column(self) -> &'static str {
        match self {
            Self::Title => "title_source",
            Self::Year => "year_source",
            Self::Authors => "authors_source",
            Self::Description => "description_source",
            Self::Series => "series_source",
            Self::Cover => "cover_source",
            Self::Genres => "genres_source",
            Self::Language => "language_source",
        }
    }
}

/// Source of a field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Names of files and folders.
    #[default]
    Name,
    /// Content of the files.
    File,
    /// A metadata provider.
    Provider,
    /// Edit by a user. Neither scans nor providers write the field.
    Person,
}

impl Source {
    /// Returns the source of a stored number.
    pub(crate) fn of(number: i64) -> Self {
        match number {
            source::FILE => Self::File,
            source::PROVIDER => Self::Provider,
            source::PERSON => Self::Person,
            _ => Self::Name,
        }
    }
}
