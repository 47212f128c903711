//! Details of people from providers, and the times of the requests for them.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::VALIDITY;
use crate::access::VisiblePerson;
use crate::error::StoreResult;
use crate::id::PersonId;
use crate::registry::provider::{ExternalId, PersonDetails};
use crate::store::cover::picture;
use crate::time::Timestamp;

/// Wait after the first failure. Each further failure quadruples it.
const FIRST_RETRY: Duration = Duration::from_mins(15);
/// Longest wait after a failure, unless a provider requests a longer one.
const LONGEST_RETRY: Duration = Duration::from_hours(24);

/// Merged answer of the providers about a person.
#[derive(Debug, Clone, Default)]
pub struct PersonAnswer {
    /// Values in the order of the providers: the first one with a value provides it.
    pub details: PersonDetails,
    /// Ids of the providers that delivered details.
    pub providers: Vec<&'static str>,
    /// Provider and URL of the portrait.
    pub portrait: Option<(&'static str, String)>,
    /// Set if a provider did not answer: the wait that it requested, or zero.
    pub failure: Option<Duration>,
}

/// Stored details of a person.
#[derive(Debug, Default)]
pub(super) struct StoredDetails {
    pub(super) details: PersonDetails,
    pub(super) providers: Vec<String>,
}

/// Returns the external ids of a person whose details must be requested. Returns none if a stored
/// answer is valid.
pub fn due(
    conn: &Connection,
    person: VisiblePerson,
    now: Timestamp,
) -> StoreResult<Vec<ExternalId>> {
    let mut statement = conn.prepare_cached(
        "SELECT database, external_id
           FROM person_identity
          WHERE person_id = :person
            AND NOT EXISTS (SELECT 1 FROM person_detail AS d
                             WHERE d.person_id = :person AND d.due_at > :now)
          ORDER BY database, external_id",
    )?;
    let of = named_params! { ":person": person.id(), ":now": now };
    let rows = statement.query_map(of, |row| {
        Ok(ExternalId {
            database: row.get(0)?,
            id: row.get(1)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Makes the details of a person due, because an id was added: further providers may answer.
pub(super) fn set_due(tx: &Transaction<'_>, person: PersonId) -> StoreResult<()> {
    tx.prepare_cached("UPDATE person_detail SET due_at = '' WHERE person_id = :person")?
        .execute(named_params! { ":person": person })?;
    Ok(())
}

/// Stores an answer. After a failure, the existing details stay, and a retry is due earlier. Does
/// nothing if the person is gone.
pub fn set(
    tx: &Transaction<'_>,
    person: PersonId,
    answer: &PersonAnswer,
    now: Timestamp,
) -> StoreResult<()> {
    let details = (!answer.providers.is_empty())
        .then(|| serde_json::to_string(&answer.details).expect("plain data is JSON"));
    let wait = match answer.failure {
        Some(requested) => retry_after(tx, person)?.max(requested),
        None => VALIDITY,
    };
    let written = tx
        .prepare_cached(
            "INSERT INTO person_detail (person_id, details, providers, failures, due_at)
             SELECT id, :details, :providers, :failed, :due FROM person WHERE id = :person
                 ON CONFLICT (person_id) DO UPDATE
                SET details = iif(:failed AND details IS NOT NULL, details, :details),
                    providers = iif(:failed AND details IS NOT NULL, providers, :providers),
                    failures = iif(:failed, failures + 1, 0),
                    due_at = :due",
        )?
        .execute(named_params! {
            ":person": person,
            ":details": details,
            ":providers": serde_json::to_string(&answer.providers).expect("texts are JSON"),
            ":failed": answer.failure.is_some(),
            ":due": now.plus(wait),
        })?;
    match &answer.portrait {
        Some((provider, url)) if written > 0 => picture::want_portrait(tx, person, (provider, url)),
        _ => Ok(()),
    }
}

/// Returns the wait after one more failure.
fn retry_after(conn: &Connection, person: PersonId) -> StoreResult<Duration> {
    let mut statement =
        conn.prepare_cached("SELECT failures FROM person_detail WHERE person_id = :person")?;
    let failures = statement.query_row(named_params! { ":person": person }, |row| {
        row.get::<_, u32>(0)
    });
    let factor = 4_u32.saturating_pow(failures.optional()?.unwrap_or(0));
    Ok(FIRST_RETRY.saturating_mul(factor).min(LONGEST_RETRY))
}

/// Returns the stored details of a person. They are empty if none are known.
pub(super) fn stored(conn: &Connection, person: PersonId) -> StoreResult<StoredDetails> {
    let mut statement = conn.prepare_cached(
        "SELECT details, providers
           FROM person_detail
          WHERE person_id = :person AND details IS NOT NULL",
    )?;
    let row = statement.query_row(named_params! { ":person": person }, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    let stored = row.optional()?.map(|(details, providers)| StoredDetails {
        details: serde_json::from_str(&details).unwrap_or_default(),
        providers: serde_json::from_str(&providers).unwrap_or_default(),
    });
    Ok(stored.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate;

    /// Stores an answer and returns the wait until the next request.
    fn wait_after(tx: &Transaction<'_>, failure: Option<Duration>, now: Timestamp) -> Duration {
        let answer = PersonAnswer {
            failure,
            ..PersonAnswer::default()
        };
        set(tx, PersonId(1), &answer, now).expect("a change");
        let sql = "SELECT due_at FROM person_detail";
        let due: Timestamp = tx.query_row(sql, [], |row| row.get(0)).expect("a time");
        due.since(now)
    }

    #[test]
    fn waits_grow_after_failures_and_an_answer_is_valid_for_30_days() {
        let mut conn = Connection::open_in_memory().expect("a database");
        migrate::migrate(&mut conn).expect("a schema");
        conn.execute_batch("INSERT INTO person (id, name, name_key) VALUES (1, 'A', 'a')")
            .expect("a person");
        let tx = conn.transaction().expect("a transaction");
        let now = Timestamp::from_micros(1_000_000_000_000);
        let failed = |requested| wait_after(&tx, Some(requested), now);
        let minutes = [15, 60, 240, 960, 1440, 1440];
        for minutes in minutes.map(Duration::from_mins) {
            assert_eq!(failed(Duration::ZERO), minutes);
        }
        let requested = Duration::from_hours(48);
        assert_eq!(failed(requested), requested);
        assert_eq!(wait_after(&tx, None, now), Duration::from_hours(30 * 24));
        assert_eq!(failed(Duration::ZERO), FIRST_RETRY);
    }
}
