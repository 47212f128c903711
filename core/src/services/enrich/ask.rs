//! Queries one provider about one item and selects the match from its response.

use std::time::Duration;

use super::best_match::best_match;
use super::matching::Choice;
use super::picture::{self, Fault, further};
use super::provider_session::{ProviderSession, local_pictures};
use super::response::sanitize;
use crate::App;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::image::{Purpose, StoredPicture};
use crate::registry::provider::{AskError, Candidate, Cover, LocalPictures, PictureSubject, Query};
use crate::store::catalogue::person;
use crate::store::cover::picture::{PictureKey, Role};
use crate::store::matches::subject::{self, Subject};
use crate::store::matches::write::{By, DeliveredPictures, Match};
use crate::store::matches::{Attempt, Found, MatchOutcome, link};

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
    /// Creates a match without pictures.
    fn new(subject: &Subject, (candidate, score, by_other_title): ScoredCandidate) -> Self {
        Self {
            keeps_title: subject.kind.keeps_title || by_other_title,
            candidate,
            score,
            picture: None,
            pictures: DeliveredPictures::default(),
            fault: None,
            later: None,
        }
    }

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
    match find(session, subject, by_id) {
        Ok(Some(found)) => with_picture(session, subject, found),
        Ok(None) => Answer::None(None),
        Err(error) => Answer::None(Some(error)),
    }
}

/// Queries a provider like [`ask`], and requests no pictures.
pub(super) fn find(
    session: &ProviderSession<'_>,
    subject: &Subject,
    by_id: Option<&str>,
) -> Result<Option<FoundMatch>, AskError> {
    let found = match by_id {
        Some(id) => one(session, subject, id),
        None => search(session, subject),
    };
    Ok(found?.map(|found| FoundMatch::new(subject, found)))
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
    mut found_match: FoundMatch,
) -> Answer {
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
    let local = local_pictures::read(session, &subject.question);
    let rendered = add_delivered_pictures(session, &mut found_match, &local);
    if let Err(Fault::Stopped) = rendered {
        return Answer::None(Some(AskError::Stopped));
    }
    Answer::Found(Box::new(found_match))
}

/// Renders the pictures that the provider delivered as bytes, and those in the folders of the item,
/// which replace them if they can be read. Those with a URL are fetched after the match is written.
fn add_delivered_pictures(
    session: &ProviderSession<'_>,
    found: &mut FoundMatch,
    local: &LocalPictures,
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
        (Role::Backdrop, &local.backdrop),
        (Role::Logo, &local.logo),
    ] {
        if let Some(picture) = picture
            && let Some(rendered) = render(role, picture)?
        {
            let key = PictureKey::whole(role);
            delivered.of_item.push((key, rendered));
        }
    }
    for one in details.pictures.iter().chain(&local.seasons) {
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
            PictureSubject::Season(season) => {
                let poster = render(Role::Season, &one.picture)?;
                let key = PictureKey::season(*season);
                delivered.of_item.extend(poster.map(|poster| (key, poster)));
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
