//! Details of people: requested after a page showed the person.

use super::ProviderSession;
use crate::App;
use crate::access::VisiblePerson;
use crate::enrich::response::details::person_details;
use crate::error::StoreResult;
use crate::registry::provider::{AskError, ExternalId, PersonDetails};
use crate::store::matches::person_detail::{self, PersonAnswer};

/// Requests the details of a person and stores them. Does nothing if a stored answer is valid.
///
/// The providers are asked by rank until one has a biography. An answer can contain the id that the
/// next provider accepts: a musician's entry refers to Wikidata.
pub fn fetch_person(app: &App, person: VisiblePerson) -> StoreResult<()> {
    let now = app.clock.now();
    let due = move |conn: &rusqlite::Connection| person_detail::due(conn, person, now);
    let ids = app.db.read_blocking(due)?;
    let Some(answer) = ask(app, ids) else {
        return Ok(());
    };
    let now = app.clock.now();
    app.db
        .write_blocking(move |tx| person_detail::set(tx, person.id(), &answer, now))
}

/// Returns `None` if no provider could be asked, or if the server is stopping.
fn ask(app: &App, mut ids: Vec<ExternalId>) -> Option<PersonAnswer> {
    let is_stopped = || app.jobs.is_stopping();
    let languages = app.providers.languages();
    let mut answer = PersonAnswer::default();
    let mut has_asked = false;
    for provider in app.providers.iter() {
        if answer.details.biography.is_some() {
            break;
        }
        if !provider.descriptor.people.accepts(&ids) {
            continue;
        }
        if let Some(rest) = provider.client.pause() {
            answer.failure = answer.failure.max(Some(rest));
            continue;
        }
        has_asked = true;
        let id = provider.descriptor.id;
        let session = ProviderSession::interactive(app, provider, &is_stopped);
        match session.ask(|lookup, net| lookup.person(&ids, &languages, net)) {
            Ok(Some(found)) => {
                let found = person_details(found);
                ids.extend(found.external_ids.iter().cloned());
                add(&mut answer, id, found);
            }
            Ok(None) => {}
            Err(AskError::Stopped) => return None,
            Err(error) => {
                tracing::debug!(provider = id, %error, "no details of a person");
                let wait = error.retry_after().unwrap_or_default();
                answer.failure = answer.failure.max(Some(wait));
            }
        }
    }
    has_asked.then_some(answer)
}

/// Adds the details of a provider to those of the earlier ones.
fn add(answer: &mut PersonAnswer, provider: &'static str, found: PersonDetails) {
    let has_dates = |one: &PersonDetails| one.born.is_some() || one.died.is_some();
    let found_dates = has_dates(&found);
    let known = &mut answer.details;
    known.biography = known.biography.take().or(found.biography);
    if answer.providers.is_empty() || (!has_dates(known) && found_dates) {
        // Values of one provider belong together: the dates of a group mean its existence.
        known.is_group = found.is_group;
        (known.born, known.died) = (found.born, found.died);
    }
    known.birthplace = known.birthplace.take().or(found.birthplace);
    for link in found.links {
        if !known.links.iter().any(|one| one.url == link.url) {
            known.links.push(link);
        }
    }
    for id in found.external_ids {
        if ExternalId::find(&known.external_ids, &id.database).is_none() {
            known.external_ids.push(id);
        }
    }
    if let Some(url) = found.portrait {
        answer.portrait.get_or_insert((provider, url));
    }
    answer.providers.push(provider);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::provider::DetailLink;

    #[test]
    fn first_provider_with_a_value_provides_it() {
        let link = |url: &str| DetailLink {
            label: "Site".to_owned(),
            url: url.to_owned(),
        };
        let mut answer = PersonAnswer::default();
        let first = PersonDetails {
            died: Some("1788".to_owned()),
            links: vec![link("https://a.example/")],
            external_ids: vec![ExternalId::new("wikidata", "Q1")],
            ..PersonDetails::default()
        };
        let second = PersonDetails {
            biography: Some("A text.".to_owned()),
            born: Some("1723".to_owned()),
            birthplace: Some("Nobber".to_owned()),
            links: vec![link("https://b.example/"), link("https://a.example/")],
            external_ids: vec![ExternalId::new("wikidata", "Q2")],
            portrait: Some("https://b.example/1.jpg".to_owned()),
            ..PersonDetails::default()
        };
        add(&mut answer, "first", first);
        add(&mut answer, "second", second);
        let known = &answer.details;
        assert_eq!(known.biography.as_deref(), Some("A text."));
        assert_eq!((&known.born, known.died.as_deref()), (&None, Some("1788")));
        assert_eq!(known.birthplace.as_deref(), Some("Nobber"));
        let urls: Vec<&str> = known.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://a.example/", "https://b.example/"]);
        assert_eq!(known.external_ids, [ExternalId::new("wikidata", "Q1")]);
        assert_eq!(answer.providers, ["first", "second"]);
        let portrait = answer.portrait.expect("a portrait");
        assert_eq!(portrait.0, "second");
    }
}
