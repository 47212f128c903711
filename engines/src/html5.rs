//! The media elements of web browsers.

use ledge_core::registry::PlaybackEngine;

/// What Chromium, Firefox and Safari of today have in common, with the exceptions named here.
///
/// - Matroska and Ogg are not Safari's; Chromium plays them, and Firefox Ogg. The client's own
///   attempt settles what this table leaves open.
/// - HEVC depends on the device's decoder and is left out, as are AC-3, DTS and ALAC.
/// - Theora was removed from Chromium 123 and Firefox 126.
///
/// Sources: MDN's guides to web media, <https://developer.mozilla.org/docs/Web/Media/Guides/Formats/Containers>,
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
    use crate::known;

    #[test]
    fn browsers_play_open_formats_and_h264_but_not_hevc() {
        known::assert_names(&HTML5);
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
