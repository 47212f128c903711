//! Requests to Google Books: a search by ISBN first, then by title and author.

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, query_text};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Lookup, Net, Query, Settings, absent_as_none,
};
use serde_json::Value;

use crate::parse;

/// Field mask of a request: the fields that are read of each volume.
const FIELDS: &str = "items(id,volumeInfo(title,subtitle,authors,publishedDate,description,\
                      industryIdentifiers,imageLinks,language))";

/// Most ISBNs of an item that are searched for.
const MAX_ISBNS: usize = 2;

/// Google Books client for the configured address.
#[derive(Debug)]
pub(crate) struct GoogleBooks {
    base: Base,
}

impl Lookup for GoogleBooks {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut found = Vec::new();
        for isbn in question.isbns.iter().take(MAX_ISBNS) {
            found.extend(self.query(&format!("isbn:{isbn}"), net)?);
            if matches!(best_match(question, &found), Choice::Match { .. }) {
                return Ok(found);
            }
        }
        let by_title = self.query(&phrase_query(question), net)?;
        if by_title.is_empty() {
            found.extend(self.query(&word_query(question), net)?);
        }
        found.extend(by_title);
        found.truncate(20);
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        _: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        if !parse::is_id(provider_id) {
            return Ok(None);
        }
        let found: Option<Value> =
            absent_as_none(net.get_json(&self.base.join(&format!("volumes/{provider_id}"))))?;
        match found {
            Some(volume) => parse::volume(&volume, &self.base),
            None => Ok(None),
        }
    }
}

impl GoogleBooks {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
        }
    }

    fn query(&self, words: &str, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let query = Serializer::new(String::new())
            .append_pair("q", words)
            .append_pair("maxResults", "10")
            .append_pair("printType", "books")
            .append_pair("fields", FIELDS)
            .finish();
        let answer: Value = net.get_json(&self.base.join(&format!("volumes?{query}")))?;
        parse::volumes(&answer, &self.base)
    }
}

/// Returns a query with the title and the first author's surname as quoted phrases in their fields.
fn phrase_query(question: &Query) -> String {
    let title = query_text::main_title(&question.title).unwrap_or(&question.title);
    let title = without_operators(&query_text::title(title));
    match question.authors.first() {
        Some(name) => format!(
            "intitle:\"{title}\" inauthor:\"{}\"",
            without_operators(&query_text::surname(name))
        ),
        None => format!("intitle:\"{title}\""),
    }
}

/// Returns a query with the words of title and surname, without fields or phrases.
fn word_query(question: &Query) -> String {
    let name = question
        .authors
        .first()
        .map(|name| query_text::surname(name));
    let title = query_text::title(&question.title);
    let words = [Some(title), name].into_iter().flatten();
    without_operators(&words.collect::<Vec<_>>().join(" "))
}

/// Removes quotes and colons, which would end phrases and begin fields.
fn without_operators(text: &str) -> String {
    let plain = text.replace(['"', ':'], " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
