//! Requests to TMDB: by an external id first, then a search by title and year.

use std::fmt;

use form_urlencoded::Serializer;
use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, query_text, shape};
use ledge_core::registry::provider::{
    Absent, AskError, Base, Candidate, EpisodeDetails, ExternalId, Lookup, Net, PersonDetails,
    Query, Request, Secret, Settings, absent_as_none,
};
use serde_json::Value;

use crate::id::{self, Id, MediaType};
use crate::language::Languages;
use crate::parse::{self, episodes, person};

/// Most responses that TMDB appends to one request.
const MAX_APPENDED: usize = 20;
/// Most candidates whose details are read if no result of the search matches.
const MAX_SECOND_LOOKS: usize = 3;

pub(crate) fn open(settings: &Settings) -> Result<Box<dyn Lookup>, Absent> {
    let Some(key) = settings.secret(crate::KEY.variable) else {
        return Err(Absent {
            missing: vec![crate::KEY.variable],
        });
    };
    Ok(Box::new(Tmdb {
        key: key.clone(),
        base: settings.base(crate::URL.variable).clone(),
        images: settings.base(crate::IMAGES_URL.variable).clone(),
    }))
}

/// TMDB client for the configured addresses.
#[derive(Debug)]
struct Tmdb {
    key: Secret,
    base: Base,
    images: Base,
}

impl Lookup for Tmdb {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let languages = Languages::new(&question.languages);
        if MediaType::of(question).is_empty() {
            return Ok(Vec::new());
        }
        if let Some(found) = self.by_external_id(question, &languages, net)? {
            return Ok(vec![found]);
        }
        let mut found = Vec::new();
        for media in MediaType::of(question) {
            self.by_title(question, *media, &mut found, net)?;
        }
        self.complete(question, &languages, &mut found, net)?;
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let languages = Languages::new(&question.languages);
        for id in Id::parse(provider_id, MediaType::of(question)) {
            if let Some(found) = self.entry(id, &languages, net)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn person(
        &self,
        ids: &[ExternalId],
        languages: &[String],
        net: &dyn Net,
    ) -> Result<Option<PersonDetails>, AskError> {
        let Some(number) = ExternalId::find(ids, "tmdb").and_then(id::number) else {
            return Ok(None);
        };
        let languages = Languages::new(languages);
        let path = format!("person/{number}");
        let wanted = |appended: &str| {
            let language = ("language", languages.first());
            [language, ("append_to_response", appended.to_owned())]
        };
        let answer = match self.get(&path, &wanted("external_ids,translations"), net) {
            // The biographies in all languages can exceed the limit.
            Err(AskError::TooLarge) => self.get(&path, &wanted("external_ids"), net)?,
            answer => answer?,
        };
        let Some(answer) = answer else {
            return Ok(None);
        };
        let found = person::details(&answer, number, &languages, &self.images)?;
        let found = found.ok_or_else(|| shape::unexpected("it describes another person"))?;
        Ok(Some(found))
    }
}

impl Tmdb {
    /// Returns the entry that the item's ids in external databases identify.
    fn by_external_id(
        &self,
        question: &Query,
        languages: &Languages,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let types = MediaType::of(question);
        let certain = |found: Candidate| Candidate {
            is_certain: true,
            ..found
        };
        let own = question.external_id("tmdb").and_then(id::number);
        for (media, number) in types.iter().zip(own.into_iter().cycle()) {
            let id = Id {
                media: *media,
                number,
            };
            if let Some(found) = self.entry(id, languages, net)? {
                return Ok(Some(certain(found)));
            }
        }
        for (database, prefix) in [("imdb", "tt"), ("tvdb", ""), ("wikidata", "Q")] {
            let other = question.external_id(database);
            let Some(other) = other.filter(|id| parse::is_numbered(id, prefix)) else {
                continue;
            };
            let path = format!("find/{other}");
            let parameters = [("external_source", format!("{database}_id"))];
            let Some(answer) = self.get(&path, &parameters, net)? else {
                continue;
            };
            for media in types {
                let numbers = parse::identified(&answer, *media)?;
                // An id that identifies several entries is not evidence.
                let [number] = numbers.as_slice() else {
                    continue;
                };
                let id = Id {
                    media: *media,
                    number: *number,
                };
                if let Some(found) = self.entry(id, languages, net)? {
                    return Ok(Some(certain(found)));
                }
            }
        }
        Ok(None)
    }

    /// Searches for the title: in the exact year first, then in all years, then without the
    /// subtitle. An exact year excludes remakes and other entries of the same title.
    fn by_title(
        &self,
        question: &Query,
        media: MediaType,
        found: &mut Vec<Candidate>,
        net: &dyn Net,
    ) -> Result<(), AskError> {
        let title = query_text::title(&question.title);
        let in_year = question.year.map(Some);
        for year in in_year.into_iter().chain([None]) {
            self.find(question, media, (&title, year), found, net)?;
            if is_decided(&best_match(question, found)) {
                return Ok(());
            }
        }
        match query_text::main_title(&title) {
            Some(main) if found.is_empty() => self.find(question, media, (main, None), found, net),
            _ => Ok(()),
        }
    }

    /// Adds the results of one search.
    fn find(
        &self,
        question: &Query,
        media: MediaType,
        (title, year): (&str, Option<i32>),
        found: &mut Vec<Candidate>,
        net: &dyn Net,
    ) -> Result<(), AskError> {
        let mut parameters = vec![
            ("query", title.to_owned()),
            ("include_adult", "false".to_owned()),
            ("language", Languages::new(&question.languages).first()),
        ];
        let of_year = match media {
            MediaType::Film => "primary_release_year",
            MediaType::Series => "first_air_date_year",
        };
        parameters.extend(year.map(|year| (of_year, year.to_string())));
        let path = format!("search/{}", media.path());
        // A search without results is not a 404.
        let answer = self.get(&path, &parameters, net)?;
        let answer = answer.ok_or_else(|| shape::unexpected("there is no search"))?;
        for one in parse::results(&answer, "results", media, &self.images)? {
            if !found
                .iter()
                .any(|known| known.provider_id == one.provider_id)
            {
                found.push(one);
            }
        }
        Ok(())
    }

    /// Adds the details of the match. Without a match, it adds those of the first candidates: their
    /// alternative titles, people and episodes can decide.
    fn complete(
        &self,
        question: &Query,
        languages: &Languages,
        found: &mut [Candidate],
        net: &dyn Net,
    ) -> Result<(), AskError> {
        if let Choice::Match { index, .. } = best_match(question, found) {
            return self.load(found.get_mut(index), languages, net);
        }
        let is_near = |one: &Candidate| match (one.year, question.year) {
            (Some(one), Some(wanted)) => one.abs_diff(wanted) <= 1,
            _ => true,
        };
        let near = found.iter().enumerate().filter(|(_, one)| is_near(one));
        let near: Vec<usize> = near.map(|(at, _)| at).take(MAX_SECOND_LOOKS).collect();
        for at in near {
            self.load(found.get_mut(at), languages, net)?;
        }
        Ok(())
    }

    /// Replaces a candidate of a search by its complete entry.
    fn load(
        &self,
        candidate: Option<&mut Candidate>,
        languages: &Languages,
        net: &dyn Net,
    ) -> Result<(), AskError> {
        let Some(candidate) = candidate else {
            return Ok(());
        };
        for id in Id::parse(&candidate.provider_id, &[]) {
            if let Some(complete) = self.entry(id, languages, net)? {
                *candidate = complete;
            }
        }
        Ok(())
    }

    /// Returns a complete entry, or `None` if it does not exist.
    fn entry(
        &self,
        id: Id,
        languages: &Languages,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let (credits, rated) = match id.media {
            MediaType::Film => ("credits", "release_dates"),
            MediaType::Series => ("aggregate_credits", "content_ratings"),
        };
        let appended =
            format!("external_ids,{rated},alternative_titles,translations,images,videos,{credits}");
        let wanted = |appended: &str| {
            [
                ("language", languages.first()),
                ("append_to_response", appended.to_owned()),
                (
                    "include_image_language",
                    format!("{},null", languages.list()),
                ),
                ("include_video_language", languages.list()),
            ]
        };
        let path = id.to_string();
        let answer = match self.get(&path, &wanted(&appended), net) {
            // The people of a long series can exceed the limit.
            Err(AskError::TooLarge) => self.get(&path, &wanted("external_ids,credits"), net)?,
            answer => answer?,
        };
        let Some(answer) = answer else {
            return Ok(None);
        };
        let Some(mut found) = parse::entry(&answer, id, languages, &self.images)? else {
            return Err(shape::unexpected("it describes another entry"));
        };
        if id.media == MediaType::Series {
            let seasons = episodes::seasons(&answer);
            found.details.season_posters = episodes::posters(&answer, &self.images);
            found.details.episodes = self.episodes(id, &seasons, languages, net)?;
        }
        Ok(Some(found))
    }

    /// Returns the episodes of these seasons.
    fn episodes(
        &self,
        id: Id,
        seasons: &[i64],
        languages: &Languages,
        net: &dyn Net,
    ) -> Result<Vec<EpisodeDetails>, AskError> {
        let mut all = Vec::new();
        let mut is_complete = true;
        for seasons in seasons.chunks(MAX_APPENDED) {
            let (mut found, has_all) = self.seasons(id, seasons, &languages.first(), net)?;
            is_complete &= has_all;
            if let Some(second) = languages.second()
                && found.iter().any(episodes::is_untranslated)
            {
                let (others, _) = self.seasons(id, seasons, &second, net)?;
                for other in others {
                    let key = (other.season, other.number);
                    let place = found.iter_mut().find(|one| (one.season, one.number) == key);
                    if let Some(episode) = place.filter(|one| episodes::is_untranslated(one)) {
                        episodes::fall_back(episode, other);
                    }
                }
            }
            all.extend(found);
        }
        all.truncate(episodes::MAX_ALL_EPISODES);
        if is_complete {
            episodes::count_absolute(&mut all);
        }
        Ok(all)
    }

    /// Returns the episodes of at most 20 seasons in a language, and `true` if no season is absent.
    /// A response that is too large is requested in halves.
    fn seasons(
        &self,
        id: Id,
        seasons: &[i64],
        language: &str,
        net: &dyn Net,
    ) -> Result<(Vec<EpisodeDetails>, bool), AskError> {
        let appended: Vec<String> = seasons.iter().map(|one| format!("season/{one}")).collect();
        let parameters = [
            ("language", language.to_owned()),
            ("append_to_response", appended.join(",")),
        ];
        match self.get(&id.to_string(), &parameters, net) {
            Ok(Some(answer)) => {
                shape::object(&answer)?;
                let found: Vec<_> = seasons
                    .iter()
                    .filter_map(|season| episodes::read(&answer, *season, &self.images))
                    .collect();
                let has_all = found.len() == seasons.len();
                Ok((found.into_iter().flatten().collect(), has_all))
            }
            Err(AskError::TooLarge) if seasons.len() > 1 => {
                let (first, second) = seasons.split_at(seasons.len() / 2);
                let (mut found, has_first) = self.seasons(id, first, language, net)?;
                let (rest, has_second) = self.seasons(id, second, language, net)?;
                found.extend(rest);
                Ok((found, has_first && has_second))
            }
            Ok(None) | Err(AskError::TooLarge) => Ok((Vec::new(), false)),
            Err(error) => Err(error),
        }
    }

    /// Sends a request and returns `None` for the status 404.
    fn get(
        &self,
        path: &str,
        parameters: &[(&str, impl AsRef<str> + fmt::Debug)],
        net: &dyn Net,
    ) -> Result<Option<Value>, AskError> {
        let mut query = Serializer::new(String::new());
        for (name, value) in parameters {
            query.append_pair(name, value.as_ref());
        }
        let key = self.key.reveal();
        // The older keys of 32 digits are accepted only in the query.
        let is_query_key = key.len() == 32 && key.bytes().all(|b| b.is_ascii_hexdigit());
        if is_query_key {
            query.append_pair("api_key", key);
        }
        let url = self.base.join(&format!("{path}?{}", query.finish()));
        let request = Request::get(url).header("Accept", "application/json");
        let request = if is_query_key {
            request
        } else {
            request.header("Authorization", format!("Bearer {key}"))
        };
        absent_as_none(net.json(&request))
    }
}

/// Returns `true` if further candidates cannot help: there is a match, or the best ones are equal.
fn is_decided(choice: &Choice) -> bool {
    matches!(
        choice,
        Choice::Match { .. }
            | Choice::Notfound {
                ambiguous: true,
                ..
            }
    )
}
