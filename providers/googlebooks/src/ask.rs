//! What Google Books is asked: the ISBN first, then title and author.

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{among, phrase};
use ledge_core::registry::provider::{AskError, Asks, Base, Candidate, Net, Question, Settings};
use serde_json::Value;

use crate::parse;

/// What is asked for of every volume.
const FIELDS: &str = "items(id,volumeInfo(title,subtitle,authors,publishedDate,description,\
                      industryIdentifiers,imageLinks,language))";

/// Most ISBNs of an item that are asked for.
const MOST_ISBNS: usize = 2;

/// Google Books at the address it is configured with.
#[derive(Debug)]
pub(crate) struct GoogleBooks {
    base: Base,
}

impl Asks for GoogleBooks {
    fn search(&self, question: &Question, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut found = Vec::new();
        for isbn in question.isbns.iter().take(MOST_ISBNS) {
            found.extend(self.query(&format!("isbn:{isbn}"), net)?);
            if matches!(among(question, &found), Choice::Match { .. }) {
                return Ok(found);
            }
        }
        let by_title = self.query(&phrased(question), net)?;
        if by_title.is_empty() {
            found.extend(self.query(&loose_words(question), net)?);
        }
        found.extend(by_title);
        found.truncate(20);
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        _: &Question,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        if !parse::is_id(provider_id) {
            return Ok(None);
        }
        match net.get_json::<Value>(&self.base.join(&format!("volumes/{provider_id}"))) {
            Ok(volume) => parse::volume(&volume, &self.base),
            Err(error) if error.has_status(404) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl GoogleBooks {
    pub(crate) fn of(settings: &Settings) -> Self {
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

/// Title and name as phrases, where they stand.
fn phrased(question: &Question) -> String {
    let title = phrase::main_title(&question.title).unwrap_or(&question.title);
    let title = plain(&phrase::title(title));
    match question.authors.first() {
        Some(name) => format!(
            "intitle:\"{title}\" inauthor:\"{}\"",
            plain(&phrase::surname(name))
        ),
        None => format!("intitle:\"{title}\""),
    }
}

/// All that is known, wherever it stands.
fn loose_words(question: &Question) -> String {
    let name = question.authors.first().map(|name| phrase::surname(name));
    let title = phrase::title(&question.title);
    let words = [Some(title), name].into_iter().flatten();
    plain(&words.collect::<Vec<_>>().join(" "))
}

/// Quotes and colons would end phrases and begin fields.
fn plain(text: &str) -> String {
    let plain = text.replace(['"', ':'], " ");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
