//! An example of a further playback engine: a player that somebody builds into a radio. The core
//! has never heard of it; linking this crate is all it takes for clients to name it.

use ledge_core::registry::PlaybackEngine;

/// A player of music in open formats, which draws no pictures.
///
/// Source: the manual of the player, with the page that lists what it plays.
pub const RADIO: PlaybackEngine = PlaybackEngine {
    id: "radio",
    label: "Radio",
    rank: 90,
    containers: &["ogg", "flac", "mp3", "matroska"],
    vcodecs: &[],
    acodecs: &["vorbis", "opus", "flac", "mp3"],
};

inventory::submit! { RADIO }
