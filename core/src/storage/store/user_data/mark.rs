//! Favourites and ratings, which a user gives to items, files and people.

use rusqlite::{Transaction, named_params};

use crate::access::{VisibleFile, VisibleItem, VisiblePerson};
use crate::error::StoreResult;
use crate::id::UserId;
use crate::time::Timestamp;

/// Statements of one type of subject. `:id` is the subject's id, and `:viewer` the user's.
#[derive(Debug)]
pub struct Statements {
    add_favourite: &'static str,
    remove_favourite: &'static str,
    rate: &'static str,
    remove_rating: &'static str,
}

/// Item, file or person that a user can mark.
pub trait Subject: Copy {
    /// Statements of this type.
    const STATEMENTS: Statements;

    /// Checks the access again. Returns `None` if the subject is gone.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    fn again(self, tx: &Transaction<'_>) -> StoreResult<Option<Self>>;

    /// Returns the ids of the viewer and of the subject.
    fn ids(self) -> (UserId, i64);
}

impl Subject for VisibleItem {
    const STATEMENTS: Statements = Statements {
        add_favourite: "
            INSERT INTO favourite (user_id, item_id, created_at)
            VALUES (:viewer, :id, :now)
                ON CONFLICT DO NOTHING",
        remove_favourite: "DELETE FROM favourite WHERE user_id = :viewer AND item_id = :id",
        rate: "
            INSERT INTO rating (user_id, item_id, rating, rated_at)
            VALUES (:viewer, :id, :rating, :now)
                ON CONFLICT (user_id, item_id) DO UPDATE
               SET rating = excluded.rating, rated_at = excluded.rated_at",
        remove_rating: "DELETE FROM rating WHERE user_id = :viewer AND item_id = :id",
    };

    fn again(self, tx: &Transaction<'_>) -> StoreResult<Option<Self>> {
        self.again(tx)
    }

    fn ids(self) -> (UserId, i64) {
        (self.viewer(), self.id().0)
    }
}

impl Subject for VisibleFile {
    const STATEMENTS: Statements = Statements {
        add_favourite: "
            INSERT INTO file_favourite (user_id, file_id, created_at)
            VALUES (:viewer, :id, :now)
                ON CONFLICT DO NOTHING",
        remove_favourite: "DELETE FROM file_favourite WHERE user_id = :viewer AND file_id = :id",
        rate: "
            INSERT INTO file_rating (user_id, file_id, rating, rated_at)
            VALUES (:viewer, :id, :rating, :now)
                ON CONFLICT (user_id, file_id) DO UPDATE
               SET rating = excluded.rating, rated_at = excluded.rated_at",
        remove_rating: "DELETE FROM file_rating WHERE user_id = :viewer AND file_id = :id",
    };

    fn again(self, tx: &Transaction<'_>) -> StoreResult<Option<Self>> {
        self.again(tx)
    }

    fn ids(self) -> (UserId, i64) {
        (self.viewer(), self.id().0)
    }
}

impl Subject for VisiblePerson {
    const STATEMENTS: Statements = Statements {
        add_favourite: "
            INSERT INTO person_favourite (user_id, person_id, created_at)
            VALUES (:viewer, :id, :now)
                ON CONFLICT DO NOTHING",
        remove_favourite: "DELETE FROM person_favourite WHERE user_id = :viewer AND person_id = :id",
        rate: "
            INSERT INTO person_rating (user_id, person_id, rating, rated_at)
            VALUES (:viewer, :id, :rating, :now)
                ON CONFLICT (user_id, person_id) DO UPDATE
               SET rating = excluded.rating, rated_at = excluded.rated_at",
        remove_rating: "DELETE FROM person_rating WHERE user_id = :viewer AND person_id = :id",
    };

    fn again(self, tx: &Transaction<'_>) -> StoreResult<Option<Self>> {
        self.again(tx)
    }

    fn ids(self) -> (UserId, i64) {
        (self.viewer(), self.id().0)
    }
}

/// Adds a favourite; an existing one keeps its time. Returns `false` if the subject is gone.
pub fn add_favourite<S: Subject>(
    tx: &Transaction<'_>,
    subject: S,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(subject) = Subject::again(subject, tx)? else {
        return Ok(false);
    };
    let (viewer, id) = subject.ids();
    tx.prepare_cached(S::STATEMENTS.add_favourite)?
        .execute(named_params! { ":viewer": viewer, ":id": id, ":now": now })?;
    Ok(true)
}

/// Removes a favourite. Repeated calls succeed. Returns `false` if the subject is gone.
pub fn remove_favourite<S: Subject>(tx: &Transaction<'_>, subject: S) -> StoreResult<bool> {
    remove(tx, subject, S::STATEMENTS.remove_favourite)
}

/// Stores a rating from 1 to 10. Returns `false` if the subject is gone.
pub fn rate<S: Subject>(
    tx: &Transaction<'_>,
    subject: S,
    rating: u8,
    now: Timestamp,
) -> StoreResult<bool> {
    let Some(subject) = Subject::again(subject, tx)? else {
        return Ok(false);
    };
    let (viewer, id) = subject.ids();
    tx.prepare_cached(S::STATEMENTS.rate)?
        .execute(named_params! { ":viewer": viewer, ":id": id, ":rating": rating, ":now": now })?;
    Ok(true)
}

/// Removes a rating. Repeated calls succeed. Returns `false` if the subject is gone.
pub fn remove_rating<S: Subject>(tx: &Transaction<'_>, subject: S) -> StoreResult<bool> {
    remove(tx, subject, S::STATEMENTS.remove_rating)
}

fn remove<S: Subject>(tx: &Transaction<'_>, subject: S, sql: &str) -> StoreResult<bool> {
    let Some(subject) = Subject::again(subject, tx)? else {
        return Ok(false);
    };
    let (viewer, id) = subject.ids();
    tx.prepare_cached(sql)?
        .execute(named_params! { ":viewer": viewer, ":id": id })?;
    Ok(true)
}
