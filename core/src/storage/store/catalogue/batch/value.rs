//! Changed values of a batch, as JSON.

use serde::Serialize;
use serde_json::Value;

use crate::id::UserId;
use crate::store::catalogue::field::Field;

/// A field that a batch can restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangedField {
    /// A field of the item with its source.
    Catalogue(Field),
    /// A shared tag, or a tag of the user.
    Tag,
    /// Favourite of the user.
    Favourite,
    /// Rating of the user.
    Rating,
    /// Progress of the user in files of the item.
    Progress,
    /// Number of views of the user.
    Views,
    /// Imported bookmark of the user.
    Bookmark,
    /// Imported session of the user.
    Session,
    /// Imported state of a player.
    Save,
    /// Imported list of the user. It belongs to no item.
    List,
}

/// Fields of the item itself, in the order of a snapshot.
const CATALOGUE: [(Field, &str); 7] = [
    (Field::Title, "title"),
    (Field::Year, "year"),
    (Field::Authors, "authors"),
    (Field::Description, "description"),
    (Field::Series, "series"),
    (Field::Genres, "genres"),
    (Field::Language, "language"),
];

const OTHERS: [(ChangedField, &str); 9] = [
    (ChangedField::Tag, "tag"),
    (ChangedField::Favourite, "favourite"),
    (ChangedField::Rating, "rating"),
    (ChangedField::Progress, "progress"),
    (ChangedField::Views, "views"),
    (ChangedField::Bookmark, "bookmark"),
    (ChangedField::Session, "session"),
    (ChangedField::Save, "save"),
    (ChangedField::List, "list"),
];

impl ChangedField {
    /// Returns the name that the database contains.
    pub fn name(self) -> &'static str {
        let names = CATALOGUE
            .iter()
            .map(|(field, name)| (Self::Catalogue(*field), *name));
        let mut names = names.chain(OTHERS);
        // A batch never contains the cover, which has no name here.
        names
            .find(|(field, _)| *field == self)
            .map_or("", |(_, name)| name)
    }

    /// Returns the field with this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let names = CATALOGUE
            .iter()
            .map(|(field, name)| (Self::Catalogue(*field), *name));
        let mut names = names.chain(OTHERS);
        names.find(|(_, own)| *own == name).map(|(field, _)| field)
    }
}

/// A changed value of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// User whose own value changed; `None` for a shared field.
    pub owner: Option<UserId>,
    /// The field.
    pub field: ChangedField,
    /// Value before the change.
    pub old: Value,
    /// Value after the change.
    pub new: Value,
}

impl Change {
    /// Creates a change of plain data.
    pub(super) fn new<T: Serialize>(
        owner: Option<UserId>,
        field: ChangedField,
        (old, new): (&T, &T),
    ) -> Self {
        Self {
            owner,
            field,
            old: json(old),
            new: json(new),
        }
    }
}

fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("plain data is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_name_that_is_parsed_again() {
        let fields = CATALOGUE.map(|(field, _)| ChangedField::Catalogue(field));
        for field in fields.into_iter().chain(OTHERS.map(|(field, _)| field)) {
            assert_eq!(ChangedField::parse(field.name()), Some(field));
        }
        assert_eq!(ChangedField::parse("cover"), None);
    }
}
