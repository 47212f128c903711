//! Candidates of all providers for one item, for a user to choose from.

use std::collections::BTreeMap;
use std::time::Duration;

use super::super::ask;
use super::super::best_match::scores;
use super::super::picture::{self, Fault};
use super::super::provider_session::ProviderSession;
use super::super::response::sanitize;
use super::ChoiceOutcome;
use crate::App;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::image::{Purpose, Size};
use crate::registry::MetadataProvider;
use crate::registry::provider::{Candidate, Cover, Net, Query};
use crate::store::cover::CoverImage;

/// Time for which the address of a candidate's picture is known.
const PICTURE_LIFETIME: Duration = Duration::from_hours(1);

/// Requests per second from which pictures of candidates are offered.
const FEWEST_PER_SECOND: f64 = 1.0;

/// Answer of one provider.
#[derive(Debug)]
pub struct ProviderAnswer {
    /// The provider.
    pub provider: &'static MetadataProvider,
    /// Candidates, the best ones first.
    pub candidates: Vec<ScoredCandidate>,
    /// Reason why there is no answer. The text completes a sentence.
    pub error: Option<String>,
}

/// Candidate with its score.
#[derive(Debug)]
pub struct ScoredCandidate {
    /// Entry of the provider.
    pub candidate: Candidate,
    /// Similarity to the item from 0 to 1; `None` if a fact rules it out.
    pub score: Option<f64>,
    /// `true` if [`candidate_picture`] returns its picture.
    pub has_picture: bool,
}

/// Queries all providers of an item at once. Blocks until the last one has answered. `words` and
/// `year` replace the known values. Returns `None` if the item is gone.
pub fn identify(
    app: &App,
    item: ItemId,
    words: Option<&str>,
    year: Option<i32>,
) -> StoreResult<Option<Vec<ProviderAnswer>>> {
    let Some(subject) = ask::subject(app, item)? else {
        return Ok(None);
    };
    let mut question = match words {
        Some(words) => super::of_words(subject.question, words),
        None => subject.question,
    };
    question.year = year.or(question.year);
    let subkind = question.subkind.clone();
    let serving: Vec<&'static MetadataProvider> = app
        .providers
        .descriptors_of_kind(subject.kind.id)
        .into_iter()
        .filter(|provider| provider.is_remote && provider.serves_subkind(subkind.as_deref()))
        .collect();
    let question = &question;
    let answers = std::thread::scope(|scope| {
        let threads: Vec<_> = serving
            .iter()
            .map(|provider| scope.spawn(move || answer(app, provider, item, question)))
            .collect();
        let joined = threads.into_iter().zip(&serving);
        joined
            .map(|(thread, provider)| thread.join().unwrap_or_else(|_| crashed(provider)))
            .collect()
    });
    Ok(Some(answers))
}

fn crashed(provider: &'static MetadataProvider) -> ProviderAnswer {
    ProviderAnswer {
        provider,
        candidates: Vec::new(),
        error: Some("the response could not be read".to_owned()),
    }
}

fn answer(
    app: &App,
    provider: &'static MetadataProvider,
    item: ItemId,
    question: &Query,
) -> ProviderAnswer {
    let is_stopped = || app.jobs.is_stopping();
    let Some(session) = session(app, provider.id, &is_stopped) else {
        return crashed(provider);
    };
    let found = session.ask(|lookup, net| lookup.search(question, net));
    let (found, error) = match found {
        Ok(found) => (sanitize::candidates(found), None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let graded = scores(question, &found);
    // Pictures of a slow provider would use up its turns.
    let has_pictures = provider.pace.per_second >= FEWEST_PER_SECOND;
    if has_pictures {
        remember_pictures(&session, item, &found);
    }
    let pairs = found.into_iter().zip(graded);
    let mut candidates: Vec<ScoredCandidate> = pairs
        .map(|(candidate, score)| ScoredCandidate {
            has_picture: has_pictures && matches!(candidate.cover, Some(Cover::Address(_))),
            candidate,
            score,
        })
        .collect();
    let grade = |one: &ScoredCandidate| one.score.unwrap_or(-1.0);
    candidates.sort_by(|one, other| grade(other).total_cmp(&grade(one)));
    ProviderAnswer {
        provider,
        candidates,
        error,
    }
}

fn session<'a>(
    app: &'a App,
    provider: &str,
    is_stopped: &'a dyn Fn() -> bool,
) -> Option<ProviderSession<'a>> {
    let provider = app.providers.get(provider)?;
    Some(ProviderSession::interactive(app, provider, is_stopped))
}

/// Key of the URLs of an item's candidates in the state of a provider: a JSON object by entry id.
fn pictures_key(item: ItemId) -> String {
    format!("candidate_pictures:{item}")
}

/// Stores the URLs of the candidates' pictures, so that a page can name a picture by its entry.
fn remember_pictures(session: &ProviderSession<'_>, item: ItemId, found: &[Candidate]) {
    let urls: BTreeMap<&str, &str> = found
        .iter()
        .filter_map(|candidate| match &candidate.cover {
            Some(Cover::Address(url)) => Some((candidate.provider_id.as_str(), url.as_str())),
            _ => None,
        })
        .collect();
    if !urls.is_empty() {
        let urls = serde_json::to_string(&urls).expect("texts are JSON");
        session.remember(&pictures_key(item), &urls, PICTURE_LIFETIME);
    }
}

/// Returns a small image of the picture of a candidate that [`identify`] has found within the last
/// hour. Returns `None` if it is unknown, or if its bytes are not a picture.
pub fn candidate_picture(
    app: &App,
    item: ItemId,
    provider: &str,
    id: &str,
) -> Result<Option<CoverImage>, ChoiceOutcome> {
    let is_stopped = || app.jobs.is_stopping();
    let Some(session) = session(app, provider, &is_stopped) else {
        return Err(ChoiceOutcome::NoProvider);
    };
    let urls = session.remembered(&pictures_key(item)).unwrap_or_default();
    let mut urls: BTreeMap<String, String> = serde_json::from_str(&urls).unwrap_or_default();
    let Some(url) = urls.remove(id) else {
        return Ok(None);
    };
    let found = match picture::render(&session, &Cover::Address(url), Purpose::Cover) {
        Ok(found) => found,
        Err(Fault::Later(error)) => return Err(ChoiceOutcome::NoAnswer(error)),
        Err(Fault::Stopped | Fault::Useless(_)) => return Ok(None),
    };
    let images = found.rendered.map(|rendered| rendered.images);
    let image = images.and_then(|images| images.into_iter().next());
    Ok(image.map(|image| CoverImage {
        hash: found.hash,
        size: Size::Small.as_str().to_owned(),
        mime: image.mime.to_owned(),
        body: image.body,
    }))
}
