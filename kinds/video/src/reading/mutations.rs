//! Mutation tests: the readers must return for any damaged input, within the time limit.
//!
//! `LEDGE_MUTATIONS` sets the number of mutations per file.

use std::io::Cursor;
use std::time::{Duration, Instant};

use ledge_proving::survives;

use crate::container::tests::DVB;
use crate::fixtures;
use crate::reading::inspect::{cover_in, media};
use crate::reading::nfo;
use crate::subtitles::{self, Format, cue, embedded, fonts};

fn videos() -> Vec<Vec<u8>> {
    vec![
        fixtures::mp4_film(),
        fixtures::mp4_chapters(false),
        fixtures::mp4_chapters(true),
        fixtures::mp4_fragmented(),
        fixtures::matroska_film(),
        fixtures::avi_film(),
        fixtures::asf_film(),
        fixtures::flv_film(true),
        fixtures::flv_film(false),
        fixtures::flv_sorenson(),
        fixtures::ogg_film(),
        fixtures::transport(188),
        fixtures::transport(192),
        fixtures::transport_of(192, false, DVB),
        fixtures::program(),
        fixtures::mpeg1_program(),
    ]
}

#[test]
fn damaged_videos_are_read_or_rejected() {
    for seed in videos() {
        let whole = media(Cursor::new(&seed))
            .expect("no error")
            .expect("a video");
        assert!(whole.probe().duration.is_some());
        survives(&seed, |bytes| {
            if let Ok(Some(media)) = media(Cursor::new(bytes)) {
                media.probe();
                media.facts();
            }
            let _ = cover_in(Cursor::new(bytes));
        });
    }
}

#[test]
fn fonts_in_damaged_films_are_inside_of_them_or_left_out() {
    let seed = fixtures::matroska_film();
    let read = |bytes: &[u8]| fonts::list(Cursor::new(bytes));
    assert_eq!(read(&seed).expect("no error").len(), 1);
    survives(&seed, |bytes| {
        for font in read(bytes).unwrap_or_default() {
            let end = font.start.checked_add(font.size).expect("no overflow");
            assert!(end <= bytes.len() as u64);
        }
    });
}

#[test]
fn subtitles_in_damaged_films_are_read_or_rejected() {
    for (seed, index) in [
        (fixtures::mp4_film(), 3),
        (fixtures::matroska_film(), 2),
        (fixtures::matroska_film(), 3),
    ] {
        let deadline = Instant::now() + Duration::from_mins(10);
        let read = |bytes: &[u8]| embedded::cues(Cursor::new(bytes), index, deadline);
        assert!(read(&seed).expect("no error").is_some());
        survives(&seed, |bytes| {
            if let Ok(Some(cues)) = read(bytes) {
                cue::write(cues);
            }
            if let Ok(Some(script)) = embedded::script(Cursor::new(bytes), index, deadline) {
                assert_is_script(&script);
            }
        });
    }
}

/// Asserts that each line of a script has a known prefix. Subtitle text must not be able to inject
/// sections or events.
fn assert_is_script(script: &str) {
    let (head, events) = script.split_once("\n[Events]\n").expect("events");
    assert!(head.starts_with("[Script Info]\n"), "{head}");
    for line in events.split_terminator('\n') {
        let is_known = line.starts_with("Format:") || line.starts_with("Dialogue:");
        assert!(is_known, "{line:?}");
    }
}

#[test]
fn damaged_scripts_are_valid_or_rejected() {
    let seed = "[Script Info]\nPlayResX: 640\n[V4+ Styles]\nFormat: Name, Fontsize\n\
        Style: Default, 20\n[Events]\nFormat: Layer, Start, End, Text\n\
        Dialogue: 0,0:00:01.00,0:00:02.00,{\\i1\\p0}<b>\\Nx\n[Fonts]\nfontname: a\n";
    assert_is_script(&subtitles::script(seed.as_bytes(), None).expect("a script"));
    survives(seed.as_bytes(), |bytes| {
        if let Ok(script) = subtitles::script(bytes, None) {
            assert_is_script(&script);
        }
    });
}

#[test]
fn damaged_subtitles_contain_only_safe_tags() {
    let seeds: [(Format, &str); 3] = [
        (
            Format::Srt,
            "1\n00:00:01,000 --> 00:00:02,500\n<i>Hi</i> <script>&amp;\n\n2\n0:0:3,0 --> 0:0:4,0\n{\\an8}x",
        ),
        (
            Format::Ass,
            "[Events]\nFormat: Layer, Start, End, Text\nDialogue: 0,0:00:01.00,0:00:02.00,{\\i1\\p0}<b>\\Nx",
        ),
        (
            Format::Vtt,
            "WEBVTT\n\nSTYLE\n::cue{}\n\n00:01.000 --> 00:02.000 line:0\n<v A><c.x>t</c> <00:01.500>",
        ),
    ];
    for (format, seed) in seeds {
        let whole = subtitles::cues(format, seed.as_bytes(), None).expect("subtitles");
        assert!(!whole.is_empty());
        survives(seed.as_bytes(), |bytes| {
            let Ok(cues) = subtitles::cues(format, bytes, None) else {
                return;
            };
            for cue in cues {
                // A blank line would end the cue.
                assert!(!cue.text.contains("\n\n"), "{:?}", cue.text);
                let plain = ["<b>", "</b>", "<i>", "</i>", "<u>", "</u>"]
                    .iter()
                    .fold(cue.text, |text, mark| text.replace(mark, ""));
                assert!(!plain.contains(['<', '>']), "{plain}");
            }
        });
    }
}

#[test]
fn damaged_nfo_files_are_read_or_rejected() {
    let seed = "<?xml version='1.0' encoding='UTF-8'?><movie><title>A &amp; B</title>\
                <year>1999</year><actor><name>X</name><role>Y</role></actor>\
                <set><name>S</name></set><uniqueid type='imdb'>tt1</uniqueid>\
                <plot><![CDATA[P]]></plot><genre>G / H</genre></movie>";
    assert!(nfo::read(seed.as_bytes()).expect("no error").is_some());
    survives(seed.as_bytes(), |bytes| {
        let _ = nfo::read(bytes);
    });
}
