//! Asking one provider about one item, and what of its answer is meant.

use std::time::Duration;

use super::among::among;
use super::job;
use super::line::{IMPATIENT, Line};
use super::matching::Choice;
use super::picture::{self, Fault};
use super::tidy;
use crate::App;
use crate::access::VisibleItem;
use crate::cover::Picture;
use crate::id::ItemId;
use crate::registry::provider::{AskError, Candidate, Question};
use crate::store::catalogue::source;
use crate::store::matches::link;
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::write::{self, By, Match};
use crate::store::matches::{self, Attempt, Found, MatchOutcome};
use crate::store::{StoreResult, person};

/// What asking a provider brings.
#[derive(Debug)]
pub(super) enum Answer {
    /// The item.
    Found(Box<Known>),
    /// Nothing that is surely meant, or no answer.
    None(Option<AskError>),
}

/// An item as a provider knows it.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) candidate: Candidate,
    pub(super) score: Option<f64>,
    /// Whether the stored title stays: the kind wants that, or the item bears one of its others.
    keeps_title: bool,
    picture: Option<Picture>,
    /// Why there is no picture though there is a cover.
    fault: Option<String>,
    /// Whether the cover is to be fetched later, and how long to wait at least.
    pub(super) later: Option<Duration>,
}

impl Known {
    pub(super) fn to_match<'a>(&'a self, provider: &'a str, by: By<'a>) -> Match<'a> {
        Match {
            provider,
            candidate: &self.candidate,
            keeps_title: self.keeps_title,
            cover: self.picture.as_ref(),
            by,
        }
    }
}

impl Attempt {
    /// What is recorded of an answer.
    pub(super) fn of(provider: &'static str, query: String, answer: &Answer) -> Self {
        let (outcome, found, score, error) = match answer {
            Answer::Found(known) => {
                let found = Found {
                    provider_id: known.candidate.provider_id.clone(),
                    title: known.candidate.title.clone(),
                    year: known.candidate.year,
                    authors: person::author_line(&known.candidate.authors),
                };
                let fault = known.fault.as_ref();
                let when = if known.later.is_some() { " yet" } else { "" };
                let fault = fault.map(|what| format!("There is no cover{when}: {what}."));
                (MatchOutcome::Ok, Some(found), known.score, fault)
            }
            Answer::None(None) => (MatchOutcome::Notfound, None, None, None),
            Answer::None(Some(error)) => {
                (MatchOutcome::Failure, None, None, Some(error.to_string()))
            }
        };
        let stands = match answer {
            Answer::Found(known) => known.later.is_none(),
            Answer::None(error) => error.is_none(),
        };
        Self {
            provider,
            outcome,
            query,
            found,
            score,
            error,
            stands,
        }
    }
}

/// What is asked, in words for people.
pub(super) fn query(question: &Question, by_id: Option<&str>) -> String {
    if let Some(id) = by_id {
        return format!("id {id}");
    }
    let mut parts = vec![question.title.clone()];
    parts.extend(question.authors.iter().take(3).cloned());
    parts.extend(question.platform.clone());
    parts.extend(question.year.map(|year| year.to_string()));
    parts.extend(question.isbns.first().map(|isbn| format!("ISBN {isbn}")));
    parts.join(" · ").chars().take(500).collect()
}

/// Asks for the one that is meant: by its id, or by what is known of the item.
pub(super) fn ask(line: &Line<'_>, subject: &Subject, by_id: Option<&str>) -> Answer {
    let found = match by_id {
        Some(id) => one(line, subject, id),
        None => search(line, subject),
    };
    match found {
        Ok(Some(found)) => with_picture(line, subject, found),
        Ok(None) => Answer::None(None),
        Err(error) => Answer::None(Some(error)),
    }
}

/// A candidate that is meant, how well it fits, and whether by another of its titles.
type Meant = (Candidate, Option<f64>, bool);

fn one(line: &Line<'_>, subject: &Subject, id: &str) -> Result<Option<Meant>, AskError> {
    let found = line.ask(|asks, net| asks.by_id(id, &subject.question, net))?;
    // Its id may be another one: that of the work where an edition's was asked for, or of what it
    // was merged into.
    let found = found.and_then(tidy::candidate);
    Ok(found.map(|found| (found, None, false)))
}

fn search(line: &Line<'_>, subject: &Subject) -> Result<Option<Meant>, AskError> {
    let found = line.ask(|asks, net| asks.search(&subject.question, net))?;
    let (item, provider) = (subject.item, line.provider.descriptor.id);
    let read = move |conn: &rusqlite::Connection| link::refused_unscoped(conn, item, provider);
    let refused = line.app.db.read_blocking(read).unwrap_or_default();
    let mut candidates = tidy::candidates(found);
    candidates.retain(|candidate| !refused.contains(&candidate.provider_id));
    let Choice::Match {
        index,
        score,
        other_title,
    } = among(&subject.question, &candidates)
    else {
        return Ok(None);
    };
    let chosen = candidates.into_iter().nth(index);
    Ok(chosen.map(|chosen| (chosen, Some(score), other_title.is_some())))
}

fn with_picture(line: &Line<'_>, subject: &Subject, meant: Meant) -> Answer {
    let (candidate, score, by_other_title) = meant;
    let mut known = Known {
        keeps_title: subject.kind.keeps_title || by_other_title,
        candidate,
        score,
        picture: None,
        fault: None,
        later: None,
    };
    let wanted = known.candidate.cover.as_ref();
    if let Some(cover) = wanted.filter(|_| subject.cover_source < source::PERSON) {
        match picture::take(line, cover) {
            Ok(picture) => known.picture = Some(picture),
            Err(Fault::Useless(what)) => known.fault = Some(what),
            Err(Fault::Later(error)) => {
                known.fault = Some(error.to_string());
                known.later = Some(error.retry_after().unwrap_or_default());
            }
            Err(Fault::Stopped) => return Answer::None(Some(AskError::Stopped)),
        }
    }
    Answer::Found(Box::new(known))
}

/// What came of a person's choice.
#[derive(Debug)]
pub enum Choosing {
    /// It is the match now.
    Done,
    /// The item is gone, or of a kind that nobody knows about.
    NoItem,
    /// There is no such provider for this kind.
    NoProvider,
    /// The provider has nothing with this id.
    NoSuchId,
    /// The provider gave no answer.
    NoAnswer(AskError),
}

/// Takes what a provider has under an id as an item's match, because a person says so. Blocks
/// while the provider is asked; whether the person may is asked again when it is written.
pub fn choose(app: &App, item: VisibleItem, provider: &str, id: &str) -> StoreResult<Choosing> {
    let is_stopped = || app.jobs.is_stopping();
    let (subject, line) = match ready(app, item.id(), provider, &is_stopped)? {
        Ok(ready) => ready,
        Err(why) => return Ok(why),
    };
    let answer = ask(&line, &subject, Some(id));
    let outcome = match &answer {
        Answer::Found(_) => Choosing::Done,
        // A mistyped id says nothing of the item.
        Answer::None(None) => return Ok(Choosing::NoSuchId),
        Answer::None(Some(error)) => Choosing::NoAnswer(error.clone()),
    };
    let query = query(&subject.question, Some(id));
    let attempt = Attempt::of(line.provider.descriptor.id, query, &answer);
    let now = app.clock.now();
    let is_written = app.db.write_blocking(move |tx| {
        let Some(item) = item.again(tx)?.map(VisibleItem::id) else {
            return Ok(false);
        };
        if let Answer::Found(known) = &answer {
            let wanted = known.to_match(attempt.provider, By::Person);
            if !write::apply(tx, item, &wanted)? {
                return Ok(false);
            }
            crate::cover::request(tx, now)?;
            if let Some(rest) = known.later {
                job::try_item_again(tx, item, rest, now)?;
            }
        }
        matches::record(tx, item, &attempt, now).map(|()| true)
    })?;
    app.jobs.wake();
    Ok(if is_written {
        outcome
    } else {
        Choosing::NoItem
    })
}

/// What a provider has that may be an item, for a person to choose from; blocks while it is asked.
/// `words` take the place of the title and the authors that are known.
pub fn candidates(
    app: &App,
    item: ItemId,
    provider: &str,
    words: Option<&str>,
) -> StoreResult<Result<Vec<Candidate>, Choosing>> {
    let is_stopped = || app.jobs.is_stopping();
    let (mut subject, line) = match ready(app, item, provider, &is_stopped)? {
        Ok(ready) => ready,
        Err(why) => return Ok(Err(why)),
    };
    if let Some(words) = words {
        let places = std::mem::take(&mut subject.question.places);
        subject.question = Question {
            kind: subject.question.kind,
            title: words.to_owned(),
            stored_title: words.to_owned(),
            places,
            ..Question::default()
        };
    }
    let found = line.ask(|asks, net| asks.search(&subject.question, net));
    Ok(found.map(tidy::candidates).map_err(Choosing::NoAnswer))
}

type Ready<'a> = Result<(Subject, Line<'a>), Choosing>;

fn ready<'a>(
    app: &'a App,
    item: ItemId,
    provider: &str,
    is_stopped: &'a dyn Fn() -> bool,
) -> StoreResult<Ready<'a>> {
    let registry = app.registry.clone();
    let subject = app
        .db
        .read_blocking(move |conn| subject::of_unscoped(conn, &registry, item))?;
    let Some(subject) = subject else {
        return Ok(Err(Choosing::NoItem));
    };
    let provider = app.providers.get(provider);
    let Some(provider) = provider.filter(|known| known.descriptor.serves(subject.kind.id)) else {
        return Ok(Err(Choosing::NoProvider));
    };
    let line = Line {
        app,
        provider,
        patience: IMPATIENT,
        is_awaited: true,
        is_stopped,
    };
    Ok(Ok((subject, line)))
}
