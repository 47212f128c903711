//! Probe results of an audio file.

use std::path::Path;
use std::time::Duration;

use ledge_core::registry::reading::ReadTools;
use ledge_kind_audio::KIND;

#[test]
fn recording_with_a_cover_has_no_video_codec() {
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(30),
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/tests/media/cover.mp3");
    let examine = KIND.examine.expect("recordings are examined");
    let probe = examine(&file, &tools).1.expect("probes");
    assert_eq!(
        (probe.vcodec, probe.width, probe.height),
        (None, None, None)
    );
    assert_eq!(probe.acodec.as_deref(), Some("mp3"));
    assert_eq!(probe.container.as_deref(), Some("mp3"));
    let cover = KIND.cover.expect("recordings have covers");
    assert!(cover(&file, &tools).expect("a picture").is_some());
}
