//! AVPlayer, the player of Apple's systems.

use ledge_core::registry::PlaybackEngine;

/// The file types of AVFoundation, and the codecs that each of Apple's systems decodes.
///
/// Matroska, WebM and Ogg are none of its types. MPEG transport streams are played as segments of
/// a live stream only. AV1 needs the newest processors and is left out.
///
/// Sources: <https://developer.apple.com/documentation/avfoundation/avfiletype>,
/// <https://developer.apple.com/documentation/avfoundation/avurlasset/audiovisualtypes()>,
/// <https://developer.apple.com/documentation/coremedia/cmvideocodectype> and
/// <https://developer.apple.com/documentation/coreaudiotypes/audio-format-identifiers>.
pub const AVPLAYER: PlaybackEngine = PlaybackEngine {
    id: "avplayer",
    label: "AVPlayer (Apple)",
    rank: 40,
    containers: &[
        "mp4", "mp3", "wav", "aiff", "caf", "adts", "ac3", "eac3", "flac", "amr", "au",
    ],
    vcodecs: &["h264", "hevc", "mpeg4", "h263", "mjpeg", "prores"],
    acodecs: &[
        "aac",
        "alac",
        "mp3",
        "mp2",
        "ac3",
        "eac3",
        "flac",
        "amr_nb",
        "pcm_u8",
        "pcm_s8",
        "pcm_s16le",
        "pcm_s16be",
        "pcm_s24le",
        "pcm_s24be",
        "pcm_s32le",
        "pcm_s32be",
        "pcm_f32le",
        "pcm_f32be",
        "pcm_alaw",
        "pcm_mulaw",
        "adpcm_ima_qt",
    ],
};

inventory::submit! { AVPLAYER }

#[cfg(test)]
mod tests {
    use super::AVPLAYER;
    use crate::known;

    #[test]
    fn apple_plays_alac_and_dolby_in_mp4_but_no_matroska() {
        known::assert_names(&AVPLAYER);
        for container in ["matroska", "webm", "ogg", "avi", "mpegts"] {
            assert!(!AVPLAYER.containers.contains(&container), "{container}");
        }
        for codec in ["alac", "ac3", "eac3", "flac"] {
            assert!(AVPLAYER.acodecs.contains(&codec), "{codec}");
        }
        assert!(AVPLAYER.vcodecs.contains(&"hevc"));
        for codec in ["vp8", "vp9", "av1"] {
            assert!(!AVPLAYER.vcodecs.contains(&codec), "{codec}");
        }
    }
}
