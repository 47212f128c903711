//! Playback decisions: a file is playable if an engine of the client supports its codecs.
//!
//! The server has no list of playable formats of its own: it compares the probed codecs with the
//! engines that a client offers.

use std::fmt;

use crate::registry::{PlaybackEngine, Registry, UNKNOWN_CODEC};

/// Codecs of a file. An audio file has no video codec, and a silent film has no audio codec. A file
/// without container was not probed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Codecs {
    /// Container, as one word.
    pub container: Option<String>,
    /// Video codec, by its ffprobe name.
    pub vcodec: Option<String>,
    /// Audio codec, by its ffprobe name.
    pub acodec: Option<String>,
}

/// File that a client asks about.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Id of the media kind.
    pub kind: &'a str,
    /// `true` if the file is missing on the disk.
    pub missing: bool,
    /// Container and codecs.
    pub codecs: &'a Codecs,
}

/// First reason why a file is not playable. Its text is part of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The file is missing on the disk.
    Missing,
    /// Files of this kind are never played.
    Kind(String),
    /// The client offered no known engine.
    NoEngines,
    /// The file was not probed.
    Unprobed,
    /// The client's first engine does not support the video codec.
    Vcodec(String),
    /// The client's first engine does not support the audio codec.
    Acodec(String),
    /// The client's first engine does not support the container.
    Container(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "missing"),
            Self::Kind(kind) => write!(f, "kind:{kind}"),
            Self::NoEngines => write!(f, "engines:none"),
            Self::Unprobed => write!(f, "unprobed"),
            Self::Vcodec(codec) => write!(f, "vcodec:{codec}"),
            Self::Acodec(codec) => write!(f, "acodec:{codec}"),
            Self::Container(container) => write!(f, "container:{container}"),
        }
    }
}

/// Known engines that a client offers, in its order, and the kinds that are played at all.
#[derive(Debug, Clone)]
pub struct Offer {
    engines: Vec<&'static PlaybackEngine>,
    kinds: Vec<&'static str>,
}

impl Offer {
    /// Creates an offer of the engines with these ids. Unknown ids are ignored.
    pub fn of<'a>(registry: &Registry, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let known = |id: &str| registry.engines().iter().find(|e| e.id == id).copied();
        let probed = registry.kinds().iter().filter(|kind| kind.is_probed());
        Self {
            engines: ids.into_iter().filter_map(known).collect(),
            kinds: probed.map(|kind| kind.id).collect(),
        }
    }

    /// Returns the kinds whose files are probed, so that codecs are known.
    pub fn kinds(&self) -> &[&'static str] {
        &self.kinds
    }

    /// Returns the first engine that plays the candidate, or the reason why there is none.
    pub fn resolve(&self, candidate: Candidate<'_>) -> Result<&'static PlaybackEngine, Obstacle> {
        if candidate.missing {
            return Err(Obstacle::Missing);
        }
        if !self.kinds.contains(&candidate.kind) {
            return Err(Obstacle::Kind(candidate.kind.to_owned()));
        }
        let first = self.engines.first().ok_or(Obstacle::NoEngines)?;
        let container = candidate.codecs.container.as_deref();
        let container = container.ok_or(Obstacle::Unprobed)?;
        let plays = |engine: &&&'static PlaybackEngine| {
            obstacle(engine, container, candidate.codecs).is_none()
        };
        if let Some(engine) = self.engines.iter().find(plays) {
            return Ok(engine);
        }
        Err(obstacle(first, container, candidate.codecs)
            .expect("no engine plays the file, so the first one has an obstacle"))
    }
}

/// Returns the reason why the engine does not play such a file, or `None` if it does.
fn obstacle(engine: &PlaybackEngine, container: &str, codecs: &Codecs) -> Option<Obstacle> {
    let unsupported = |declared: &[&str], codec: &Option<String>| {
        codec
            .clone()
            .filter(|codec| !declared.contains(&codec.as_str()))
    };
    if let Some(codec) = unsupported(engine.vcodecs, &codecs.vcodec) {
        return Some(Obstacle::Vcodec(codec));
    }
    if let Some(codec) = unsupported(engine.acodecs, &codecs.acodec) {
        return Some(Obstacle::Acodec(codec));
    }
    if !engine.containers.contains(&container) {
        return Some(Obstacle::Container(container.to_owned()));
    }
    // A container without video and audio has nothing to play.
    (codecs.vcodec.is_none() && codecs.acodec.is_none())
        .then(|| Obstacle::Vcodec(UNKNOWN_CODEC.to_owned()))
}

#[cfg(test)]
mod tests;
