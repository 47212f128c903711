//! Sources of an item's fields, and the fields that a user has locked.

use serde::Serialize;
use utoipa::ToSchema;

use crate::store::catalogue::column_reader::ColumnReader;
use crate::store::catalogue::field::{Field, Source};

/// Source of each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Sources {
    /// Source of the title.
    pub title: Source,
    /// Source of the year.
    pub year: Source,
    /// Source of the authors.
    pub authors: Source,
    /// Source of the description.
    pub description: Source,
    /// Source of the series and the number in it.
    pub series: Source,
    /// Source of the cover.
    pub cover: Source,
    /// Source of the genres.
    pub genres: Source,
    /// Source of the language.
    pub language: Source,
}

/// Columns that [`Sources::take`] reads.
pub(super) const COLUMNS: &str = "item.title_source, item.year_source, item.authors_source, \
     item.description_source, item.series_source, item.cover_source, \
     item.genres_source, item.language_source";

impl Sources {
    /// Reads the sources from the row's next columns.
    pub(super) fn take(row: &mut ColumnReader<'_, '_>) -> rusqlite::Result<Self> {
        let mut source = || Ok::<_, rusqlite::Error>(Source::of(row.take()?));
        Ok(Self {
            title: source()?,
            year: source()?,
            authors: source()?,
            description: source()?,
            series: source()?,
            cover: source()?,
            genres: source()?,
            language: source()?,
        })
    }

    /// Returns the fields that a user has edited.
    pub fn locked(self) -> Vec<Field> {
        let fields = [
            (Field::Title, self.title),
            (Field::Year, self.year),
            (Field::Authors, self.authors),
            (Field::Description, self.description),
            (Field::Series, self.series),
            (Field::Cover, self.cover),
            (Field::Genres, self.genres),
            (Field::Language, self.language),
        ];
        let locked = fields
            .into_iter()
            .filter(|(_, source)| *source == Source::Person);
        locked.map(|(field, _)| field).collect()
    }
}
