//! Tests of the ffprobe invocation and of its output, including hostile output.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ledge_core::error::ReadError;
use ledge_core::process::ffprobe::probe;
use ledge_core::registry::reading::{Probe, ReadTools, Stream, StreamKind};

fn media(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/media")
        .join(name)
}

/// Path of the real program. The setup installs it, and the tests fail without it.
fn real() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("ffprobe"))
        .find(|program| program.is_file())
        .expect("ffprobe is not on the PATH: install ffmpeg to run these tests")
}

fn ask(program: &Path, file: &Path, limit: Duration) -> Result<Probe, ReadError> {
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: Some(program),
        time_limit: limit,
    };
    probe(file, &tools)
}

fn ask_real(file: &Path) -> Result<Probe, ReadError> {
    ask(&real(), file, Duration::from_secs(30))
}

fn ask_script(name: &str, file: &Path, limit: Duration) -> Result<Probe, ReadError> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ffprobe");
    ask(&scripts.join(name), file, limit)
}

fn facts(probe: &Probe) -> (&str, Option<&str>, Option<&str>) {
    (
        probe.container.as_deref().expect("a container"),
        probe.vcodec.as_deref(),
        probe.acodec.as_deref(),
    )
}

#[test]
fn probe_reads_real_files() {
    for (file, expected, size) in [
        ("cover.mp3", ("mp3", None, Some("mp3")), None),
        (
            "h264-aac.mp4",
            ("mp4", Some("h264"), Some("aac")),
            Some((64, 48)),
        ),
        (
            "attached.mkv",
            ("matroska", Some("h264"), Some("opus")),
            Some((64, 48)),
        ),
        (
            "mpeg4-mp3.avi",
            ("avi", Some("mpeg4"), Some("mp3")),
            Some((64, 48)),
        ),
        ("vp9.webm", ("webm", Some("vp9"), None), Some((64, 48))),
    ] {
        let probe = ask_real(&media(file)).expect(file);
        assert_eq!(facts(&probe), expected, "{file}");
        assert_eq!(probe.width.zip(probe.height), size, "{file}");
        let duration = probe.duration.expect("a duration");
        assert!((0.9..1.2).contains(&duration), "{file} lasts {duration} s");
    }
}

#[test]
fn document_type_distinguishes_webm_from_matroska() {
    let folder = tempfile::tempdir().expect("a folder");
    let matroska = folder.path().join("misnamed.webm");
    std::fs::copy(media("attached.mkv"), &matroska).expect("a copy");
    assert_eq!(facts(&ask_real(&matroska).expect("probes")).0, "matroska");
    let webm = folder.path().join("misnamed.mkv");
    std::fs::copy(media("vp9.webm"), &webm).expect("a copy");
    assert_eq!(facts(&ask_real(&webm).expect("probes")).0, "webm");
}

#[test]
fn streams_and_chapters_keep_order_and_marks() {
    let probe = ask_real(&media("attached.mkv")).expect("probes");
    let [video, audio, subtitle] = probe.streams.as_slice() else {
        panic!("three streams and no attached picture: {:?}", probe.streams);
    };
    assert_eq!(video.kind, StreamKind::Video);
    assert_eq!(
        (audio.kind, audio.language.as_deref()),
        (StreamKind::Audio, Some("de"))
    );
    let signs = Stream {
        kind: StreamKind::Subtitle,
        codec: Some("subrip".to_owned()),
        language: Some("en".to_owned()),
        title: Some("Signs".to_owned()),
        forced: true,
        default: false,
    };
    assert_eq!(*subtitle, signs);
    let chapters: Vec<(&str, f64)> = probe
        .chapters
        .iter()
        .map(|chapter| (chapter.title.as_str(), chapter.start))
        .collect();
    assert_eq!(chapters, [("Opening", 0.0), ("Ending", 0.5)]);
}

#[test]
fn hostile_names_are_not_interpreted() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in [
        "-i.mp4",
        "--help.mp4",
        "file:x.mp4",
        "concat:a.mp4|b.mp4",
        "pipe:0.mp4",
        "subfile,,start,0,end,9,,:x.mp4",
        "it's \"quoted\" `id` $(id).mp4",
        "two\nlines.mp4",
        "%00%2e%2e.mp4",
        "x%03d.mp4",
        "*?[a].mp4",
    ] {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::copy(media("h264-aac.mp4"), &file).expect("a copy");
        let probe = ask_real(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(facts(&probe), ("mp4", Some("h264"), Some("aac")), "{name}");
    }
}

#[test]
fn file_with_invalid_utf8_name_is_probed() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder
        .path()
        .join(std::ffi::OsStr::from_bytes(b"caf\xe9.mp4"));
    std::fs::copy(media("h264-aac.mp4"), &file).expect("a copy");
    assert_eq!(facts(&ask_real(&file).expect("probes")).0, "mp4");
}

#[test]
fn playlist_with_media_extension_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("segment.ts");
    std::fs::copy(media("h264-aac.mp4"), &target).expect("a copy");
    let scripts = [
        format!("ffconcat version 1.0\nfile '{}'\n", target.display()),
        format!(
            "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n",
            target.display()
        ),
    ];
    for script in scripts {
        let file = folder.path().join("film.mp4");
        std::fs::write(&file, &script).expect("a file");
        let answer = ask_real(&file);
        assert!(
            matches!(answer, Err(ReadError::Damaged(_))),
            "{script}: {answer:?}"
        );
    }
}

#[test]
fn error_of_damaged_file_omits_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("film.mp4");
    std::fs::write(&file, vec![0x55; 4096]).expect("a file");
    let error = ask_real(&file).expect_err("no film").to_string();
    assert!(!error.contains("film.mp4") && !error.is_empty(), "{error}");
}

#[test]
fn empty_file_is_unknown_without_probe() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("empty.mkv");
    std::fs::write(&file, b"").expect("a file");
    let absent = Path::new("/nonexistent/ffprobe");
    let probe = ask(absent, &file, Duration::from_secs(1)).expect("probes");
    assert_eq!(facts(&probe), ("unknown", None, None));
}

#[test]
fn probe_without_program_is_empty() {
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(1),
    };
    assert_eq!(
        probe(&media("cover.mp3"), &tools).expect("no error"),
        Probe::default()
    );
}

#[test]
fn program_that_cannot_start_is_an_error() {
    let answer = ask(
        Path::new("/nonexistent/ffprobe"),
        &media("cover.mp3"),
        Duration::from_secs(1),
    );
    assert!(matches!(answer, Err(ReadError::Io(_))), "{answer:?}");
}

#[test]
fn time_limit_ends_program() {
    let start = Instant::now();
    let answer = ask_script("slow.sh", &media("cover.mp3"), Duration::from_millis(300));
    assert!(matches!(answer, Err(ReadError::Limit(_))), "{answer:?}");
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "gave up after {took:?}");
}

#[test]
fn garbage_is_an_error() {
    let answer = ask_script("garbage.sh", &media("cover.mp3"), Duration::from_secs(20));
    assert!(matches!(answer, Err(ReadError::Damaged(_))), "{answer:?}");
}

#[test]
fn endless_output_is_limited() {
    let answer = ask_script("endless.sh", &media("cover.mp3"), Duration::from_mins(1));
    let Err(ReadError::Limit(text)) = answer else {
        panic!("not limited: {answer:?}");
    };
    assert!(text.contains("too long"), "{text}");
}

#[test]
fn many_messages_do_not_block_output() {
    let answer = ask_script("chatty.sh", &media("cover.mp3"), Duration::from_mins(1));
    assert_eq!(facts(&answer.expect("an answer")).0, "avi");
}

#[test]
fn last_message_is_error_text() {
    let answer = ask_script("failing.sh", &media("cover.mp3"), Duration::from_secs(20));
    let error = answer.expect_err("a failure").to_string();
    assert_eq!(error, "Invalid data found [0m");
}

#[test]
fn file_is_standard_input_and_name_is_not_an_argument() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("-y; rm *\n'.mp4");
    std::fs::copy(media("h264-aac.mp4"), &file).expect("a copy");
    let probe = ask_script("arguments.sh", &file, Duration::from_secs(20)).expect("an answer");
    let titles: Vec<_> = probe
        .streams
        .iter()
        .map(|s| s.title.as_deref().expect("hex"))
        .collect();
    let hex = |text: &str| -> String {
        let digits = |byte: u8| [byte >> 4, byte & 15].map(u32::from);
        let digit = |value: u32| char::from_digit(value, 16).expect("below 16");
        text.bytes().flat_map(digits).map(digit).collect()
    };
    let size = std::fs::metadata(&file).expect("a file").len();
    let input = hex("file:/proc/self/fd/0");
    assert_eq!(titles, [hex("-i"), input, size.to_string()]);
}
