//! What is found inside an audio file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;
use ledge_kind_audio::KIND;

#[test]
fn a_recording_with_a_cover_has_no_video_codec() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let ffprobe: PathBuf = std::env::split_paths(&path)
        .map(|folder| folder.join("ffprobe"))
        .find(|program| program.is_file())
        .expect("ffprobe is not on the PATH: install ffmpeg to run these tests");
    let tools = ReadTools {
        ffprobe: Some(&ffprobe),
        time_limit: Duration::from_secs(30),
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/tests/media/cover.mp3");
    let probe = KIND.probe.expect("recordings are probed")(&file, &tools).expect("probes");
    assert_eq!(
        (probe.vcodec, probe.width, probe.height),
        (None, None, None)
    );
    assert_eq!(probe.acodec.as_deref(), Some("mp3"));
    assert_eq!(probe.container.as_deref(), Some("mp3"));
}
