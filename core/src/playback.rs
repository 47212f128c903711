//! Playback: whether a file plays, from its codecs and from what the client's engines declare.
//!
//! The server never says by itself that a file plays: it compares what a probe found with the
//! engines that a client offers.

use std::fmt;

use crate::registry::{PlaybackEngine, Registry};

/// What a probe calls a codec or container that it does not recognise.
pub const UNKNOWN: &str = "unknown";

/// What is known of a file's content. A recording without pictures has no video codec, a silent
/// film no audio codec; a file without container was not probed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Codecs {
    /// Container, in one word.
    pub container: Option<String>,
    /// Video codec, in ffprobe's name.
    pub vcodec: Option<String>,
    /// Audio codec, in ffprobe's name.
    pub acodec: Option<String>,
}

/// Something a client asks about.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// Whether it is gone from the disk.
    pub missing: bool,
    /// What is in it.
    pub codecs: &'a Codecs,
}

/// The first thing that stands in the way. Its text is the API's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The file is gone from the disk.
    Missing,
    /// Nothing of this kind is played.
    Kind(String),
    /// The client offered no engine that is known here.
    NoEngines,
    /// Nobody has looked into the file.
    Unprobed,
    /// The first engine has no decoder for the pictures.
    Vcodec(String),
    /// The first engine has no decoder for the sound.
    Acodec(String),
    /// The first engine does not open such files.
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

/// The engines a client offers, as far as they are known, in its order; and the kinds that are
/// played at all.
#[derive(Debug, Clone)]
pub struct Offer {
    engines: Vec<&'static PlaybackEngine>,
    kinds: Vec<&'static str>,
}

impl Offer {
    /// The engines of these identifiers; unknown ones are passed over.
    pub fn of<'a>(registry: &Registry, ids: impl IntoIterator<Item = &'a str>) -> Self {
        let known = |id: &str| registry.engines().iter().find(|e| e.id == id).copied();
        let probed = registry.kinds().iter().filter(|kind| kind.is_probed());
        Self {
            engines: ids.into_iter().filter_map(known).collect(),
            kinds: probed.map(|kind| kind.id).collect(),
        }
    }

    /// The kinds whose files are probed, and so have codecs to compare.
    pub fn kinds(&self) -> &[&'static str] {
        &self.kinds
    }

    /// The first engine that plays the candidate, or what stands in the way.
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
            .expect("no engine plays it, the first no more than the others"))
    }
}

/// Why the engine does not play such a file; `None` if it does.
fn obstacle(engine: &PlaybackEngine, container: &str, codecs: &Codecs) -> Option<Obstacle> {
    let lacks = |declared: &[&str], codec: &Option<String>| {
        codec
            .clone()
            .filter(|codec| !declared.contains(&codec.as_str()))
    };
    if let Some(codec) = lacks(engine.vcodecs, &codecs.vcodec) {
        return Some(Obstacle::Vcodec(codec));
    }
    if let Some(codec) = lacks(engine.acodecs, &codecs.acodec) {
        return Some(Obstacle::Acodec(codec));
    }
    if !engine.containers.contains(&container) {
        return Some(Obstacle::Container(container.to_owned()));
    }
    // A container without picture and sound: there is nothing in it that could be played.
    (codecs.vcodec.is_none() && codecs.acodec.is_none())
        .then(|| Obstacle::Vcodec(UNKNOWN.to_owned()))
}

#[cfg(test)]
mod tests;
