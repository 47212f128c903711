//! Parser for items: statements, labels, descriptions and links.
//!
//! Format: <https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html>.

use ledge_core::enrich::{lenient_json, shape};
use ledge_core::registry::provider::{
    AskError, Candidate, DetailLink, Details, ExternalId, PersonDetails,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::properties::{self, IDS};

/// Properties with dates, the most exact meaning first: publication, start, inception.
const DATES: &[&str] = &["P577", "P580", "P571"];
const BASED_ON: &str = "P144";
const GENRE: &str = "P136";
const PICTURE: &str = "P18";
const SITE: &str = "P856";
const INSTANCE_OF: &str = "P31";
const HUMAN: &str = "Q5";
const BORN: &str = "P569";
const DIED: &str = "P570";
const BORN_IN: &str = "P19";
/// Dates and place of a group.
const FOUNDED: &str = "P571";
const DISSOLVED: &str = "P576";
const FOUNDED_IN: &str = "P740";

/// Most items that a candidate refers to, of each property.
const MAX_RELATED: usize = 5;
/// Most values of a property that are read.
const MAX_VALUES: usize = 50;
/// Characters of a file name that stay in the address of its page.
const FILE_NAME: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'_')
    .remove(b'-')
    .remove(b'.')
    .remove(b',')
    .remove(b'(')
    .remove(b')');

/// Item of Wikidata.
#[derive(Debug)]
pub(crate) struct Entity {
    id: String,
    label: Option<String>,
    description: Option<String>,
    claims: Value,
    /// Pages in the wanted languages.
    pages: Vec<DetailLink>,
}

/// Parses the response to the id of an item. Returns `None` if the item does not exist.
pub(crate) fn entity(
    answer: &Value,
    id: &str,
    languages: &[String],
) -> Result<Option<Entity>, AskError> {
    if is_absent(answer)? {
        return Ok(None);
    }
    let entities = entities(answer)?;
    // A merged item is returned with the id of the other item.
    let item = entities
        .get(id)
        .or_else(|| entities.values().next())
        .ok_or_else(|| shape::unexpected("`entities` is empty"))?;
    if shape::object(item)?.contains_key("missing") {
        return Ok(None);
    }
    let own_id = shape::text(item, "id")?;
    let own_id = own_id
        .and_then(|id| properties::item_id(&id))
        .ok_or_else(|| shape::unexpected("`id` is not the number of an item"))?;
    Ok(Some(Entity {
        label: in_language(item, "labels", languages),
        description: in_language(item, "descriptions", languages),
        claims: item.get("claims").cloned().unwrap_or_default(),
        pages: pages(item, languages),
        id: own_id,
    }))
}

/// Returns the ids of items and their labels.
pub(crate) fn labels(
    answer: &Value,
    languages: &[String],
) -> Result<Vec<(String, String)>, AskError> {
    if is_absent(answer)? {
        return Ok(Vec::new());
    }
    let items = entities(answer)?.iter();
    let labels = items.filter_map(|(id, item)| {
        let id = properties::item_id(id)?;
        Some((id, in_language(item, "labels", languages)?))
    });
    Ok(labels.collect())
}

impl Entity {
    /// Returns `true` if the item has one of these statements.
    pub(crate) fn has_one_of(&self, ids: &[(&'static str, String)]) -> bool {
        let has = |(property, value): &(&'static str, String)| {
            self.texts(property)
                .any(|text| text.eq_ignore_ascii_case(value))
        };
        ids.iter().any(has)
    }

    /// Returns the items whose labels a candidate contains.
    pub(crate) fn related(&self) -> Vec<String> {
        let of = |property| self.items(property).take(MAX_RELATED);
        of(BASED_ON).chain(of(GENRE)).collect()
    }

    /// Returns the candidate. `labels` contains the labels of [`Self::related`].
    pub(crate) fn candidate(&self, labels: &[(String, String)]) -> Candidate {
        let label_of = |id: &String| {
            let known = labels.iter().find(|(known, _)| known == id);
            known.map(|(_, label)| label.clone())
        };
        let released = DATES.iter().find_map(|property| self.first_date(property));
        let mut links = self.own_pages();
        let based_on = self.items(BASED_ON).take(MAX_RELATED);
        links.extend(based_on.filter_map(|id| {
            let label = format!("Based on: {}", label_of(&id)?);
            Some(DetailLink::new(label, page(&id)))
        }));
        links.extend(self.further_pages());
        Candidate {
            provider_id: self.id.clone(),
            title: self.label.clone().unwrap_or_else(|| self.id.clone()),
            year: released.as_deref().and_then(lenient_json::year_in),
            description: self.description.clone(),
            external_ids: self.external_ids(),
            details: Details {
                released,
                genres: self
                    .items(GENRE)
                    .take(MAX_RELATED)
                    .filter_map(|id| label_of(&id))
                    .collect(),
                links,
                ..Details::default()
            },
            ..Candidate::default()
        }
    }

    /// Returns `true` if the item is a group. An item without a class is a person.
    fn is_group(&self) -> bool {
        let mut classes = self.items(INSTANCE_OF).peekable();
        let is_known = classes.peek().is_some();
        is_known && classes.all(|id| id != HUMAN)
    }

    /// Returns the item of the place of birth, or of the foundation of a group.
    pub(crate) fn birthplace(&self) -> Option<String> {
        let property = if self.is_group() { FOUNDED_IN } else { BORN_IN };
        self.items(property).next()
    }

    /// Returns the details of a person or of a group. `birthplace` is the label of
    /// [`Self::birthplace`].
    pub(crate) fn person(&self, birthplace: Option<String>) -> PersonDetails {
        let is_group = self.is_group();
        let (born, died) = if is_group {
            (FOUNDED, DISSOLVED)
        } else {
            (BORN, DIED)
        };
        let mut links = self.own_pages();
        links.extend(self.further_pages());
        PersonDetails {
            biography: self.description.clone(),
            born: self.first_date(born),
            died: self.first_date(died),
            birthplace,
            is_group,
            links,
            external_ids: vec![ExternalId::new("wikidata", &*self.id)],
            portrait: None,
        }
    }

    /// Returns links to the item and to Wikipedia.
    fn own_pages(&self) -> Vec<DetailLink> {
        let item = DetailLink::new("Wikidata", page(&self.id));
        std::iter::once(item)
            .chain(self.pages.iter().cloned())
            .collect()
    }

    /// Returns links to the official site and to a picture.
    fn further_pages(&self) -> impl Iterator<Item = DetailLink> {
        let site = self.texts(SITE).next();
        let site = site.map(|url| DetailLink::new("Official site", url));
        // The page of a picture states its author and licence, which the picture itself requires.
        let picture = self.texts(PICTURE).take(1).map(|name| {
            let name = name.replace(' ', "_");
            let name = utf8_percent_encode(&name, FILE_NAME);
            let url = format!("https://commons.wikimedia.org/wiki/File:{name}");
            DetailLink::new("Picture at Wikimedia Commons", url)
        });
        site.into_iter().chain(picture)
    }

    fn external_ids(&self) -> Vec<ExternalId> {
        let mut ids = vec![ExternalId::new("wikidata", &*self.id)];
        for id in IDS {
            let is_new = ids.iter().all(|known| known.database != id.database);
            if let Some(value) = self.texts(id.property).next().filter(|_| is_new) {
                ids.push(ExternalId::new(id.database, value));
            }
        }
        ids
    }

    /// Returns the values of a property. Preferred statements replace all others; deprecated ones
    /// are wrong.
    fn values<'a>(&'a self, property: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        let statements = self.claims.get(property).and_then(Value::as_array);
        let has_preferred = statements.is_some_and(|all| all.iter().any(is_preferred));
        let statements = statements.into_iter().flatten().take(MAX_VALUES);
        statements
            .filter(move |statement| {
                let is_deprecated = rank(statement) == Some("deprecated");
                !is_deprecated && (!has_preferred || is_preferred(statement))
            })
            .filter_map(|statement| statement.pointer("/mainsnak/datavalue/value"))
    }

    fn texts<'a>(&'a self, property: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.values(property).filter_map(Value::as_str)
    }

    fn items<'a>(&'a self, property: &str) -> impl Iterator<Item = String> + use<'a> {
        let ids = self
            .values(property)
            .filter_map(|value| lenient_json::line(value, "id"));
        ids.filter_map(|id| properties::item_id(&id))
    }

    /// Returns the earliest date of a property.
    fn first_date(&self, property: &str) -> Option<String> {
        self.values(property).filter_map(date).min()
    }
}

fn rank(statement: &Value) -> Option<&str> {
    statement.get("rank")?.as_str()
}

fn is_preferred(statement: &Value) -> bool {
    rank(statement) == Some("preferred")
}

/// Returns a date such as `+1999-03-31T00:00:00Z`, as exact as its precision states.
fn date(value: &Value) -> Option<String> {
    let time = lenient_json::line(value, "time")?;
    let time = time.strip_prefix('+')?;
    let len = match lenient_json::integer(value, "precision")? {
        9 => 4,
        10 => 7,
        11 => 10,
        _ => return None,
    };
    let date = time.get(..len)?;
    let is_part = |(part, len): (&str, usize)| {
        part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    date.split('-')
        .zip([4, 2, 2])
        .all(is_part)
        .then(|| date.to_owned())
}

/// Returns a text in the first language that has one.
fn in_language(item: &Value, field: &str, languages: &[String]) -> Option<String> {
    let texts = item.get(field)?;
    languages
        .iter()
        .find_map(|code| lenient_json::line(texts.get(code)?, "value"))
}

fn pages(item: &Value, languages: &[String]) -> Vec<DetailLink> {
    let Some(sites) = item.get("sitelinks") else {
        return Vec::new();
    };
    let page = |code: &String| {
        let url = lenient_json::line(sites.get(format!("{code}wiki"))?, "url")?;
        Some(DetailLink::new(format!("Wikipedia ({code})"), url))
    };
    languages.iter().filter_map(page).collect()
}

fn page(id: &str) -> String {
    format!("https://www.wikidata.org/wiki/{id}")
}

fn entities(answer: &Value) -> Result<&serde_json::Map<String, Value>, AskError> {
    let entities = shape::object(answer)?.get("entities");
    shape::object(entities.unwrap_or(&Value::Null))
}

/// Returns `true` if the response states that the item does not exist.
///
/// # Errors
/// Returns any other error of the response. Wikidata sends them with the status 200.
fn is_absent(answer: &Value) -> Result<bool, AskError> {
    let Some(error) = shape::object(answer)?.get("error") else {
        return Ok(false);
    };
    match lenient_json::line(error, "code").as_deref() {
        Some("no-such-entity") => Ok(true),
        _ => Err(shape::unexpected("it is an error")),
    }
}
