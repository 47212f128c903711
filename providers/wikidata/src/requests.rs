//! Requests to Wikidata: an item by its id in another database, then the names of the items that it
//! refers to.

use form_urlencoded::Serializer;
use ledge_core::enrich::shape;
use ledge_core::registry::provider::{
    AskError, Base, Candidate, ExternalId, Lookup, Net, PersonDetails, Query, Settings,
};
use serde_json::Value;

use crate::entity::{self, Entity};
use crate::properties;

/// Entry that a test of the connection requests: the universe.
const CHECKED: &str = "Q1";

/// Client for the configured address.
#[derive(Debug)]
pub(crate) struct Wikidata {
    base: Base,
}

impl Lookup for Wikidata {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let direct = question.external_id("wikidata");
        let ids = properties::known(question);
        let id = match direct.and_then(properties::item_id) {
            Some(id) => Some(id),
            None if ids.is_empty() => None,
            None => self.find(&ids, net)?,
        };
        let Some(id) = id else {
            return Ok(Vec::new());
        };
        let Some(entity) = self.entity(&id, &languages(&question.languages), net)? else {
            return Ok(Vec::new());
        };
        // The index of the search may be older than the item.
        if direct.is_none() && !entity.has_one_of(&ids) {
            return Ok(Vec::new());
        }
        let candidate = self.candidate(&entity, question, net)?;
        Ok(vec![Candidate {
            is_certain: true,
            ..with_own_title(candidate, question)
        }])
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let Some(id) = properties::item_id(provider_id) else {
            return Ok(None);
        };
        match self.entity(&id, &languages(&question.languages), net)? {
            Some(entity) => Ok(Some(with_own_title(
                self.candidate(&entity, question, net)?,
                question,
            ))),
            None => Ok(None),
        }
    }

    fn check(&self, question: &Query, net: &dyn Net) -> Result<(), AskError> {
        let languages = languages(&question.languages);
        self.entity(CHECKED, &languages, net).map(drop)
    }

    fn person(
        &self,
        ids: &[ExternalId],
        wanted: &[String],
        net: &dyn Net,
    ) -> Result<Option<PersonDetails>, AskError> {
        let id = ExternalId::find(ids, "wikidata").and_then(properties::item_id);
        let languages = languages(wanted);
        let entity = match id {
            Some(id) => self.entity(&id, &languages, net)?,
            None => None,
        };
        let Some(entity) = entity else {
            return Ok(None);
        };
        let birthplace = match entity.birthplace() {
            Some(place) => self.labels(&[place], &languages, net)?.pop(),
            None => None,
        };
        Ok(Some(entity.person(birthplace.map(|(_, label)| label))))
    }
}

/// Keeps the title of the item: a label may lack an edition or a subtitle. The label becomes an
/// alternative title, so that users see it.
fn with_own_title(candidate: Candidate, question: &Query) -> Candidate {
    if question.stored_title.is_empty() || question.stored_title == candidate.title {
        return candidate;
    }
    let mut other_titles = candidate.other_titles;
    other_titles.insert(0, candidate.title);
    Candidate {
        title: question.stored_title.clone(),
        other_titles,
        ..candidate
    }
}

impl Wikidata {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
        }
    }

    /// Returns the only item with one of these statements. Several items are ambiguous: one of
    /// them may be another form of the work.
    fn find(
        &self,
        ids: &[(&'static str, String)],
        net: &dyn Net,
    ) -> Result<Option<String>, AskError> {
        let statements: Vec<String> = ids
            .iter()
            .map(|(property, value)| format!("{property}={value}"))
            .collect();
        let answer = self.call(
            &[
                ("action", "query"),
                ("list", "search"),
                ("srnamespace", "0"),
                ("srlimit", "2"),
                ("srprop", ""),
                (
                    "srsearch",
                    &format!("haswbstatement:{}", statements.join("|")),
                ),
            ],
            net,
        )?;
        let query = shape::object(&answer)?.get("query");
        let found = shape::list(query.unwrap_or(&Value::Null), "search")?;
        let ids = shape::read_entries(found, 2, |entry| {
            let title = shape::text(entry, "title")?;
            Ok(title.as_deref().and_then(properties::item_id))
        })?;
        match <[String; 1]>::try_from(ids) {
            Ok([id]) => Ok(Some(id)),
            Err(_) => Ok(None),
        }
    }

    fn entity(
        &self,
        id: &str,
        languages: &[String],
        net: &dyn Net,
    ) -> Result<Option<Entity>, AskError> {
        let sites: Vec<String> = languages.iter().map(|code| format!("{code}wiki")).collect();
        let answer = self.call(
            &[
                ("action", "wbgetentities"),
                ("ids", id),
                ("props", "labels|descriptions|claims|sitelinks/urls"),
                ("languages", &languages.join("|")),
                ("sitefilter", &sites.join("|")),
            ],
            net,
        )?;
        entity::entity(&answer, id, languages)
    }

    fn candidate(
        &self,
        entity: &Entity,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Candidate, AskError> {
        let related = entity.related();
        if related.is_empty() {
            return Ok(entity.candidate(&[]));
        }
        let labels = self.labels(&related, &languages(&question.languages), net)?;
        Ok(entity.candidate(&labels))
    }

    /// Returns the ids of items and their labels.
    fn labels(
        &self,
        ids: &[String],
        languages: &[String],
        net: &dyn Net,
    ) -> Result<Vec<(String, String)>, AskError> {
        let answer = self.call(
            &[
                ("action", "wbgetentities"),
                ("ids", &ids.join("|")),
                ("props", "labels"),
                ("languages", &languages.join("|")),
            ],
            net,
        )?;
        entity::labels(&answer, languages)
    }

    fn call(&self, fields: &[(&str, &str)], net: &dyn Net) -> Result<Value, AskError> {
        let query = Serializer::new(String::new())
            .extend_pairs(fields)
            .append_pair("format", "json")
            .append_pair("formatversion", "2")
            .finish();
        net.get_json(&self.base.join(&format!("w/api.php?{query}")))
    }
}

/// Returns the primary subtags of the wanted languages, then English.
fn languages(tags: &[String]) -> Vec<String> {
    let mut languages: Vec<String> = Vec::new();
    let wanted = tags.iter().map(String::as_str).take(5);
    for tag in wanted.chain(["en"]) {
        let code = tag
            .split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_code = (2..=3).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_lowercase());
        if is_code && !languages.contains(&code) {
            languages.push(code);
        }
    }
    languages
}
