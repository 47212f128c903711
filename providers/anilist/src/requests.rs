//! Requests to AniList: by its own id first, then a search by title.

use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, query_text, shape};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Lookup, Net, Query, Request, Settings, absent_as_none,
};
use serde_json::Value;

use crate::query::{self, Wanted};
use crate::{id, parse};

/// AniList client for the configured addresses.
#[derive(Debug)]
pub(crate) struct AniList {
    base: Base,
    images: Base,
}

impl Lookup for AniList {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let Some(wanted) = Wanted::of(question) else {
            return Ok(Vec::new());
        };
        if let Some(own) = question.external_id("anilist").and_then(id::entry)
            && let Some(found) = self.entry(own, question, net)?
        {
            return Ok(vec![Candidate {
                is_certain: true,
                ..found
            }]);
        }
        let mut found = self.by_title(question, wanted, net)?;
        if let Choice::Match { index, .. } = best_match(question, &found)
            && let Some(chosen) = found.get_mut(index)
            && let Some(own) = id::entry(&chosen.provider_id)
            && let Some(complete) = self.entry(own, question, net)?
        {
            *chosen = complete;
        }
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        match id::entry(provider_id) {
            Some(entry) => self.entry(entry, question, net),
            None => Ok(None),
        }
    }
}

impl AniList {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
            images: settings.base(crate::IMAGES_URL.variable).clone(),
        }
    }

    /// Searches for the title. A numbered comic is searched by the name of its series.
    fn by_title(
        &self,
        question: &Query,
        wanted: Wanted,
        net: &dyn Net,
    ) -> Result<Vec<Candidate>, AskError> {
        let series = question.series.as_ref().filter(|_| wanted == Wanted::Manga);
        let title = series.map_or(&question.title, |series| &series.name);
        let title = query_text::title(title);
        let search = |title: &str| {
            let answer = self.send(&query::search(title, wanted), net)?;
            parse::search(&answer, wanted, question, &self.images)
        };
        let found = search(&title)?;
        match query_text::main_title(&title) {
            Some(main) if found.is_empty() => search(main),
            _ => Ok(found),
        }
    }

    /// Returns a complete entry, or `None` if it does not exist.
    fn entry(
        &self,
        entry: u64,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let Some(answer) = absent_as_none(self.send(&query::by_id(entry), net))? else {
            return Ok(None);
        };
        let Some(data) = absent_as_none(parse::data(&answer))? else {
            return Ok(None);
        };
        let media = shape::object(data)?.get("Media");
        let media = media.ok_or_else(|| shape::unexpected("it has no `Media`"))?;
        let found = parse::entry(media, question, &self.images)?;
        if id::entry(&found.provider_id) != Some(entry) {
            return Err(shape::unexpected("it describes another entry"));
        }
        Ok(Some(found))
    }

    fn send(&self, body: &Value, net: &dyn Net) -> Result<Value, AskError> {
        let request = Request::post(self.base.join(""), "application/json", body.to_string())
            .header("Accept", "application/json");
        net.json(&request)
    }
}
