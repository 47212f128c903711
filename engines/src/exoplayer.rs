//! ExoPlayer, the media player library of Android applications.

use ledge_core::registry::PlaybackEngine;

/// Profile of ExoPlayer: the containers of its own extractors, and the codecs that every Android
/// device decodes.
///
/// AC-3, E-AC-3 and DTS need a licensed decoder or an external receiver. MPEG-2 and VC-1 need a
/// decoder of the device's manufacturer. All five are left out.
///
/// Sources: <https://developer.android.com/media/media3/exoplayer/supported-formats> and
/// `DefaultExtractorsFactory` of Media3 for the containers, including AVI;
/// <https://developer.android.com/media/platform/supported-formats> for the codecs.
pub const EXOPLAYER: PlaybackEngine = PlaybackEngine {
    id: "exoplayer",
    label: "ExoPlayer (Android)",
    rank: 30,
    containers: &[
        "mp4", "webm", "matroska", "ogg", "mp3", "flac", "wav", "adts", "amr", "flv", "avi",
        "mpegts", "mpegps",
    ],
    vcodecs: &["h264", "hevc", "vp8", "vp9", "av1", "h263", "mpeg4"],
    acodecs: &[
        "aac",
        "mp3",
        "opus",
        "vorbis",
        "flac",
        "amr_nb",
        "amr_wb",
        "pcm_u8",
        "pcm_s16le",
        "pcm_s24le",
        "pcm_s32le",
        "pcm_f32le",
        "pcm_alaw",
        "pcm_mulaw",
    ],
};

inventory::submit! { EXOPLAYER }

#[cfg(test)]
mod tests {
    use super::EXOPLAYER;
    use crate::probe_names;

    #[test]
    fn android_plays_matroska_with_hevc_but_no_dts() {
        probe_names::assert_names(&EXOPLAYER);
        for container in ["matroska", "mpegts", "flv", "avi"] {
            assert!(EXOPLAYER.containers.contains(&container), "{container}");
        }
        assert!(!EXOPLAYER.containers.contains(&"asf"));
        assert!(EXOPLAYER.vcodecs.contains(&"hevc"));
        assert!(!EXOPLAYER.vcodecs.contains(&"vc1"));
        for codec in ["dts", "truehd", "alac"] {
            assert!(!EXOPLAYER.acodecs.contains(&codec), "{codec}");
        }
    }
}
