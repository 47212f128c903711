//! Words for containers whose streams are not read here.

use ledge_core::playback::UNKNOWN;

/// Words, in ffprobe's names, by the first bytes of the files.
const WORDS: &[(&[u8], &str)] = &[
    (b".RMF", "rm"),
    (b".ra\xfd", "rm"),
    (b"\x06\x0e\x2b\x34\x02\x05\x01\x01", "mxf"),
    (b"\x1f\x07\x00", "dv"),
    (b"DKIF", "ivf"),
    (b"YUV4MPEG2", "yuv4mpegpipe"),
    (b"NSVf", "nsv"),
    (b"NSVs", "nsv"),
    (b"nut/multimedia container\0", "nut"),
    (b"NuppelVideo", "nuv"),
    (b"MythTVVideo", "nuv"),
    (b"\xb7\xd8\x00\x20\x37\x49\xda\x11", "wtv"),
    (b"\xff\xd8\xff", "mjpeg"),
];

/// Returns the word for the container of a file that begins so.
pub(crate) fn word(head: &[u8]) -> &'static str {
    let known = WORDS.iter().find(|(magic, _)| head.starts_with(magic));
    known.map_or(UNKNOWN, |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use ledge_core::registry::reading::ReadTools;

    use super::*;

    #[test]
    fn every_file_that_is_read_has_a_container() {
        let folder = tempfile::tempdir().expect("a folder");
        let tools = ReadTools {
            root: Path::new("/"),
            ffprobe: None,
            time_limit: Duration::from_secs(5),
        };
        for (name, content, expected) in [
            ("a.rm", &b".RMF\0\0\0\x12"[..], "rm"),
            ("a.mxf", b"\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d", "mxf"),
            ("a.dv", b"\x1f\x07\0\xbf", "dv"),
            ("a.ivf", b"DKIF\0\0\x20\0VP80", "ivf"),
            ("a.wtv", b"something", UNKNOWN),
            ("a.nut", b"", UNKNOWN),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a file");
            let probe = crate::inspect::probe(&path, &tools).expect("a probe");
            assert_eq!(probe.container.as_deref(), Some(expected), "{name}");
        }
    }
}
