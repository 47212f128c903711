//! The playback engines: what the players that clients use say they can play, one file each.
//!
//! A table says what the player plays wherever it runs; what only some devices decode is left out,
//! since a refusal can be overridden by the person and a black picture cannot.

mod avplayer;
mod exoplayer;
mod html5;
mod mpv;

#[cfg(test)]
mod known;

pub use avplayer::AVPLAYER;
pub use exoplayer::EXOPLAYER;
pub use html5::HTML5;
pub use mpv::MPV;
