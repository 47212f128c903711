//! Requests to Comic Vine: the volumes of a series, their issues of a number, then one issue.

use std::fmt;
use std::time::Duration;

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, lenient_json, query_text, shape};
use ledge_core::registry::provider::{
    Absent, AskError, Base, Candidate, Lookup, Net, Query, Secret, Settings,
};
use serde_json::Value;

use crate::issue;
use crate::number::{Comic, letters};
use crate::volume::{self, Volume};

/// Lifetime of the remembered volumes of a series. The issues of one series need one search.
const LIFETIME: Duration = Duration::from_hours(7 * 24);
/// Most issues of a response.
const MAX_ISSUES: usize = 20;
/// Fields that are requested of every volume and issue. Complete ones would be far larger.
const VOLUME_FIELDS: &str = "id,name,aliases,start_year,count_of_issues,publisher";
const ISSUE_FIELDS: &str = "id,name,issue_number,cover_date,store_date,volume,image,deck";
const DETAIL_FIELDS: &str = "id,name,issue_number,cover_date,store_date,volume,image,deck,\
                             description,person_credits,story_arc_credits";

pub(crate) fn open(settings: &Settings) -> Result<Box<dyn Lookup>, Absent> {
    let Some(key) = settings.secret(crate::KEY.variable) else {
        return Err(Absent {
            missing: vec![crate::KEY.variable],
        });
    };
    Ok(Box::new(ComicVine {
        key: key.clone(),
        base: settings.base(crate::URL.variable).clone(),
        images: settings.base(crate::IMAGES_URL.variable).clone(),
    }))
}

/// Comic Vine client for the configured addresses.
#[derive(Debug)]
struct ComicVine {
    key: Secret,
    base: Base,
    images: Base,
}

impl Lookup for ComicVine {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        if question
            .subkind
            .as_deref()
            .is_some_and(|subkind| subkind != "comic")
        {
            return Ok(Vec::new());
        }
        let Some(comic) = Comic::of(question) else {
            return Ok(Vec::new());
        };
        if let Some(number) = question.external_id("comicvine").and_then(issue::number)
            && let Some(found) = self.issue(number, Some(&comic), net)?
        {
            return Ok(vec![Candidate {
                is_certain: true,
                ..found
            }]);
        }
        let mut found = self.issues(question, &comic, net)?;
        if let Choice::Match { index, .. } = best_match(question, &found)
            && let Some(chosen) = found.get_mut(index)
            && let Some(number) = issue::number(&chosen.provider_id)
            && let Some(complete) = self.issue(number, Some(&comic), net)?
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
        let comic = Comic::of(question);
        match issue::number(provider_id) {
            Some(number) => self.issue(number, comic.as_ref(), net),
            None => Ok(None),
        }
    }
}

impl ComicVine {
    /// Returns the issues with the number of the comic, in all volumes of its series.
    fn issues(
        &self,
        question: &Query,
        comic: &Comic<'_>,
        net: &dyn Net,
    ) -> Result<Vec<Candidate>, AskError> {
        let is_possible = |volume: &&Volume| {
            // An issue does not precede its volume. A comic without a number is the only issue.
            let begins = |year: i32| volume.start_year.is_none_or(|start| start <= year + 1);
            question.year.is_none_or(begins) && (comic.number.is_some() || volume.issues == Some(1))
        };
        let volumes = self.volumes(comic.series, net)?;
        let volumes: Vec<String> = volumes
            .iter()
            .filter(is_possible)
            .map(|one| one.id.to_string())
            .collect();
        if volumes.is_empty() {
            return Ok(Vec::new());
        }
        let number = comic.number.unwrap_or(1.0);
        let filter = format!("volume:{},issue_number:{number}", volumes.join("|"));
        let parameters = [("filter", filter.as_str()), ("field_list", ISSUE_FIELDS)];
        let results = self.results("issues", &parameters, net)?;
        let results = results.ok_or_else(|| shape::unexpected("there are no issues"))?;
        shape::read_entries(shape::entries(&results)?, MAX_ISSUES, |found| {
            let candidate = issue::read(found, Some(comic), &self.images)?;
            Ok(Some(candidate).filter(|_| issue::accepts(found, comic)))
        })
    }

    /// Returns the volumes with the name of a series.
    fn volumes(&self, series: &str, net: &dyn Net) -> Result<Vec<Volume>, AskError> {
        if letters(series).is_empty() {
            return Ok(Vec::new());
        }
        let key = key_of(series);
        if let Some(volumes) = net.remembered(&key).as_deref().and_then(volume::from_text) {
            return Ok(volumes);
        }
        let name = query_text::title(series);
        let parameters = [
            ("resources", "volume"),
            ("query", name.as_str()),
            ("limit", "50"),
            ("field_list", VOLUME_FIELDS),
        ];
        let results = self.results("search", &parameters, net)?;
        let results = results.ok_or_else(|| shape::unexpected("there is no search"))?;
        let volumes = volume::search(&results, series)?;
        net.remember(&key, &volume::to_text(&volumes), LIFETIME);
        Ok(volumes)
    }

    /// Returns a complete issue, or `None` if it does not exist.
    fn issue(
        &self,
        number: u64,
        comic: Option<&Comic<'_>>,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let id = issue::id(number);
        let parameters = [("field_list", DETAIL_FIELDS)];
        let Some(results) = self.results(&format!("issue/{id}"), &parameters, net)? else {
            return Ok(None);
        };
        let mut found = issue::read(&results, comic, &self.images)?;
        if found.provider_id != id {
            return Err(shape::unexpected("it describes another issue"));
        }
        found.details.studios.extend(publisher(&results, net));
        Ok(Some(found))
    }

    /// Sends a request. Returns the field `results`, or `None` if the object does not exist.
    fn results(
        &self,
        path: &str,
        parameters: &[(&str, impl AsRef<str> + fmt::Debug)],
        net: &dyn Net,
    ) -> Result<Option<Value>, AskError> {
        let query = Serializer::new(String::new())
            .extend_pairs(
                parameters
                    .iter()
                    .map(|(name, value)| (name, value.as_ref())),
            )
            .append_pair("format", "json")
            .append_pair("api_key", self.key.reveal())
            .finish();
        let url = self.base.join(&format!("{path}/?{query}"));
        let answer: Value = match net.get_json(&url) {
            Err(error) if error.has_status(404) => return Ok(None),
            // The status that Comic Vine sends instead of 429.
            Err(AskError::Status {
                code: 420,
                retry_after,
            }) => {
                return Err(AskError::Status {
                    code: 429,
                    retry_after,
                });
            }
            answer => answer?,
        };
        let fields = shape::object(&answer)?;
        let failure = |code| AskError::Status {
            code,
            retry_after: None,
        };
        match lenient_json::integer(&answer, "status_code") {
            Some(1) => {}
            Some(100) => return Err(failure(401)),
            Some(101) => return Ok(None),
            Some(107) => return Err(failure(429)),
            _ => return Err(shape::unexpected("it reports an error")),
        }
        let results = fields.get("results").cloned();
        results
            .map(Some)
            .ok_or_else(|| shape::unexpected("it has no `results`"))
    }
}

fn key_of(series: &str) -> String {
    format!("volumes {}", query_text::title(&letters(series)))
}

/// Returns the publisher of the issue's volume, if a search for the series is remembered. Issues do
/// not contain it.
fn publisher(issue: &Value, net: &dyn Net) -> Option<String> {
    let volume = issue.get("volume")?;
    let id = lenient_json::integer(volume, "id")?;
    let key = key_of(&lenient_json::line(volume, "name")?);
    let volumes = volume::from_text(&net.remembered(&key)?)?;
    volumes.into_iter().find(|one| one.id == id)?.publisher
}
