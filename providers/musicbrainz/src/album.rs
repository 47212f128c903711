//! Selection of the release that an album is.

use ledge_core::enrich::query_text;
use ledge_core::registry::provider::{AskError, Candidate, Net, Query};

use crate::id::{self, Entity};
use crate::lucene::All;
use crate::parse::{self, Release};
use crate::rank::{self, KnownAlbum};
use crate::requests::MusicBrainz;

/// Most releases that are requested with their tracks.
const MAX_DETAILED: usize = 2;
/// Most candidates of a search.
const MAX_CANDIDATES: usize = 20;

impl MusicBrainz {
    /// Returns candidates for an album: by the ids in its tags first, then by names.
    pub(crate) fn search_album(
        &self,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Vec<Candidate>, AskError> {
        let release_id = question.external_id("musicbrainz_release");
        if let Some(id) = release_id.and_then(id::uuid)
            && let Some(release) = self.release(&id, net)?
        {
            return Ok(vec![certain(release.candidate)]);
        }
        let group_id = question.external_id("musicbrainz_release_group");
        if let Some(id) = group_id.and_then(id::uuid)
            && let Some(candidate) = self.best_of_group(&id, question, net)?
        {
            return Ok(vec![certain(candidate)]);
        }
        let found = self.search_releases(question, net)?;
        let ranked = self.ranked(found, question, net)?;
        let candidates = ranked.into_iter().map(|one| one.candidate);
        Ok(candidates.take(MAX_CANDIDATES).collect())
    }

    /// Returns the release of a group that is most like the album.
    pub(crate) fn best_of_group(
        &self,
        group: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let Some(list) = self.releases_of(group, net)? else {
            return Ok(None);
        };
        let found = parse::releases(&list, &self.covers)?;
        let ranked = self.ranked(found, question, net)?;
        Ok(ranked.into_iter().next().map(|one| one.candidate))
    }

    /// Returns a release with its tracks.
    pub(crate) fn release(&self, id: &str, net: &dyn Net) -> Result<Option<Release>, AskError> {
        let Some(entry) = self.entry(Entity::Release, id, net)? else {
            return Ok(None);
        };
        parse::release(&entry, &self.covers)
    }

    fn search_releases(&self, question: &Query, net: &dyn Net) -> Result<Vec<Release>, AskError> {
        let tracks = KnownAlbum::of(question).tracks;
        let title = query_text::title(&question.title);
        let named = |title: &str| All::default().phrase(&["release"], title).artist(question);
        let mut queries = Vec::new();
        queries.extend(tracks.map(|tracks| named(&title).number("tracks", tracks)));
        queries.push(named(&title));
        queries.extend(short_title(&title).map(named));
        for query in queries {
            let answer = self.find(Entity::Release, &query, net)?;
            let found = parse::releases(&answer, &self.covers)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Sorts releases by their likeness to the album, and requests the tracks of the best ones.
    fn ranked(
        &self,
        found: Vec<Release>,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Vec<Release>, AskError> {
        let album = KnownAlbum::of(question);
        let mut ranked = rank::sorted(found, &album);
        let mut detailed = Vec::new();
        for listed in ranked.iter().take(MAX_DETAILED) {
            detailed.push(match self.release(&listed.candidate.provider_id, net) {
                Ok(Some(release)) => release,
                Ok(None) | Err(AskError::TooLarge) => listed.clone(),
                Err(error) => return Err(error),
            });
        }
        let others = ranked.split_off(detailed.len());
        let mut ranked = rank::by_lengths(detailed, &album);
        ranked.extend(others);
        rank::share_first_year(&mut ranked);
        Ok(ranked)
    }
}

fn certain(candidate: Candidate) -> Candidate {
    Candidate {
        is_certain: true,
        ..candidate
    }
}

/// Returns the title without an edition in brackets or a subtitle: `Rumours (Deluxe Edition)`.
fn short_title(title: &str) -> Option<&str> {
    let open = title.find(['(', '[']);
    let before = open.and_then(|at| title.get(..at)).map(str::trim);
    let before = before.filter(|before| before.chars().count() >= 3);
    before.or_else(|| query_text::main_title(title))
}

#[cfg(test)]
mod tests {
    use super::short_title;

    #[test]
    fn short_title_has_no_edition() {
        for (title, expected) in [
            ("Rumours (Deluxe Edition)", Some("Rumours")),
            ("Rumours [2013 Remaster]", Some("Rumours")),
            ("Pinkerton: Deluxe", Some("Pinkerton")),
            ("( )", None),
            ("Rumours", None),
        ] {
            assert_eq!(short_title(title), expected, "{title}");
        }
    }
}
