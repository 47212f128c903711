//! AVPlayer, the media player of Apple's operating systems.

use ledge_core::registry::PlaybackEngine;

/// Profile of AVPlayer: the file types of AVFoundation, and the codecs that every Apple system
/// decodes.
///
/// AVFoundation does not read Matroska, WebM or Ogg. It plays MPEG transport streams only as
/// segments of a live stream. AV1 is left out because only the newest processors decode it.
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
    use crate::probe_names;

    #[test]
    fn apple_plays_alac_and_dolby_in_mp4_but_no_matroska() {
        probe_names::assert_names(&AVPLAYER);
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
