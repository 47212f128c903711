//! Choice of a match by a user: candidates, previews, and the choice itself.

mod identify;
mod preview;

use super::ask::{self, Answer, ask, query};
use super::payload;
use super::provider_session::ProviderSession;
use super::response::sanitize;
use crate::App;
use crate::access::VisibleItem;
use crate::error::StoreResult;
use crate::id::ItemId;
use crate::registry::provider::{AskError, Candidate, Query};
use crate::store::cover;
use crate::store::cover::picture as stored_picture;
use crate::store::matches::subject::Subject;
use crate::store::matches::write::{self, By};
use crate::store::matches::{self, Attempt};

pub use identify::{ProviderAnswer, ScoredCandidate, candidate_picture, identify};
pub use preview::{
    EntryPreview, FieldChange, RefreshPreview, next_of_library, preview_entry, preview_refresh,
};

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
            cover::request_job(tx, now)?;
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
fn of_words(question: Query, words: &str) -> Query {
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

/// Returns the data of an item for queries, and the access to a provider of its kind.
fn ready<'a>(
    app: &'a App,
    item: ItemId,
    provider: &str,
    is_stopped: &'a dyn Fn() -> bool,
) -> StoreResult<Ready<'a>> {
    let Some(subject) = ask::subject(app, item)? else {
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
