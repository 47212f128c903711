//! Requests to Audnexus: a book by its ASIN, then its chapters.

use ledge_core::registry::provider::{
    AskError, Base, Candidate, ChapterDetails, Lookup, Net, Query, Settings, absent_as_none,
};
use serde_json::Value;

use crate::{asin, parse, region};

/// ASIN that a test of the connection requests. Its absence is an answer, too.
const CHECKED: &str = "B000000000";

/// Audnexus client for the configured address and region.
#[derive(Debug)]
pub(crate) struct Audnexus {
    base: Base,
    region: Option<String>,
}

impl Lookup for Audnexus {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let Some(asin) = question.external_id("asin").and_then(asin::parse) else {
            return Ok(Vec::new());
        };
        let found = self.book(&asin, question, net)?;
        let certain = found.map(|found| Candidate {
            is_certain: true,
            ..found
        });
        Ok(certain.into_iter().collect())
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        match asin::parse(provider_id) {
            Some(asin) => self.book(&asin, question, net),
            None => Ok(None),
        }
    }

    fn check(&self, question: &Query, net: &dyn Net) -> Result<(), AskError> {
        let regions = region::to_try(self.region.as_deref(), question.language.as_deref());
        let region = regions.into_iter().next().unwrap_or("us");
        self.get(&format!("books/{CHECKED}"), region, net).map(drop)
    }
}

impl Audnexus {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
            region: settings.text(crate::REGION.variable).map(str::to_owned),
        }
    }

    /// Returns a book from the first catalogue that has it.
    fn book(
        &self,
        asin: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let regions = region::to_try(self.region.as_deref(), question.language.as_deref());
        for region in regions {
            let path = format!("books/{asin}");
            let Some(book) = self.get(&path, region, net)? else {
                continue;
            };
            let Some(mut candidate) = parse::book(&book, region, &self.base)? else {
                continue;
            };
            candidate.details.chapters = self.chapters(&candidate.provider_id, region, net)?;
            return Ok(Some(candidate));
        }
        Ok(None)
    }

    /// Returns the chapters of a book. Not every book has some.
    fn chapters(
        &self,
        asin: &str,
        region: &str,
        net: &dyn Net,
    ) -> Result<Vec<ChapterDetails>, AskError> {
        match self.get(&format!("books/{asin}/chapters"), region, net) {
            Ok(Some(chapters)) => parse::chapters(&chapters),
            Ok(None) | Err(AskError::TooLarge) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn get(&self, path: &str, region: &str, net: &dyn Net) -> Result<Option<Value>, AskError> {
        let url = self.base.join(&format!("{path}?region={region}"));
        absent_as_none(net.get_json(&url))
    }
}
