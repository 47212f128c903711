//! The file formats of the audio kind.

use ledge_core::registry::{Format, Unit};

/// Extensions with their registered media types, or those that browsers and players use.
///
/// MIDI files and tracker modules are missing because none of the playback engines plays them.
pub(crate) const FORMATS: &[Format] = &[
    audio("mp3", "audio/mpeg"),
    audio("mp2", "audio/mpeg"),
    audio("mp1", "audio/mpeg"),
    audio("mpga", "audio/mpeg"),
    audio("m4a", "audio/mp4"),
    audio("m4b", "audio/mp4"),
    audio("m4p", "audio/mp4"),
    audio("m4r", "audio/mp4"),
    audio("aac", "audio/aac"),
    audio("adts", "audio/aac"),
    audio("ogg", "audio/ogg"),
    audio("oga", "audio/ogg"),
    audio("oggflac", "audio/ogg"),
    audio("opus", "audio/ogg"),
    audio("spx", "audio/ogg"),
    audio("flac", "audio/flac"),
    audio("wav", "audio/wav"),
    audio("wave", "audio/wav"),
    audio("w64", "audio/x-w64"),
    audio("rf64", "audio/wav"),
    audio("aif", "audio/aiff"),
    audio("aiff", "audio/aiff"),
    audio("aifc", "audio/aiff"),
    audio("caf", "audio/x-caf"),
    audio("au", "audio/basic"),
    audio("snd", "audio/basic"),
    audio("ape", "audio/x-ape"),
    audio("wv", "audio/x-wavpack"),
    audio("mpc", "audio/x-musepack"),
    audio("mpp", "audio/x-musepack"),
    audio("tta", "audio/x-tta"),
    audio("tak", "audio/x-tak"),
    audio("dsf", "audio/x-dsf"),
    audio("dff", "audio/x-dff"),
    audio("wma", "audio/x-ms-wma"),
    audio("ac3", "audio/ac3"),
    audio("eac3", "audio/eac3"),
    audio("ec3", "audio/eac3"),
    audio("dts", "audio/vnd.dts"),
    audio("dtshd", "audio/vnd.dts.hd"),
    audio("thd", "audio/vnd.dolby.mlp"),
    audio("mlp", "audio/vnd.dolby.mlp"),
    audio("mka", "audio/x-matroska"),
    audio("weba", "audio/webm"),
    audio("amr", "audio/amr"),
    audio("awb", "audio/amr-wb"),
    audio("3ga", "audio/3gpp"),
    audio("ra", "audio/vnd.rn-realaudio"),
    // Audible files are encrypted, so they can only be downloaded for Audible's own players.
    Format::new("aa", "audio/audible", "download", Unit::None),
    Format::new("aax", "audio/vnd.audible.aax", "download", Unit::None),
    Format::new("aaxc", "audio/vnd.audible.aaxc", "download", Unit::None),
];

/// Formats that usually contain video. They are accepted only if they contain sound alone.
pub(crate) const CONTESTED: &[Format] = &[
    audio("mpeg", "audio/mpeg"),
    audio("mpg", "audio/mpeg"),
    audio("ogx", "audio/ogg"),
];

/// Extensions of sidecar files: cue sheets, lyrics, playlists, rip logs, covers, metadata.
pub(crate) const SIDECARS: &[&str] = &[
    "cue", "lrc", "m3u", "m3u8", "pls", "xspf", "nfo", "log", "accurip", "md5", "sfv", "ffp",
    "opf", "json", "abs", "chapters", "ini", "txt", "pdf", "jpg", "jpeg", "png", "webp", "gif",
    "bmp", "tif", "tiff",
];

const fn audio(extension: &'static str, mime: &'static str) -> Format {
    Format::new(extension, mime, "audio", Unit::Second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypted_files_are_offered_for_download() {
        for extension in ["aa", "aax"] {
            let format = FORMATS.iter().find(|format| format.extension == extension);
            assert_eq!(
                format.map(|format| format.viewer),
                Some("download"),
                "{extension}"
            );
        }
    }

    #[test]
    fn video_containers_are_left_to_the_video_kind() {
        for extension in ["mp4", "webm", "mkv", "ogv", "ts"] {
            assert!(
                FORMATS.iter().all(|format| format.extension != extension),
                "{extension}"
            );
        }
    }
}
