//! One item: the providers of its kind are asked in their order, until one knows it.

use std::time::Duration;

use super::ask::{self, Answer};
use super::line::{Line, PATIENT};
use super::providers::Provider;
use crate::App;
use crate::clock::Timestamp;
use crate::events::Event;
use crate::id::ItemId;
use crate::jobs::JobError;
use crate::registry::provider::AskError;
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::{self, Attempt, MatchOutcome, Standing, write};

/// What came of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A provider knew it.
    Matched,
    /// None did.
    Notfound,
    /// None did, and one gave no answer; it wants to be left alone for so long.
    Failed(Option<Duration>),
    /// Nobody was asked: what was answered before stands, or nobody knows about its kind.
    Standing,
}

impl Outcome {
    /// The word in a job's result.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Notfound => "notfound",
            Self::Failed(_) => "failed",
            Self::Standing => "standing",
        }
    }
}

/// How an item is gone through.
pub(super) struct Going<'a> {
    pub(super) app: &'a App,
    /// Answers from before this time do not stand; `None` where all do.
    pub(super) since: Option<Timestamp>,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

impl Going<'_> {
    /// Asks about an item whoever has not answered yet.
    pub(super) fn go_through(&self, item: ItemId) -> Result<Outcome, JobError> {
        let registry = self.app.registry.clone();
        let known = self.app.db.read_blocking(move |conn| {
            let Some(subject) = subject::of_unscoped(conn, &registry, item)? else {
                return Ok(None);
            };
            let newest = matches::newest_unscoped(conn, item)?;
            let chosen = matches::chosen_unscoped(conn, item)?;
            Ok(Some((subject, newest, chosen)))
        })?;
        let Some((subject, newest, chosen)) = known else {
            return Ok(Outcome::Standing);
        };
        let mut outcome = Outcome::Standing;
        for provider in self.app.providers.of_kind(subject.kind.id) {
            let id = provider.descriptor.id;
            // Where a person has chosen, nobody else is asked.
            let wanted = chosen
                .as_ref()
                .map(|(provider, id)| (provider.as_str(), id));
            if wanted.is_some_and(|(provider, _)| provider != id) {
                continue;
            }
            match newest.get(id).filter(|standing| self.stands(standing)) {
                Some(standing) if standing.outcome == MatchOutcome::Ok => return Ok(outcome),
                Some(_) => continue,
                None => {}
            }
            let by_id = wanted.map(|(_, id)| id.as_str());
            match self.ask(&subject, provider, by_id)? {
                Outcome::Matched => return Ok(Outcome::Matched),
                Outcome::Failed(rest) => {
                    let before = match outcome {
                        Outcome::Failed(before) => before,
                        _ => None,
                    };
                    outcome = Outcome::Failed(before.max(rest));
                }
                _ if outcome == Outcome::Standing => outcome = Outcome::Notfound,
                _ => {}
            }
        }
        Ok(outcome)
    }

    fn stands(&self, standing: &Standing) -> bool {
        let now = self.app.clock.now();
        standing.expires_at.is_some_and(|until| until > now)
            && self.since.is_none_or(|since| standing.fetched_at >= since)
    }

    fn ask(
        &self,
        subject: &Subject,
        provider: &Provider,
        by_id: Option<&str>,
    ) -> Result<Outcome, JobError> {
        let line = Line {
            app: self.app,
            provider,
            patience: PATIENT,
            is_stopped: self.is_stopped,
        };
        let answer = ask::ask(&line, subject, by_id);
        if matches!(answer, Answer::None(Some(AskError::Stopped))) {
            return Err(JobError::Stopping);
        }
        let outcome = match &answer {
            Answer::Found(_) => Outcome::Matched,
            Answer::None(None) => Outcome::Notfound,
            Answer::None(Some(error)) => Outcome::Failed(error.retry_after()),
        };
        let is_written = self.write(subject, provider, by_id, answer)?;
        // Undone by a person while it was on its way.
        Ok(if is_written {
            outcome
        } else {
            Outcome::Notfound
        })
    }

    fn write(
        &self,
        subject: &Subject,
        provider: &Provider,
        by_id: Option<&str>,
        answer: Answer,
    ) -> Result<bool, JobError> {
        let query = ask::query(&subject.question, by_id);
        let attempt = Attempt::of(provider.descriptor.id, query, &answer);
        let (item, library) = (subject.item, subject.library);
        let now = self.app.clock.now();
        let has_found = matches!(answer, Answer::Found(_));
        let written = self.app.db.bulk_blocking(move |tx| {
            if subject::library_unscoped(tx, item)?.is_none() {
                return Ok(false);
            }
            matches::record(tx, item, &attempt, now)?;
            match &answer {
                Answer::Found(found) => {
                    write::apply(tx, item, &found.to_match(attempt.provider, false))
                }
                Answer::None(_) => Ok(true),
            }
        })?;
        if has_found && written {
            self.app.events.publish(Event::Covers(library));
        }
        Ok(written)
    }
}
