//! The `<audio>` and `<video>` elements of web browsers.

use ledge_core::registry::PlaybackEngine;

/// Profile of web browsers: the formats that current Chromium, Firefox and Safari share, with these
/// exceptions:
///
/// - Safari plays neither Matroska nor Ogg. Chromium plays both, and Firefox plays Ogg. They are
///   listed because the client tries to play the file anyway.
/// - HEVC, AC-3, DTS and ALAC are left out because they depend on the device's decoder.
/// - AIFF, CAF and AMR are left out because only Safari plays them. The client asks the browser,
///   and otherwise decodes them (`web/src/playback/decode/native.ts`). A test there compares the
///   tables.
/// - Theora is left out because Chromium 123 and Firefox 126 removed it.
///
/// Sources: MDN's guides to web media,
/// <https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Containers>,
/// <https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Video_codecs> and
/// <https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Audio_codecs>; Chromium's list,
/// <https://www.chromium.org/audio-video/>.
pub const HTML5: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Web browser",
    rank: 10,
    containers: &[
        "mp4", "webm", "matroska", "ogg", "mp3", "flac", "wav", "adts",
    ],
    vcodecs: &["h264", "vp8", "vp9", "av1"],
    acodecs: &[
        "aac",
        "mp3",
        "opus",
        "vorbis",
        "flac",
        "pcm_u8",
        "pcm_s16le",
        "pcm_s24le",
        "pcm_f32le",
        "pcm_alaw",
        "pcm_mulaw",
    ],
};

inventory::submit! { HTML5 }

#[cfg(test)]
mod tests {
    use super::HTML5;
    use crate::probe_names;

    #[test]
    fn browsers_play_open_formats_and_h264_but_not_hevc() {
        probe_names::assert_names(&HTML5);
        for codec in ["h264", "av1", "vp9"] {
            assert!(HTML5.vcodecs.contains(&codec), "{codec}");
        }
        for codec in ["hevc", "mpeg4", "mpeg2video", "theora"] {
            assert!(!HTML5.vcodecs.contains(&codec), "{codec}");
        }
        for codec in ["ac3", "eac3", "dts", "alac", "wmav2"] {
            assert!(!HTML5.acodecs.contains(&codec), "{codec}");
        }
        assert!(HTML5.containers.contains(&"matroska"));
        assert!(!HTML5.containers.contains(&"avi"));
    }
}
