//! Requests to Open Library: a search by ISBN first, then by title and author.

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, query_text};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Lookup, Net, Query, Settings, absent_as_none,
};
use serde_json::Value;

use crate::id::Id;
use crate::parse::{self, Work};

/// Fields that are requested of every document. Complete documents would be about a hundred times
/// larger.
const FIELDS: &str = "key,title,subtitle,author_name,first_publish_year,cover_i,language,\
                      editions,editions.key,editions.title,editions.subtitle,editions.isbn,\
                      editions.cover_i";

/// Most ISBNs of an item that are searched for.
const MAX_ISBNS: usize = 2;

/// Open Library client for the configured addresses.
#[derive(Debug)]
pub(crate) struct OpenLibrary {
    base: Base,
    covers: Base,
}

impl Lookup for OpenLibrary {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut found = self.by_isbn(question, net)?;
        if !has_match(question, &found) {
            found.extend(self.by_title(question, net)?);
        }
        if let Choice::Match { index, .. } = best_match(question, &found)
            && let Some(chosen) = found.get_mut(index)
        {
            chosen.description = self.description(&chosen.provider_id, net)?;
        }
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        _: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let id = match Id::parse(provider_id) {
            Some(Id::Work(id)) => Some(id),
            Some(Id::Edition(id)) => match self.record("books", &id, net)? {
                Some(record) => parse::work_of_edition(&record)?,
                None => None,
            },
            None => None,
        };
        match id {
            Some(id) => self.work(&id, net),
            None => Ok(None),
        }
    }
}

impl OpenLibrary {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
            covers: settings.base(crate::COVERS_URL.variable).clone(),
        }
    }

    fn by_isbn(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        for isbn in question.isbns.iter().take(MAX_ISBNS) {
            let mut found = self.query(&[("isbn", isbn), ("limit", "5")], net)?;
            // The edition that matched the ISBN does not always list that ISBN.
            if found.iter().all(|one| one.isbns.is_empty()) {
                for one in &mut found {
                    one.isbns.push(isbn.clone());
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    fn by_title(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let title = query_text::title(&question.title);
        let author = question
            .authors
            .first()
            .map(|name| query_text::surname(name));
        let search = |title: &str| {
            let mut pairs = vec![("title", title)];
            pairs.extend(author.as_deref().map(|author| ("author", author)));
            pairs.push(("limit", "10"));
            self.query(&pairs, net)
        };
        let found = search(&title)?;
        // Open Library requires every word to match. Text after a colon often differs there.
        match query_text::main_title(&title) {
            Some(main) if found.is_empty() => search(main),
            _ => Ok(found),
        }
    }

    fn query(&self, pairs: &[(&str, &str)], net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let query = Serializer::new(String::new())
            .extend_pairs(pairs)
            .append_pair("fields", FIELDS)
            .finish();
        let answer: Value = net.get_json(&self.base.join(&format!("search.json?{query}")))?;
        parse::search(&answer, &self.covers)
    }

    /// Returns a work by its id, following one redirect. The record lacks authors and first year,
    /// which a search for the work adds.
    fn work(&self, id: &str, net: &dyn Net) -> Result<Option<Candidate>, AskError> {
        let Some(mut record) = self.record("works", id, net)? else {
            return Ok(None);
        };
        let mut work = parse::work(&record, &self.covers)?;
        if let Some(Work::Moved(to)) = &work {
            let Some(moved) = self.record("works", to, net)? else {
                return Ok(None);
            };
            record = moved;
            work = parse::work(&record, &self.covers)?;
        }
        let Some(Work::Is(work)) = work else {
            return Ok(None);
        };
        let key = format!("key:/works/{}", work.provider_id);
        let found = self.query(&[("q", &key), ("limit", "1")], net)?;
        let indexed = found
            .into_iter()
            .find(|one| one.provider_id == work.provider_id);
        let Some(indexed) = indexed else {
            return Ok(Some(*work));
        };
        Ok(Some(Candidate {
            description: work.description,
            cover: indexed.cover.or(work.cover),
            year: indexed.year.or(work.year),
            ..indexed
        }))
    }

    /// Returns the description of a work, or `None` if its record is too large.
    fn description(&self, id: &str, net: &dyn Net) -> Result<Option<String>, AskError> {
        match self.record("works", id, net) {
            Ok(Some(record)) => parse::description_of_work(&record),
            Ok(None) | Err(AskError::TooLarge) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn record(&self, collection: &str, id: &str, net: &dyn Net) -> Result<Option<Value>, AskError> {
        absent_as_none(net.get_json(&self.base.join(&format!("{collection}/{id}.json"))))
    }
}

fn has_match(question: &Query, found: &[Candidate]) -> bool {
    matches!(best_match(question, found), Choice::Match { .. })
}
