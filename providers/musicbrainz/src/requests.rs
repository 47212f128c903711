//! Requests to MusicBrainz, for albums and tracks.

use form_urlencoded::Serializer;
use ledge_core::registry::provider::{
    AskError, Base, Candidate, ExternalId, Lookup, Net, PersonDetails, Query, Settings,
    absent_as_none,
};
use serde_json::Value;

use crate::id::{self, Entity};
use crate::lucene::All;
use crate::parse;

/// Subkind of single recordings.
const TRACK: &str = "track";

/// Results of a search. MusicBrainz returns at most 100.
const SEARCH_LIMIT: &str = "25";

/// Data that is requested with a release.
const RELEASE_DATA: &str = "artist-credits labels recordings release-groups genres url-rels";
/// Data that is requested with a recording.
const RECORDING_DATA: &str = "artist-credits releases release-groups genres url-rels";
/// Data that is requested with an artist.
const ARTIST_DATA: &str = "url-rels";
/// Data that is requested with the releases of a release group.
const LIST_DATA: &str = "artist-credits labels media release-groups";

/// MusicBrainz client for the configured addresses.
#[derive(Debug)]
pub(crate) struct MusicBrainz {
    base: Base,
    pub(crate) covers: Base,
}

impl Lookup for MusicBrainz {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        if is_track(question) {
            self.search_track(question, net)
        } else {
            self.search_album(question, net)
        }
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let Some((entity, id)) = id::parse(provider_id) else {
            return Ok(None);
        };
        match entity {
            Some(Entity::Recording) => self.recording(&id, net),
            None if is_track(question) => self.recording(&id, net),
            Some(Entity::ReleaseGroup) => self.best_of_group(&id, question, net),
            Some(Entity::Release) | None => Ok(self.release(&id, net)?.map(|one| one.candidate)),
        }
    }

    fn person(
        &self,
        ids: &[ExternalId],
        _languages: &[String],
        net: &dyn Net,
    ) -> Result<Option<PersonDetails>, AskError> {
        let Some(id) = ExternalId::find(ids, "musicbrainz").and_then(id::uuid) else {
            return Ok(None);
        };
        let path = format!("{}/{id}", id::ARTIST);
        let answer = absent_as_none(self.get(&path, &[("inc", ARTIST_DATA)], net))?;
        answer.map(|answer| parse::artist(&answer)).transpose()
    }
}

fn is_track(question: &Query) -> bool {
    question.subkind.as_deref() == Some(TRACK)
}

impl MusicBrainz {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            base: settings.base(crate::URL.variable).clone(),
            covers: settings.base(crate::COVERS_URL.variable).clone(),
        }
    }

    /// Returns an entry by its id. MusicBrainz responds to the id of a merged entry with the entry
    /// into which it was merged.
    pub(crate) fn entry(
        &self,
        entity: Entity,
        id: &str,
        net: &dyn Net,
    ) -> Result<Option<Value>, AskError> {
        let data = match entity {
            Entity::Recording => RECORDING_DATA,
            Entity::Release | Entity::ReleaseGroup => RELEASE_DATA,
        };
        let path = format!("{}/{id}", entity.name());
        absent_as_none(self.get(&path, &[("inc", data)], net))
    }

    /// Searches for entries of a type.
    pub(crate) fn find(
        &self,
        entity: Entity,
        query: &All,
        net: &dyn Net,
    ) -> Result<Value, AskError> {
        let fields = [("query", query.text()), ("limit", SEARCH_LIMIT)];
        self.get(entity.name(), &fields, net)
    }

    /// Returns the releases of a release group. An unknown group has none.
    pub(crate) fn releases_of(
        &self,
        group: &str,
        net: &dyn Net,
    ) -> Result<Option<Value>, AskError> {
        let fields = [
            ("release-group", group),
            ("inc", LIST_DATA),
            ("limit", "100"),
        ];
        absent_as_none(self.get(Entity::Release.name(), &fields, net))
    }

    fn get(&self, path: &str, fields: &[(&str, &str)], net: &dyn Net) -> Result<Value, AskError> {
        let query = Serializer::new(String::new())
            .extend_pairs(fields)
            .append_pair("fmt", "json")
            .finish();
        net.get_json(&self.base.join(&format!("{path}?{query}")))
    }
}
