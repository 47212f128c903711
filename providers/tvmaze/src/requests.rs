//! Requests to TVmaze: by an external id first, then a search by title.

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, query_text, shape};
use ledge_core::registry::provider::{
    AskError, Base, Candidate, Lookup, Net, Query, Settings, absent_as_none,
};
use serde_json::Value;

use crate::{episodes, parse};

/// Most candidates whose details are read if no result of the search matches.
const MAX_SECOND_LOOKS: usize = 2;

/// TVmaze client for the configured addresses.
#[derive(Debug)]
pub(crate) struct TvMaze {
    base: Base,
    images: Base,
}

impl Lookup for TvMaze {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        if question
            .subkind
            .as_deref()
            .is_some_and(|subkind| subkind != "series")
        {
            return Ok(Vec::new());
        }
        if let Some(found) = self.by_external_id(question, net)? {
            return Ok(vec![found]);
        }
        let mut found = self.by_title(question, net)?;
        let wanted = match best_match(question, &found) {
            Choice::Match { index, .. } => vec![index],
            Choice::Notfound { .. } => near(question, &found),
        };
        for at in wanted {
            let Some(candidate) = found.get_mut(at) else {
                continue;
            };
            let number = candidate.provider_id.parse().unwrap_or_default();
            if let Some(complete) = self.show(number, question, net)? {
                *candidate = complete;
            }
        }
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        match number_in(provider_id) {
            Some(number) => self.show(number, question, net),
            None => Ok(None),
        }
    }
}

impl TvMaze {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
            images: settings.base(crate::IMAGES_URL.variable).clone(),
        }
    }

    /// Returns the show that the item's ids in external databases identify.
    fn by_external_id(
        &self,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let mut found = None;
        if let Some(number) = question.external_id("tvmaze").and_then(number_in) {
            found = self.show(number, question, net)?;
        }
        let imdb = question.external_id("imdb").filter(|id| parse::is_imdb(id));
        let tvdb = question
            .external_id("tvdb")
            .filter(|id| number_in(id).is_some());
        for (parameter, id) in [("imdb", imdb), ("thetvdb", tvdb)] {
            let Some(id) = id.filter(|_| found.is_none()) else {
                continue;
            };
            // The response is a redirect to the show.
            if let Some(answer) = self.get("lookup/shows", &[(parameter, id)], net)? {
                found = self.show(parse::number(&answer)?, question, net)?;
            }
        }
        Ok(found.map(|found| Candidate {
            is_certain: true,
            ..found
        }))
    }

    fn by_title(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let title = query_text::title(&question.title);
        let search = |title: &str| {
            let answer = self.get("search/shows", &[("q", title)], net)?;
            let answer = answer.ok_or_else(|| shape::unexpected("there is no search"))?;
            parse::search(&answer, &self.images)
        };
        let found = search(&title)?;
        match query_text::main_title(&title) {
            Some(main) if found.is_empty() => search(main),
            _ => Ok(found),
        }
    }

    /// Returns a show with its episodes, or `None` if it does not exist.
    fn show(
        &self,
        number: u64,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let path = format!("shows/{number}");
        let embedded = ["cast", "crew", "akas", "images", "seasons"].map(|part| ("embed[]", part));
        let Some(answer) = self.get(&path, &embedded, net)? else {
            return Ok(None);
        };
        let mut found = parse::show(&answer, &self.images)?;
        if found.provider_id != number.to_string() {
            return Err(shape::unexpected("it describes another show"));
        }
        found.details.season_posters = episodes::posters(&answer, &self.images);
        match self.get(&format!("{path}/episodes"), &[("specials", "1")], net) {
            Ok(Some(answer)) => {
                found.details.episodes = episodes::read(&answer, &question.parts, &self.images)?;
            }
            // A daily programme can exceed the limit. Its other details are still valid.
            Ok(None) | Err(AskError::TooLarge) => {}
            Err(error) => return Err(error),
        }
        Ok(Some(found))
    }

    /// Sends a request and returns `None` for the status 404.
    fn get(
        &self,
        path: &str,
        parameters: &[(&str, &str)],
        net: &dyn Net,
    ) -> Result<Option<Value>, AskError> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        absent_as_none(net.get_json(&self.base.join(&format!("{path}?{query}"))))
    }
}

/// Returns the first candidates whose year does not contradict the query. Their alternative titles,
/// people and episodes can decide.
fn near(question: &Query, found: &[Candidate]) -> Vec<usize> {
    let is_near = |one: &Candidate| match (one.year, question.year) {
        (Some(one), Some(wanted)) => one.abs_diff(wanted) <= 1,
        _ => true,
    };
    let near = found.iter().enumerate().filter(|(_, one)| is_near(one));
    near.map(|(at, _)| at).take(MAX_SECOND_LOOKS).collect()
}

/// Returns the number of a show in a number, `shows/82`, or the address of its page.
fn number_in(text: &str) -> Option<u64> {
    let text = text.trim();
    let number = match text.split_once("shows/") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next()?,
        None => text,
    };
    let is_number = (1..=12).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    number
        .parse()
        .ok()
        .filter(|number| is_number && *number > 0)
}
