//! Enrichment of one item: queries the providers of its kind in order until one has a match.

use std::sync::Arc;
use std::time::Duration;

use super::super::ask::{self, Answer};
use super::super::picture::further;
use super::super::provider_session::ProviderSession;
use crate::App;
use crate::events::Event;
use crate::id::ItemId;
use crate::jobs::JobError;
use crate::net::providers::Provider;
use crate::registry::provider::AskError;
use crate::store::cover;
use crate::store::matches::due::{self, Answers, Turn};
use crate::store::matches::link::Link;
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::write::{self, By};
use crate::store::matches::{self, Attempt};
use crate::time::Timestamp;

/// Outcome for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::services::enrich) enum Outcome {
    /// A provider has a match.
    Matched,
    /// No provider has a match.
    Notfound,
    /// A provider did not respond, and no other queried provider has a match.
    Failed,
    /// No provider was queried: earlier answers or a user's decision are still valid, or no
    /// provider serves the kind.
    Standing,
}

impl Outcome {
    /// Returns the name of the outcome in a job's result.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Notfound => "notfound",
            Self::Failed => "failed",
            Self::Standing => "standing",
        }
    }
}

/// Outcome for an item with its retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemOutcome {
    pub(super) outcome: Outcome,
    /// Minimum wait before a provider, or the cover of the match, is requested again. `None` if no
    /// retry is needed.
    pub(super) again: Option<Duration>,
}

impl ItemOutcome {
    pub(super) const STANDING: Self = Self {
        outcome: Outcome::Standing,
        again: None,
    };

    fn again(&mut self, rest: Duration) {
        self.again = self.again.max(Some(rest));
    }
}

/// Result of one provider for an item.
enum ProviderResult {
    /// It has a match. `again` is set if its cover must be fetched later.
    Matched { again: Option<Duration> },
    /// It has no match.
    Notfound,
    /// It did not respond or is paused. Contains the wait that it requested, or zero.
    NoAnswer(Duration),
    /// The response is obsolete: the item was deleted, or a user decided in the meantime.
    Obsolete,
}

/// Parameters of the enrichment of items.
pub(super) struct EnrichItem<'a> {
    pub(super) app: &'a App,
    /// Answers from before this time are not valid. With `None`, all answers are valid.
    pub(super) since: Option<Timestamp>,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

impl EnrichItem<'_> {
    /// Queries the providers that have no valid answer for an item.
    pub(super) fn enrich(&self, item: ItemId) -> Result<ItemOutcome, JobError> {
        let Some(answers) = self.answers(item)? else {
            return Ok(ItemOutcome::STANDING);
        };
        let mut item_outcome = ItemOutcome::STANDING;
        // The subject is loaded only if a provider is queried.
        let mut loaded: Option<Subject> = None;
        for provider in self.app.providers.of_kind(&answers.kind) {
            let id = provider.descriptor.id;
            match answers.turn(provider.descriptor, self.since, self.app.clock.now()) {
                Turn::Query => {}
                Turn::Next => continue,
                Turn::Done => break,
            }
            let result = match provider.client.pause() {
                Some(rest) => ProviderResult::NoAnswer(rest),
                None => match self.subject(item, &mut loaded)? {
                    Some(subject) => self.ask(subject, &provider, answers.chosen.as_ref())?,
                    None => ProviderResult::Obsolete,
                },
            };
            match result {
                ProviderResult::Matched { again } => {
                    item_outcome.outcome = Outcome::Matched;
                    item_outcome.again = item_outcome.again.max(again);
                    break;
                }
                ProviderResult::Notfound if item_outcome.outcome == Outcome::Standing => {
                    item_outcome.outcome = Outcome::Notfound;
                }
                ProviderResult::Notfound => {}
                ProviderResult::NoAnswer(rest) => {
                    item_outcome.outcome = Outcome::Failed;
                    item_outcome.again(rest);
                    if answers.is_source(id) {
                        // A good match stays while its provider is unavailable.
                        break;
                    }
                }
                ProviderResult::Obsolete => return Ok(ItemOutcome::STANDING),
            }
        }
        further::fetch_of_item(self.app, item, self.is_stopped)?;
        Ok(item_outcome)
    }

    fn answers(&self, item: ItemId) -> Result<Option<Answers>, JobError> {
        let read = move |conn: &rusqlite::Connection| due::answers_unscoped(conn, item);
        Ok(self.app.db.read_blocking(read)?)
    }

    fn subject<'a>(
        &self,
        item: ItemId,
        loaded: &'a mut Option<Subject>,
    ) -> Result<Option<&'a Subject>, JobError> {
        if loaded.is_none() {
            *loaded = ask::subject(self.app, item)?;
        }
        Ok(loaded.as_ref())
    }

    fn ask(
        &self,
        subject: &Subject,
        provider: &Arc<Provider>,
        chosen: Option<&Link>,
    ) -> Result<ProviderResult, JobError> {
        let session = ProviderSession::background(self.app, provider.clone(), self.is_stopped);
        let by_id = chosen.map(|(_, id)| id.as_str());
        let answer = ask::ask(&session, subject, by_id);
        let result = match &answer {
            Answer::None(Some(AskError::Stopped)) => return Err(JobError::Stopping),
            Answer::Found(found) => ProviderResult::Matched { again: found.later },
            Answer::None(None) => ProviderResult::Notfound,
            Answer::None(Some(error)) => {
                ProviderResult::NoAnswer(error.retry_after().unwrap_or_default())
            }
        };
        let query = ask::query(&subject.question, by_id);
        let attempt = Attempt::of(provider.descriptor.id, query, &answer);
        let is_written = self.write(subject, attempt, answer, chosen)?;
        Ok(if is_written {
            result
        } else {
            ProviderResult::Obsolete
        })
    }

    /// Writes an answer. Returns `false` if the item was deleted or a user decided in the meantime.
    fn write(
        &self,
        subject: &Subject,
        attempt: Attempt,
        answer: Answer,
        chosen: Option<&Link>,
    ) -> Result<bool, JobError> {
        let (item, library, chosen) = (subject.item, subject.library, chosen.cloned());
        let now = self.app.clock.now();
        let has_found = matches!(answer, Answer::Found(_));
        let is_written = self.app.db.bulk_blocking(move |tx| {
            if subject::library_unscoped(tx, item)?.is_none() {
                return Ok(false);
            }
            if let Answer::Found(found) = &answer {
                let by = By::Background {
                    chosen: chosen.as_ref(),
                };
                if !write::apply(tx, item, &found.to_match(attempt.provider, by))? {
                    return Ok(false);
                }
                // If this replaced another match and its cover, the item's own cover may be needed
                // again.
                cover::request_job(tx, now)?;
            }
            matches::record(tx, item, &attempt, now).map(|()| true)
        })?;
        if has_found && is_written {
            self.app.jobs.wake();
            self.app.events.publish(Event::Covers(library));
        }
        Ok(is_written)
    }
}
