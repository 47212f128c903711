//! One item: the providers of its kind are asked in their order, until one knows it.

use std::time::Duration;

use super::ask::{self, Answer};
use super::line::{Line, PATIENT};
use super::providers::Provider;
use crate::App;
use crate::clock::Timestamp;
use crate::cover;
use crate::events::Event;
use crate::id::ItemId;
use crate::jobs::JobError;
use crate::registry::provider::AskError;
use crate::store::matches::due::{self, Answers};
use crate::store::matches::link::Link;
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::write::{self, By};
use crate::store::matches::{self, Attempt, MatchOutcome};

/// What came of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A provider knew it.
    Matched,
    /// None did.
    Notfound,
    /// One gave no answer, and none that was asked knew it.
    Failed,
    /// Nobody was asked: what was answered before or what a person decided stands, or nobody knows
    /// about its kind.
    Standing,
}

impl Outcome {
    /// The word in a job's result.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::Notfound => "notfound",
            Self::Failed => "failed",
            Self::Standing => "standing",
        }
    }
}

/// How it went with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Went {
    pub(super) outcome: Outcome,
    /// Whether something is to be asked for again, and how long to wait at least: a provider, or
    /// the cover of what was found.
    pub(super) again: Option<Duration>,
}

impl Went {
    pub(super) const STANDING: Self = Self {
        outcome: Outcome::Standing,
        again: None,
    };

    fn again(&mut self, rest: Duration) {
        self.again = self.again.max(Some(rest));
    }
}

/// What one provider makes of an item.
enum Said {
    /// It knows it; `again` if its cover is to be fetched later.
    Matched { again: Option<Duration> },
    /// It does not.
    Notfound,
    /// It gave no answer, or wants to be left alone; for how long, if it said so.
    Nothing(Duration),
    /// The answer came too late: the item is gone, or a person decided meanwhile.
    Moot,
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
    pub(super) fn go_through(&self, item: ItemId) -> Result<Went, JobError> {
        let Some(answers) = self.answers(item)? else {
            return Ok(Went::STANDING);
        };
        let mut went = Went::STANDING;
        // Read only if somebody is asked.
        let mut known: Option<Subject> = None;
        for provider in self.app.providers.of_kind(&answers.kind) {
            let id = provider.descriptor.id;
            if answers.is_passed_over(id) {
                continue;
            }
            match answers.standing(id, self.since, self.app.clock.now()) {
                Some((MatchOutcome::Ok, _)) => break,
                Some(_) => continue,
                None => {}
            }
            let said = match provider.client.rest() {
                Some(rest) => Said::Nothing(rest),
                None => match self.subject(item, &mut known)? {
                    Some(subject) => self.ask(subject, provider, answers.chosen.as_ref())?,
                    None => Said::Moot,
                },
            };
            match said {
                Said::Matched { again } => {
                    went.outcome = Outcome::Matched;
                    went.again = went.again.max(again);
                    break;
                }
                Said::Notfound if went.outcome == Outcome::Standing => {
                    went.outcome = Outcome::Notfound;
                }
                Said::Notfound => {}
                Said::Nothing(rest) => {
                    went.outcome = Outcome::Failed;
                    went.again(rest);
                    if answers.is_source(id) {
                        // A good match is not given up because its provider is out of reach.
                        break;
                    }
                }
                Said::Moot => return Ok(Went::STANDING),
            }
        }
        Ok(went)
    }

    fn answers(&self, item: ItemId) -> Result<Option<Answers>, JobError> {
        let read = move |conn: &rusqlite::Connection| due::answers_unscoped(conn, item);
        Ok(self.app.db.read_blocking(read)?)
    }

    fn subject<'a>(
        &self,
        item: ItemId,
        known: &'a mut Option<Subject>,
    ) -> Result<Option<&'a Subject>, JobError> {
        if known.is_none() {
            let registry = self.app.registry.clone();
            let read =
                move |conn: &rusqlite::Connection| subject::of_unscoped(conn, &registry, item);
            *known = self.app.db.read_blocking(read)?;
        }
        Ok(known.as_ref())
    }

    fn ask(
        &self,
        subject: &Subject,
        provider: &Provider,
        chosen: Option<&Link>,
    ) -> Result<Said, JobError> {
        let line = Line {
            app: self.app,
            provider,
            patience: PATIENT,
            is_awaited: false,
            is_stopped: self.is_stopped,
        };
        let by_id = chosen.map(|(_, id)| id.as_str());
        let answer = ask::ask(&line, subject, by_id);
        let said = match &answer {
            Answer::None(Some(AskError::Stopped)) => return Err(JobError::Stopping),
            Answer::Found(found) => Said::Matched { again: found.later },
            Answer::None(None) => Said::Notfound,
            Answer::None(Some(error)) => Said::Nothing(error.retry_after().unwrap_or_default()),
        };
        let query = ask::query(&subject.question, by_id);
        let attempt = Attempt::of(provider.descriptor.id, query, &answer);
        let is_written = self.write(subject, attempt, answer, chosen)?;
        Ok(if is_written { said } else { Said::Moot })
    }

    /// `false` if nothing was written, as the item is gone or a person decided meanwhile.
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
                // Where another match went, so did its cover, and the item's own may stand again.
                cover::request(tx, now)?;
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
