//! Cost of reading the metadata of a video.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ledge_core::registry::reading::ReadTools;
use ledge_kind_video::reading::inspect;

use crate::figure;

/// Number of reads per file.
const ROUNDS: u32 = 2_000;
static TOOLS: LazyLock<ReadTools<'static>> = LazyLock::new(|| ReadTools {
    root: Path::new("/"),
    ffprobe: None,
    time_limit: Duration::from_secs(5),
});

/// Measures probing and inspecting the fixture films, and those of `LEDGE_TEST_CORPUS`. Compares
/// with opening the file and reading its first bytes, and with ffprobe.
pub(crate) fn one() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/media");
    let mut films: Vec<_> = [
        "harbour-light.mp4",
        "northern-glass.mkv",
        "deep-zoom.webm",
        "paper-boats.avi",
    ]
    .iter()
    .map(|name| fixtures.join(name))
    .collect();
    if let Some(corpus) = std::env::var_os("LEDGE_TEST_CORPUS") {
        let matrix = Path::new(&corpus).join("video/matrix");
        for name in [
            "mpeg2-mp2.ts",
            "mpeg2-ac3.mpg",
            "flv1-mp3.flv",
            "wmv2-wmav2.wmv",
            "theora-vorbis.ogv",
        ] {
            films.push(matrix.join(name));
        }
    }
    for film in films.iter().filter(|film| film.is_file()) {
        let name = film.file_name().unwrap_or_default().to_string_lossy();
        let floor = each(ROUNDS, || {
            let mut head = Vec::new();
            let file = File::open(film).expect("a film");
            file.take(8 << 10).read_to_end(&mut head).expect("bytes");
        });
        let probe = each(ROUNDS, || {
            inspect::probe(film, &TOOLS).expect("a film");
        });
        let both = each(ROUNDS, || {
            inspect::probe(film, &TOOLS).expect("a film");
            inspect::inspect(film, &TOOLS).expect("a film");
        });
        figure(
            &format!("probe of {name}"),
            &format!("{:.1} µs", probe * 1e6),
            &format!(
                "budget 300 µs; with its inspection {:.1} µs; opening it and reading 8 KiB {:.1} µs; {}",
                both * 1e6,
                floor * 1e6,
                beside(film)
            ),
        );
    }
}

/// Returns the mean duration in seconds.
fn each(rounds: u32, mut run: impl FnMut()) -> f64 {
    let begin = Instant::now();
    for _ in 0..rounds {
        run();
    }
    begin.elapsed().as_secs_f64() / f64::from(rounds)
}

/// Measures ffprobe, if it is installed.
fn beside(film: &Path) -> String {
    let ask = || {
        let mut command = Command::new("ffprobe");
        command.args([
            "-v",
            "error",
            "-show_format",
            "-show_streams",
            "-show_chapters",
        ]);
        command
            .arg(film)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if !ask() || fs::metadata(film).is_err() {
        return "no ffprobe".to_owned();
    }
    let time = each(5, || {
        ask();
    });
    format!("ffprobe {:.0} ms", time * 1e3)
}
