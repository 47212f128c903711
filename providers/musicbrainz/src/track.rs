//! Selection of the recording that a single track is.

use ledge_core::enrich::query_text;
use ledge_core::registry::provider::{AskError, Candidate, Net, Query};

use crate::id::{self, Entity};
use crate::lucene::All;
use crate::parse;
use crate::requests::MusicBrainz;

/// Most candidates of a search.
const MAX_CANDIDATES: usize = 20;
/// Penalty in seconds for a recording that is not described as the wanted one.
const OTHER_VERSION: f64 = 60.0;

impl MusicBrainz {
    /// Returns candidates for a track: by the id in its tags first, then by names.
    pub(crate) fn search_track(
        &self,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Vec<Candidate>, AskError> {
        let recording_id = question.external_id("musicbrainz_recording");
        if let Some(id) = recording_id.and_then(id::uuid)
            && let Some(candidate) = self.recording(&id, net)?
        {
            return Ok(vec![Candidate {
                is_certain: true,
                ..candidate
            }]);
        }
        // A title alone has thousands of recordings.
        if question.authors.is_empty() {
            return Ok(Vec::new());
        }
        let query = All::default()
            .phrase(&["recording"], &query_text::title(&question.title))
            .artist(question);
        let answer = self.find(Entity::Recording, &query, net)?;
        let mut found = parse::recordings(&answer, &self.covers)?;
        let seconds = question.parts.first().and_then(|part| part.seconds);
        found.sort_by(|one, other| {
            unlike(one, question, seconds).total_cmp(&unlike(other, question, seconds))
        });
        let mut candidates: Vec<Candidate> = found.into_iter().map(|one| one.candidate).collect();
        candidates.truncate(MAX_CANDIDATES);
        if let Some(best) = candidates.first_mut()
            && let Some(detailed) = self.recording(&best.provider_id, net)?
        {
            *best = detailed;
        }
        Ok(candidates)
    }

    /// Returns a recording by its id.
    pub(crate) fn recording(&self, id: &str, net: &dyn Net) -> Result<Option<Candidate>, AskError> {
        let Some(entry) = self.entry(Entity::Recording, id, net)? else {
            return Ok(None);
        };
        let recording = parse::recording(&entry, &self.covers)?;
        Ok(recording.map(|recording| recording.candidate))
    }
}

/// Returns the difference of the lengths in steps of three seconds, with a penalty for versions
/// that the title does not name.
fn unlike(recording: &parse::Recording, question: &Query, seconds: Option<f64>) -> f64 {
    let length = recording.candidate.details.track_seconds.first();
    let difference = match (seconds, length) {
        (Some(wanted), Some(length)) => (wanted - length).abs(),
        _ => 0.0,
    };
    let title = question.title.to_lowercase();
    let is_other = recording
        .version
        .as_ref()
        .is_some_and(|version| !title.contains(&version.to_lowercase()));
    let penalty = if is_other { OTHER_VERSION } else { 0.0 };
    ((difference + penalty) / 3.0).floor()
}
