//! Tagged audio files: the cost of the first scan, compared with only reading the tags.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ledge_core::registry::reading::ReadTools;
use ledge_fixtures::{AudioTags, mp3};
use ledge_kind_audio::inspect::read_metadata;
use ledge_tests::Server;

use crate::{figure, measure::machine, prepare, scanning};

/// Number of albums, and of tracks per album.
const ALBUMS: u32 = 2_000;
const TRACKS: u32 = 10;

/// Writes the albums and returns the paths of all files.
fn shelve(root: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for album in 0..ALBUMS {
        let (artist, title) = (format!("Band {}", album / 4), format!("Record {album}"));
        let folder = root.join(&artist).join(&title);
        fs::create_dir_all(&folder).expect("a folder");
        for track in 1..=TRACKS {
            let name = format!("Song {track} of {album}");
            let tags = AudioTags {
                title: name.clone(),
                artist: artist.clone(),
                album: title.clone(),
                album_artist: artist.clone(),
                genre: "Rock".to_owned(),
                year: Some(1970 + i32::try_from(album % 50).unwrap_or(0)),
                track: Some((track, TRACKS)),
                disc: Some((1, 1)),
                ..AudioTags::default()
            };
            let path = folder.join(format!("{track:02} - {name}.mp3"));
            fs::write(&path, mp3(&tags)).expect("a file");
            paths.push(path);
        }
    }
    paths
}

/// Measures the first scan of tagged audio files, and the floor.
pub(crate) fn measure(ledge: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("Music");
    let paths = shelve(&root);
    let floor = floor(&paths);
    let data = folder.path().join("data");
    fs::create_dir_all(&data).expect("a folder");
    let server = Server::in_folder(ledge, &data, prepare::SETTINGS);
    let admin = server.admin();
    let library = prepare::register(&admin, &root);
    let (before, begin) = (machine::cpu(server.pid()), Instant::now());
    let status = scanning::scan(&admin, library);
    let wall = begin.elapsed();
    let cpu = machine::cpu_since(server.pid(), before);
    assert_eq!(status["added"], paths.len(), "{status}");
    let each = |time: Duration| time.as_secs_f64() * 1e6 / paths.len() as f64;
    figure(
        "first scan of tagged MP3, CPU",
        &format!("{:.0} µs a file", each(cpu)),
        &format!(
            "budget 130 µs; {} files, {:.0}/s; their tags alone {:.1} µs",
            paths.len(),
            paths.len() as f64 / wall.as_secs_f64(),
            each(floor),
        ),
    );
}

/// Returns the CPU time for reading all tags. It is that of the second of two rounds.
fn floor(paths: &[PathBuf]) -> Duration {
    let tools = ReadTools {
        root: Path::new("/"),
        ffprobe: None,
        time_limit: Duration::from_secs(5),
    };
    let mut last = Duration::ZERO;
    for _ in 0..2 {
        let before = machine::own_cpu();
        for path in paths {
            let (inspection, probe) = read_metadata(path, &tools);
            assert!(inspection.is_ok() && probe.is_ok(), "{}", path.display());
        }
        last = machine::own_cpu().saturating_sub(before);
    }
    last
}
