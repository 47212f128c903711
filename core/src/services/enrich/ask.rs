//! Queries one provider about one item and selects the match from its response.

use std::time::Duration;

use super::best_match::best_match;
use super::matching::Choice;
use super::payload;
use super::picture::{self, Fault, further};
use super::provider_session::ProviderSession;
use super::response::sanitize;
use crate::App;
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::image::{Purpose, StoredPicture};
use crate::registry::provider::{AskError, Candidate, Cover, PictureSubject, Query};
use crate::store::catalogue::person;
use crate::store::cover::picture::{self as stored_picture, PictureKey, Role};
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::write::{self, By, DeliveredPictures, Match};
use crate::store::matches::{self, Attempt, Found, MatchOutcome, link};

/// Result of a provider query.
#[derive(Debug)]
pub(super) enum Answer {
    /// The provider has a match.
    Found(Box<FoundMatch>),
    /// No reliable match, or no response.
    None(Option<AskError>),
}

/// Item as a provider describes it.
#[derive(Debug)]
pub(super) struct FoundMatch {
    pub(super) candidate: Candidate,
    pub(super) score: Option<f64>,
    /// `true` if the stored title stays: the kind requires it, or the item's title equals an
    /// alternative title of the match.
    keeps_title: bool,
    picture: Option<StoredPicture>,
    /// Further pictures that the provider delivered as bytes.
    pictures: DeliveredPictures,
    /// Reason why there is no picture although the candidate has a cover.
    fault: Option<String>,
    /// Minimum wait before the cover is fetched again, if it must be retried.
    pub(super) later: Option<Duration>,
}

impl FoundMatch {
    pub(super) fn to_match<'a>(&'a self, provider: &'a str, by: By<'a>) -> Match<'a> {
        Match {
            provider,
            candidate: &self.candidate,
            keeps_title: self.keeps_title,
            cover: self.picture.as_ref(),
            pictures: &self.pictures,
            by,
        }
    }
}

impl Attempt {
    /// Returns the attempt that is recorded for an answer.
    pub(super) fn of(provider: &'static str, query: String, answer: &Answer) -> Self {
        let (outcome, found, score, error) = match answer {
            Answer::Found(found_match) => {
                let found = Found {
                    provider_id: found_match.candidate.provider_id.clone(),
                    title: found_match.candidate.title.clone(),
                    year: found_match.candidate.year,
                    authors: person::author_line(&found_match.candidate.authors),
                };
                let fault = found_match.fault.as_ref();
                let when = if found_match.later.is_some() {
                    " yet"
                } else {
                    ""
                };
                let fault = fault.map(|what| format!("There is no cover{when}: {what}."));
                (MatchOutcome::Ok, Some(found), found_match.score, fault)
            }
            Answer::None(None) => (MatchOutcome::Notfound, None, None, None),
            Answer::None(Some(error)) => {
                (MatchOutcome::Failure, None, None, Some(error.to_string()))
            }
        };
        let is_final = match answer {
            Answer::Found(found_match) => found_match.later.is_none(),
            Answer::None(error) => error.is_none(),
        };
        Self {
            provider,
            outcome,
            query,
            found,
            score,
            error,
            is_final,
        }
    }
}

/// Formats a query as text for users.
pub(super) fn query(question: &Query, by_id: Option<&str>) -> String {
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

/// Queries a provider for the match of an item: by the match's id, or by the known values of the
/// item.
pub(super) fn ask(session: &ProviderSession<'_>, subject: &Subject, by_id: Option<&str>) -> Answer {
    let found = match by_id {
        Some(id) => one(session, subject, id),
        None => search(session, subject),
    };
    match found {
        Ok(Some(found)) => with_picture(session, subject, found),
        Ok(None) => Answer::None(None),
        Err(error) => Answer::None(Some(error)),
    }
}

/// Matching candidate, its score, and `true` if an alternative title of it matched.
type ScoredCandidate = (Candidate, Option<f64>, bool);

fn one(
    session: &ProviderSession<'_>,
    subject: &Subject,
    id: &str,
) -> Result<Option<ScoredCandidate>, AskError> {
    let found = session.ask(|lookup, net| lookup.by_id(id, &subject.question, net))?;
    // The response may have another id: the id of the work instead of an edition, or of the record
    // that it was merged into.
    let found = found.and_then(sanitize::candidate);
    Ok(found.map(|found| (found, None, false)))
}

fn search(
    session: &ProviderSession<'_>,
    subject: &Subject,
) -> Result<Option<ScoredCandidate>, AskError> {
    let found = session.ask(|lookup, net| lookup.search(&subject.question, net))?;
    let (item, provider) = (subject.item, session.provider.descriptor.id);
    let read = move |conn: &rusqlite::Connection| link::refused_unscoped(conn, item, provider);
    let refused = session.app.db.read_blocking(read).unwrap_or_default();
    let mut candidates = sanitize::candidates(found);
    candidates.retain(|candidate| !refused.contains(&candidate.provider_id));
    let Choice::Match {
        index,
        score,
        other_title,
    } = best_match(&subject.question, &candidates)
    else {
        return Ok(None);
    };
    let chosen = candidates.into_iter().nth(index);
    Ok(chosen.map(|chosen| (chosen, Some(score), other_title.is_some())))
}

fn with_picture(
    session: &ProviderSession<'_>,
    subject: &Subject,
    scored: ScoredCandidate,
) -> Answer {
    let (candidate, score, by_other_title) = scored;
    let mut found_match = FoundMatch {
        keeps_title: subject.kind.keeps_title || by_other_title,
        candidate,
        score,
        picture: None,
        pictures: DeliveredPictures::default(),
        fault: None,
        later: None,
    };
    // The picture of an item with a chosen cover becomes a candidate.
    if let Some(cover) = &found_match.candidate.cover {
        match picture::take(session, cover, Purpose::Cover) {
            Ok(picture) => found_match.picture = Some(picture),
            Err(Fault::Useless(what)) => found_match.fault = Some(what),
            Err(Fault::Later(error)) => {
                found_match.fault = Some(error.to_string());
                found_match.later = Some(error.retry_after().unwrap_or_default());
            }
            Err(Fault::Stopped) => return Answer::None(Some(AskError::Stopped)),
        }
    }
    if let Err(Fault::Stopped) = add_delivered_pictures(session, &mut found_match) {
        return Answer::None(Some(AskError::Stopped));
    }
    Answer::Found(Box::new(found_match))
}

/// Renders the pictures that the provider delivered as bytes. Those with a URL are fetched after the
/// match is written.
fn add_delivered_pictures(
    session: &ProviderSession<'_>,
    found: &mut FoundMatch,
) -> Result<(), Fault> {
    let render = |role: Role, picture: &Cover| match picture {
        // The match is useful without a picture that cannot be read.
        Cover::Bytes(_) => match picture::take(session, picture, further::purpose(role)) {
            Ok(rendered) => Ok(Some(rendered)),
            Err(Fault::Stopped) => Err(Fault::Stopped),
            Err(Fault::Later(_) | Fault::Useless(_)) => Ok(None),
        },
        Cover::Address(_) => Ok(None),
    };
    let (details, delivered) = (&found.candidate.details, &mut found.pictures);
    for (role, picture) in [
        (Role::Backdrop, &details.backdrop),
        (Role::Logo, &details.logo),
    ] {
        if let Some(picture) = picture
            && let Some(rendered) = render(role, picture)?
        {
            let key = PictureKey::whole(role);
            delivered.of_item.push((key, rendered));
        }
    }
    for one in &details.pictures {
        if (session.is_stopped)() {
            return Err(Fault::Stopped);
        }
        match &one.of {
            PictureSubject::Person(name) => {
                let portrait = render(Role::Portrait, &one.picture)?;
                delivered
                    .portraits
                    .extend(portrait.map(|portrait| (name.clone(), portrait)));
            }
            PictureSubject::Episode { season, number } => {
                let key = PictureKey::still(*season, *number);
                let still = render(Role::Still, &one.picture)?;
                delivered.of_item.extend(still.map(|still| (key, still)));
            }
        }
    }
    Ok(())
}

/// Result of a user's choice of a match.
#[derive(Debug)]
pub enum ChoiceOutcome {
    /// The choice is the item's match now.
    Done,
    /// The item does not exist, or no provider serves its kind.
    NoItem,
    /// No provider with this id serves the item's kind.
    NoProvider,
    /// The provider has no entry with this id.
    NoSuchId,
    /// The provider gave no usable response.
    NoAnswer(AskError),
}

/// Makes a provider's entry the match of an item, because a user chose it. Blocks during the
/// provider request. The user's access is checked again when the match is written.
pub fn choose(
    app: &App,
    item: VisibleItem,
    provider: &str,
    id: &str,
) -> StoreResult<ChoiceOutcome> {
    let is_stopped = || app.jobs.is_stopping();
    let (subject, session) = match ready(app, item.id(), provider, &is_stopped)? {
        Ok(ready) => ready,
        Err(why) => return Ok(why),
    };
    let answer = ask(&session, &subject, Some(id));
    let outcome = match &answer {
        Answer::Found(_) => ChoiceOutcome::Done,
        // A mistyped id is not an attempt for the item, so it is not recorded.
        Answer::None(None) => return Ok(ChoiceOutcome::NoSuchId),
        Answer::None(Some(error)) => ChoiceOutcome::NoAnswer(error.clone()),
    };
    let query = query(&subject.question, Some(id));
    let attempt = Attempt::of(session.provider.descriptor.id, query, &answer);
    let now = app.clock.now();
    let is_written = app.db.write_blocking(move |tx| {
        let Some(item) = item.again(tx)?.map(VisibleItem::id) else {
            return Ok(false);
        };
        if let Answer::Found(found_match) = &answer {
            let wanted = found_match.to_match(attempt.provider, By::Person);
            if !write::apply(tx, item, &wanted)? {
                return Ok(false);
            }
            crate::store::cover::request_job(tx, now)?;
            if stored_picture::next_of_item_unscoped(tx, item, 0)?.is_some() {
                super::request::request_item(tx, item, false, now)?;
            } else if let Some(rest) = found_match.later {
                payload::try_item_again(tx, item, rest, now)?;
            }
        }
        matches::record(tx, item, &attempt, now).map(|()| true)
    })?;
    app.jobs.wake();
    Ok(if is_written {
        outcome
    } else {
        ChoiceOutcome::NoItem
    })
}

/// Returns a provider's candidates for an item, for a user to choose from. Blocks during the
/// provider request. `words` replace the known title and authors.
pub fn candidates(
    app: &App,
    item: ItemId,
    provider: &str,
    words: Option<&str>,
) -> StoreResult<Result<Vec<Candidate>, ChoiceOutcome>> {
    let is_stopped = || app.jobs.is_stopping();
    let (mut subject, session) = match ready(app, item, provider, &is_stopped)? {
        Ok(ready) => ready,
        Err(why) => return Ok(Err(why)),
    };
    if let Some(words) = words {
        subject.question = of_words(subject.question, words);
    }
    let found = session.ask(|lookup, net| lookup.search(&subject.question, net));
    Ok(found
        .map(sanitize::candidates)
        .map_err(ChoiceOutcome::NoAnswer))
}

/// Returns a query for these words instead of the known values.
pub(super) fn of_words(question: Query, words: &str) -> Query {
    Query {
        kind: question.kind,
        subkind: question.subkind,
        title: words.to_owned(),
        stored_title: words.to_owned(),
        languages: question.languages,
        rules: question.rules,
        folders: question.folders,
        ..Query::default()
    }
}

type Ready<'a> = Result<(Subject, ProviderSession<'a>), ChoiceOutcome>;

fn ready<'a>(
    app: &'a App,
    item: ItemId,
    provider: &str,
    is_stopped: &'a dyn Fn() -> bool,
) -> StoreResult<Ready<'a>> {
    let Some(subject) = subject(app, item)? else {
        return Ok(Err(ChoiceOutcome::NoItem));
    };
    let provider = app.providers.get(provider);
    let Some(provider) = provider.filter(|provider| provider.descriptor.serves(subject.kind.id))
    else {
        return Ok(Err(ChoiceOutcome::NoProvider));
    };
    let session = ProviderSession::interactive(app, provider, is_stopped);
    Ok(Ok((subject, session)))
}

/// Reads the data of an item for queries, with the languages of the settings. Returns `None` if the
/// item is gone.
pub(super) fn subject(app: &App, item: ItemId) -> StoreResult<Option<Subject>> {
    let registry = app.registry.clone();
    let read = move |conn: &rusqlite::Connection| subject::of_unscoped(conn, &registry, item);
    let mut subject = app.db.read_blocking(read)?;
    if let Some(subject) = &mut subject {
        subject.question.languages = app.providers.languages();
    }
    Ok(subject)
}
