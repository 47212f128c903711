//! Where the fields of an item come from, and which of them a person has locked.

use serde::Serialize;
use utoipa::ToSchema;

use crate::store::catalogue::source;
use crate::store::edit::Field;
use crate::store::in_order::InOrder;

/// Who said what a field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Names of files and folders.
    #[default]
    Name,
    /// The files themselves.
    File,
    /// A metadata provider.
    Provider,
    /// A person: no scan and no provider writes the field.
    Person,
}

impl Source {
    fn of(number: i64) -> Self {
        match number {
            source::FILE => Self::File,
            source::PROVIDER => Self::Provider,
            source::PERSON => Self::Person,
            _ => Self::Name,
        }
    }
}

/// The source of each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
pub struct Sources {
    /// Of the title.
    pub title: Source,
    /// Of the year.
    pub year: Source,
    /// Of the authors.
    pub authors: Source,
    /// Of the description.
    pub description: Source,
    /// Of the series and the number in it.
    pub series: Source,
    /// Of the cover.
    pub cover: Source,
}

/// The columns that [`Sources::take`] takes.
pub(super) const COLUMNS: &str = "item.title_source, item.year_source, item.authors_source, \
     item.description_source, item.series_source, item.cover_source";

impl Sources {
    /// The sources in the row's next columns.
    pub(super) fn take(row: &mut InOrder<'_, '_>) -> rusqlite::Result<Self> {
        let mut source = || Ok::<_, rusqlite::Error>(Source::of(row.take()?));
        Ok(Self {
            title: source()?,
            year: source()?,
            authors: source()?,
            description: source()?,
            series: source()?,
            cover: source()?,
        })
    }

    /// The fields that a person wrote.
    pub fn locked(self) -> Vec<Field> {
        let fields = [
            (Field::Title, self.title),
            (Field::Year, self.year),
            (Field::Authors, self.authors),
            (Field::Description, self.description),
            (Field::Series, self.series),
            (Field::Cover, self.cover),
        ];
        let locked = fields
            .into_iter()
            .filter(|(_, source)| *source == Source::Person);
        locked.map(|(field, _)| field).collect()
    }
}
