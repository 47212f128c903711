//! Where the fields of an item come from, and which of them a person has locked.

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::VisibleItem;
use crate::store::StoreResult;
use crate::store::catalogue::source;
use crate::store::edit::Field;

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

impl Sources {
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

/// The sources of an item's fields.
pub(super) fn of_item(conn: &Connection, item: VisibleItem) -> StoreResult<Sources> {
    let mut statement = conn.prepare_cached(
        "SELECT title_source, year_source, authors_source, description_source, series_source,
                cover_source
           FROM item
          WHERE id = :item",
    )?;
    let sources = statement
        .query_row(named_params! { ":item": item.id() }, |row| {
            let source = |column| Ok::<_, rusqlite::Error>(Source::of(row.get(column)?));
            Ok(Sources {
                title: source(0)?,
                year: source(1)?,
                authors: source(2)?,
                description: source(3)?,
                series: source(4)?,
                cover: source(5)?,
            })
        })
        .optional()?;
    Ok(sources.unwrap_or_default())
}
