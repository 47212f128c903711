//! Playback engines: tables of the containers and codecs that client players declare as playable,
//! one file each.
//!
//! A table lists only formats that the player plays on every device. Formats that only some devices
//! decode are left out: a user can override a refusal, but cannot fix a black picture.

mod avplayer;
mod exoplayer;
mod html5;
mod mpv;
mod web_decode;

#[cfg(test)]
mod probe_names;

pub use avplayer::AVPLAYER;
pub use exoplayer::EXOPLAYER;
pub use html5::HTML5;
pub use mpv::MPV;
pub use web_decode::WEB_DECODE;
