//! File formats of the video kind.

use std::path::Path;

use ledge_core::registry::{Format, Unit};

/// Extensions with their registered media types, or those that browsers and players use.
///
/// Disc images (`.iso`) are missing because they contain a file system, and none of the engines
/// plays them from a URL. Playlists are missing, too.
pub const FORMATS: &[Format] = &[
    video("mp4", "video/mp4"),
    video("m4v", "video/x-m4v"),
    video("mp4v", "video/mp4"),
    video("mkv", "video/x-matroska"),
    video("mk3d", "video/x-matroska"),
    video("webm", "video/webm"),
    video("avi", "video/x-msvideo"),
    video("divx", "video/x-msvideo"),
    video("xvid", "video/x-msvideo"),
    video("mov", "video/quicktime"),
    video("qt", "video/quicktime"),
    video("wmv", "video/x-ms-wmv"),
    video("asf", "video/x-ms-asf"),
    video("flv", "video/x-flv"),
    video("f4v", "video/x-f4v"),
    video("mpg", "video/mpeg"),
    video("mpeg", "video/mpeg"),
    video("mpe", "video/mpeg"),
    video("mpv", "video/mpeg"),
    video("m1v", "video/mpeg"),
    video("m2v", "video/mpeg"),
    video("mp2v", "video/mpeg"),
    video("mpv2", "video/mpeg"),
    video("m2p", "video/mpeg"),
    video("vob", "video/mpeg"),
    video("vro", "video/mpeg"),
    video("tod", "video/mpeg"),
    video("ps", "video/mpeg"),
    video("ts", "video/mp2t"),
    video("m2t", "video/mp2t"),
    video("m2ts", "video/mp2t"),
    video("mts", "video/mp2t"),
    video("tp", "video/mp2t"),
    video("trp", "video/mp2t"),
    video("ogv", "video/ogg"),
    video("ogm", "video/ogg"),
    video("ogx", "application/ogg"),
    video("3gp", "video/3gpp"),
    video("3gpp", "video/3gpp"),
    video("3g2", "video/3gpp2"),
    video("3gp2", "video/3gpp2"),
    video("rm", "application/vnd.rn-realmedia"),
    video("rmvb", "application/vnd.rn-realmedia-vbr"),
    video("rv", "video/vnd.rn-realvideo"),
    video("mxf", "application/mxf"),
    video("dv", "video/x-dv"),
    video("mjpeg", "video/x-motion-jpeg"),
    video("ivf", "video/x-ivf"),
    video("y4m", "video/x-yuv4mpeg"),
    video("h263", "video/h263"),
    video("263", "video/h263"),
    video("h264", "video/h264"),
    video("264", "video/h264"),
    video("avc", "video/h264"),
    video("h265", "video/h265"),
    video("265", "video/h265"),
    video("hevc", "video/h265"),
    // Formats of recorders without a media type.
    Format::untyped("evo", "video", Unit::Second),
    Format::untyped("nsv", "video", Unit::Second),
    Format::untyped("nut", "video", Unit::Second),
    Format::untyped("nuv", "video", Unit::Second),
    Format::untyped("wtv", "video", Unit::Second),
];

/// Formats that usually contain only audio. They are accepted if they contain video.
pub const CONTESTED: &[Format] = &[video("ogg", "video/ogg")];

/// Extensions of sidecar files: subtitles, metadata, pictures, disc indices.
pub const SIDECARS: &[&str] = &[
    "srt", "ass", "ssa", "vtt", "sub", "idx", "sup", "smi", "sami", "ttml", "usf", "mks", "nfo",
    "json", "xml", "txt", "jpg", "jpeg", "png", "webp", "gif", "tbn", "bif", "ifo", "bup", "edl",
    "chapters", "md5", "sfv", "url",
];

/// Extensions of containers with a reader in this crate. ffprobe reads the others.
const EXTENSIONS_WITH_READER: &[&str] = &[
    "263", "264", "265", "3g2", "3gp", "3gp2", "3gpp", "asf", "avc", "avi", "divx", "evo", "f4v",
    "flv", "h263", "h264", "h265", "hevc", "m1v", "m2p", "m2t", "m2ts", "m2v", "m4v", "mk3d",
    "mkv", "mov", "mp2v", "mp4", "mp4v", "mpe", "mpeg", "mpg", "mpv", "mpv2", "mts", "ogg", "ogm",
    "ogv", "ogx", "ps", "qt", "tod", "tp", "trp", "ts", "vob", "vro", "webm", "wmv", "xvid",
];

/// Returns `true` if the extension is that of a container with a reader in this crate.
pub fn has_reader(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    EXTENSIONS_WITH_READER.contains(&extension.to_lowercase().as_str())
}

const fn video(extension: &'static str, mime: &'static str) -> Format {
    Format::new(extension, mime, "video", Unit::Second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi_has_a_media_type() {
        let avi = FORMATS.iter().find(|format| format.extension == "avi");
        assert_eq!(avi.and_then(|format| format.mime), Some("video/x-msvideo"));
    }

    #[test]
    fn extensions_with_a_reader_are_formats() {
        for extension in EXTENSIONS_WITH_READER {
            assert!(
                FORMATS
                    .iter()
                    .chain(CONTESTED)
                    .any(|format| format.extension == *extension),
                "{extension}"
            );
        }
        assert!(has_reader(Path::new("/m/Film.MKV")));
        assert!(!has_reader(Path::new("/m/Film.rm")));
    }

    #[test]
    fn subtitles_are_not_videos() {
        for extension in ["srt", "sub", "idx", "mks"] {
            assert!(
                FORMATS.iter().all(|format| format.extension != extension),
                "{extension}"
            );
            assert!(SIDECARS.contains(&extension));
        }
    }
}
