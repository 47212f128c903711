//! Tests of the games kind's veto and of platform detection by content.

use std::fs;
use std::path::Path;
use std::time::Duration;

use ledge_core::registry::naming::FileName;
use ledge_core::registry::reading::{Candidate, FolderNotes, ReadTools, Verdict};
use ledge_kind_games::KIND;
use tempfile::TempDir;

/// Temporary folder with files.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
            fs::write(path, bytes).expect("a file");
        }
        Self(folder)
    }

    fn accepts(&self, name: &str) -> bool {
        self.verdict(name) == Verdict::Accept
    }

    fn verdict(&self, name: &str) -> Verdict {
        let path = self.0.path().join(name);
        let folder = path.parent().expect("a folder above");
        let names: Vec<String> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        let siblings: Vec<String> = names
            .iter()
            .map(|name| FileName::new(name).extension)
            .collect();
        let extension = FileName::new(name).extension;
        (KIND.accepts.expect("the kind has a veto"))(&Candidate {
            path: &path,
            root: self.0.path(),
            extension: &extension,
            siblings: &siblings,
            names: &names,
            notes: &FolderNotes::default(),
        })
    }

    fn platform(&self, name: &str) -> Option<String> {
        let tools = ReadTools {
            root: Path::new("/"),
            ffprobe: None,
            time_limit: Duration::from_secs(5),
        };
        let inspect = KIND.inspect.expect("the kind inspects");
        let inspection = inspect(&self.0.path().join(name), &tools).expect("readable");
        inspection
            .facts
            .get("platform")
            .and_then(|id| id.as_str())
            .map(str::to_owned)
    }
}

/// Returns a ZIP directory without the entries' content, which is sufficient for reading names.
fn zip(entries: &[(&str, u32)]) -> Vec<u8> {
    let mut directory = Vec::new();
    for (name, size) in entries {
        directory.extend(b"PK\x01\x02");
        directory.extend([0; 20]);
        directory.extend(size.to_le_bytes());
        directory.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
        directory.extend([0; 16]);
        directory.extend(name.as_bytes());
    }
    let mut bytes = b"PK\x03\x04".to_vec();
    let offset = u32::try_from(bytes.len()).expect("short");
    let size = u32::try_from(directory.len()).expect("short");
    let count = u16::try_from(entries.len()).expect("few");
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(size.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

fn mega_drive() -> Vec<u8> {
    [vec![0; 0x100], b"SEGA MEGA DRIVE ".to_vec(), vec![0; 0xf0]].concat()
}

#[test]
fn markdown_is_not_a_mega_drive_game() {
    let folder = Folder::new(&[
        ("README.md", b"# Read me"),
        ("Lies mich.md", "# Für später\r\n".as_bytes()),
        ("Notes.md", b"\xff\xfe#\0"),
        ("Game.md", &mega_drive()),
        ("Without a header.md", &[0; 600]),
        ("Mega Drive/Without a header.md", &[0; 600]),
        ("empty.md", b""),
        ("Mega Drive/Empty.md", b""),
        ("Mega Drive/README.md", b"# Read me"),
    ]);
    for (name, expected) in [
        ("README.md", false),
        ("Lies mich.md", false),
        ("Notes.md", false),
        ("Game.md", true),
        ("Without a header.md", false),
        ("Mega Drive/Without a header.md", true),
        ("empty.md", false),
        ("Mega Drive/Empty.md", true),
        ("Mega Drive/README.md", false),
    ] {
        assert_eq!(folder.accepts(name), expected, "{name}");
    }
}

#[test]
fn playlist_of_discs_is_accepted_without_the_discs() {
    let folder = Folder::new(&[
        (
            "Game.m3u",
            b"../Discs/Game (Disc 1).chd\n../Discs/Game (Disc 2).chd\n",
        ),
        ("Songs.m3u", b"#EXTM3U\n../Music/Song.mp3\n"),
        ("Nothing.m3u", b"/etc/passwd\n"),
    ]);
    assert!(folder.accepts("Game.m3u"));
    assert!(!folder.accepts("Songs.m3u"));
    assert!(!folder.accepts("Nothing.m3u"));
}

#[test]
fn archive_without_usable_game_is_rejected_with_a_reason() {
    let outside = zip(&[("../../x.nes", 40)]);
    let nested = zip(&[("a.zip", 2), ("b.ZIP", 2)]);
    let other = zip(&[("letter.txt", 4), ("..notes.txt", 1)]);
    let folder = Folder::new(&[
        ("outside.zip", &outside),
        ("nested.zip", &nested),
        ("other.zip", &other),
        ("cut.zip", &other[..other.len() - 30]),
        ("torn.zip", &other[20..]),
        ("source.zip", &zip(&[("/home/x/README.md", 40)])),
    ]);
    for (name, reason) in [
        ("outside.zip", Some("outside of the archive")),
        ("nested.zip", Some("archive of archives")),
        ("other.zip", None),
        ("cut.zip", Some("damaged")),
        ("torn.zip", Some("damaged")),
        ("source.zip", None),
    ] {
        match (folder.verdict(name), reason) {
            (Verdict::Reject(message), Some(reason)) => {
                assert!(message.contains(reason), "{name}: {message}");
            }
            (verdict, reason) => assert_eq!((verdict, reason), (Verdict::Ignore, None), "{name}"),
        }
    }
}

#[test]
fn bin_requires_cue_sheet_header_or_platform_folder() {
    let folder = Folder::new(&[
        ("Game (Track 1).bin", b"x"),
        ("Game.cue", b"FILE \"odd name.bin\" BINARY\n"),
        ("odd name.bin", b"x"),
        ("firmware.bin", b"x"),
        ("Sonic.bin", &mega_drive()),
        ("Atari 2600/Pong.bin", b"x"),
        ("backup/disk.bin", b"x"),
    ]);
    for (name, expected) in [
        ("Game (Track 1).bin", true),
        ("odd name.bin", true),
        ("firmware.bin", false),
        ("Sonic.bin", true),
        ("Atari 2600/Pong.bin", true),
        ("backup/disk.bin", false),
    ] {
        assert_eq!(folder.accepts(name), expected, "{name}");
    }
}

#[test]
fn cue_or_playlist_of_music_is_not_a_game() {
    let folder = Folder::new(&[
        ("Album/album.cue", b""),
        ("Album/album.flac", b""),
        ("Album/album.m3u", b""),
        ("PSX/Game.cue", b""),
        ("PSX/Game.m3u", b""),
        ("Lone/list.m3u", b""),
        ("Mixed/Game.cue", b""),
        ("Mixed/Game (Track 1).bin", b""),
        ("Mixed/Game (Track 2).wav", b""),
    ]);
    for (name, expected) in [
        ("Album/album.cue", false),
        ("Album/album.m3u", false),
        ("PSX/Game.cue", true),
        ("PSX/Game.m3u", true),
        ("Lone/list.m3u", false),
        ("Mixed/Game.cue", true),
    ] {
        assert_eq!(folder.accepts(name), expected, "{name}");
    }
}

#[test]
fn zip_requires_roms_of_one_platform() {
    let many: Vec<(String, u32)> = (0..20).map(|n| (format!("docs/{n}.md"), 90_000)).collect();
    let many: Vec<(&str, u32)> = many
        .iter()
        .map(|(name, size)| (name.as_str(), *size))
        .collect();
    let folder = Folder::new(&[
        (
            "rom.zip",
            &zip(&[("Game (USA).NES", 40_976), ("readme.txt", 100)]),
        ),
        ("sega.zip", &zip(&[("Game.md", 524_288)])),
        (
            "source.zip",
            &zip(&[("src/README.md", 2000), ("src/main.vb", 900)]),
        ),
        ("docs.zip", &zip(&many)),
        ("mixed.zip", &zip(&[("a.nes", 1), ("b.gba", 1)])),
        ("traversal.zip", &zip(&[("../../evil.nes", 1)])),
        ("nested.zip", &zip(&[("inner.zip", 1)])),
        ("cut.zip", b"PK\x03\x04 and no end"),
        ("empty.zip", b""),
        (
            "lie.zip",
            b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0",
        ),
    ]);
    for (name, platform) in [
        ("rom.zip", Some("nes")),
        ("sega.zip", Some("megadrive")),
        ("source.zip", None),
        ("docs.zip", None),
        ("mixed.zip", None),
        ("traversal.zip", None),
        ("nested.zip", None),
        ("cut.zip", None),
        ("empty.zip", None),
        ("lie.zip", None),
    ] {
        assert_eq!(folder.accepts(name), platform.is_some(), "{name}");
        assert_eq!(folder.platform(name).as_deref(), platform, "{name}");
    }
}

/// Sync pattern and header of a raw sector in mode 1.
const RAW: &[u8] = b"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x02\0\x01";

fn sega_cd() -> Vec<u8> {
    [RAW, b"SEGADISCSYSTEM  ", &vec![0; 40_000]].concat()
}

#[test]
fn disc_content_identifies_console() {
    let mut playstation = vec![0; 40_000];
    playstation[16 * 2048..16 * 2048 + 7].copy_from_slice(b"\x01CD001\x01");
    playstation[16 * 2048 + 8..16 * 2048 + 19].copy_from_slice(b"PLAYSTATION");
    let folder = Folder::new(&[
        (
            "Sonic CD.cue",
            b"FILE \"Sonic CD.bin\" BINARY\r\n  TRACK 01 MODE1/2352\r\n",
        ),
        ("Sonic CD.bin", &sega_cd()),
        ("Clone.cue", b"FILE \"Clone.img\" BINARY\n"),
        ("Clone.img", &sega_cd()),
        ("Game.iso", &playstation),
        ("Film.iso", &vec![0; 40_000]),
        ("gone.cue", b"FILE \"gone.bin\" BINARY\n"),
        ("escape.cue", b"FILE \"../Sonic CD.bin\" BINARY\n"),
        ("PC Engine CD/Film.iso", b""),
    ]);
    assert_eq!(folder.platform("Sonic CD.bin").as_deref(), Some("segacd"));
    assert_eq!(folder.platform("Clone.cue").as_deref(), Some("segacd"));
    assert_eq!(folder.platform("Game.iso").as_deref(), Some("psx"));
    assert_eq!(folder.platform("gone.cue"), None);
    assert_eq!(folder.platform("escape.cue"), None);
    assert!(folder.accepts("Game.iso"));
    assert!(!folder.accepts("Film.iso"));
    assert!(folder.accepts("PC Engine CD/Film.iso"));
}

#[test]
fn gd_rom_tracks_are_accepted_with_their_sheet() {
    let folder = Folder::new(&[
        (
            "Game.gdi",
            b"3\n1 0 4 2352 track01.bin 0\n2 600 0 2352 track02.raw 0\n\
              3 45000 4 2352 \"Track 03.bin\" 0\n",
        ),
        ("track01.bin", b"x"),
        ("Track 03.bin", b"x"),
        ("track04.bin", b"x"),
    ]);
    assert!(folder.accepts("Game.gdi"));
    assert!(folder.accepts("track01.bin"));
    assert!(folder.accepts("Track 03.bin"));
    assert!(!folder.accepts("track04.bin"));
}

#[cfg(unix)]
#[test]
fn symbolic_links_of_a_sheet_are_not_followed() {
    let folder = Folder::new(&[
        ("in/Game.cue", b"FILE \"Game.img\" BINARY\n"),
        ("out.img", &sega_cd()),
    ]);
    let link = folder.0.path().join("in/Game.img");
    std::os::unix::fs::symlink(folder.0.path().join("out.img"), link).expect("a link");
    assert_eq!(folder.platform("in/Game.cue"), None);
}

#[test]
fn firmware_and_unidentified_7z_are_not_games() {
    let folder = Folder::new(&[
        ("a/[BIOS] Console (World).gba", b"x"),
        ("a/photos.7z", b"7z"),
        ("b/Game.7z", b"7z"),
        ("b/Other.sfc", b"x"),
        ("SNES/Game.7z", b"7z"),
    ]);
    assert!(!folder.accepts("a/[BIOS] Console (World).gba"));
    assert!(folder.accepts("b/Game.7z"));
    assert!(folder.accepts("SNES/Game.7z"));
    assert!(!Folder::new(&[("photos.7z", b"7z")]).accepts("photos.7z"));
}

#[test]
fn absent_file_is_rejected_without_panic() {
    let folder = Folder::new(&[]);
    for name in ["gone.md", "gone.bin", "gone.zip", "gone.iso"] {
        assert!(!folder.accepts(name), "{name}");
    }
    assert!(Path::new(&folder.0.path()).exists());
}
