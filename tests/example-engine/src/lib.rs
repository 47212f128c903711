//! Example of an additional playback engine: a player that is built into a radio. The core does not
//! know it. Linking this crate is sufficient for clients to use it.

use ledge_core::registry::PlaybackEngine;

/// Music player for open formats, without video.
///
/// Source: the manual of the player, with the page that lists the supported formats.
pub const RADIO: PlaybackEngine = PlaybackEngine {
    id: "radio",
    label: "Radio",
    rank: 90,
    containers: &["ogg", "flac", "mp3", "matroska"],
    vcodecs: &[],
    acodecs: &["vorbis", "opus", "flac", "mp3"],
};

inventory::submit! { RADIO }
