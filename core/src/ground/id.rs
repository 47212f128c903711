//! Row ids as types, so that an item's id is never taken for a file's.

/// Declares an id type over an SQLite row id.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, utoipa::ToSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.0.into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(
                value: rusqlite::types::ValueRef<'_>,
            ) -> rusqlite::types::FromSqlResult<Self> {
                value.as_i64().map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )+};
}

ids! {
    /// A user.
    UserId,
    /// A library.
    LibraryId,
    /// A folder below a library's root.
    FolderId,
    /// A media item.
    ItemId,
    /// A media file.
    FileId,
    /// A person.
    PersonId,
    /// A series.
    SeriesId,
    /// A genre.
    GenreId,
    /// A tag.
    TagId,
    /// A bookmark or a highlight.
    AnnotationId,
    /// A playlist.
    PlaylistId,
    /// A collection.
    CollectionId,
    /// A title with its forms.
    WorkId,
    /// An entry of a list that a user orders. In a collection, it is the id of the item.
    EntryId,
    /// A cover.
    CoverId,
    /// A picture that an item can have as its cover.
    CoverCandidateId,
    /// A password of an app.
    AppPasswordId,
    /// A background job.
    JobId,
    /// One run of a scan.
    RunId,
    /// A batch of edits.
    BatchId,
    /// An entry of the progress history.
    ProgressHistoryId,
}
