//! Descriptor of a playback engine: the formats that a client's player can play.

/// Playback engine, described by tables from the documentation of its vendor.
#[derive(Debug, Clone, Copy)]
pub struct PlaybackEngine {
    /// Identifier in the API: `html5`.
    pub id: &'static str,
    /// Name for users.
    pub label: &'static str,
    /// Position in listings. `id` breaks ties.
    pub rank: i32,
    /// Containers, each as one word: `mp4`, `matroska`, ….
    pub containers: &'static [&'static str],
    /// Video codecs, by their ffprobe names.
    pub vcodecs: &'static [&'static str],
    /// Audio codecs, by their ffprobe names.
    pub acodecs: &'static [&'static str],
}

inventory::collect!(PlaybackEngine);
