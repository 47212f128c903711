//! The descriptor of a playback engine: what a client's player says it can play.

/// One playback engine, declared by tables from its maker's documentation.
#[derive(Debug, Clone, Copy)]
pub struct PlaybackEngine {
    /// Identifier in the API: `html5`.
    pub id: &'static str,
    /// Name shown to people.
    pub label: &'static str,
    /// Place in listings; ties are broken by `id`.
    pub rank: i32,
    /// Containers, one word each: `mp4`, `matroska`, ….
    pub containers: &'static [&'static str],
    /// Video codecs in ffprobe's names.
    pub vcodecs: &'static [&'static str],
    /// Audio codecs in ffprobe's names.
    pub acodecs: &'static [&'static str],
}

inventory::collect!(PlaybackEngine);
