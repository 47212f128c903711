//! The playback engines.
