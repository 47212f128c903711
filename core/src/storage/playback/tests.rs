//! Tests of every obstacle, of their order, and of the order of the engines.

use proptest::prelude::*;

use super::*;
use crate::registry::{Format, MediaKind, Unit};

const ROUND: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Round",
    rank: 1,
    containers: &["tin", "jar"],
    vcodecs: &["red", "blue"],
    acodecs: &["low"],
};
const SQUARE: PlaybackEngine = PlaybackEngine {
    id: "square",
    label: "Square",
    rank: 2,
    containers: &["tin", "box"],
    vcodecs: &["red", "green"],
    acodecs: &["low", "high"],
};

const REEL: &[Format] = &[Format::untyped("reel", "download", Unit::Second)];
const PAPER: &[Format] = &[Format::untyped("paper", "download", Unit::Page)];
const REELS: MediaKind = MediaKind {
    probe: Some(crate::process::ffprobe::probe),
    ..MediaKind::new("reels", "Reel", "Reels", REEL)
};
const PAPERS: MediaKind = MediaKind::new("papers", "Paper", "Papers", PAPER);

fn offer(ids: &[&str]) -> Offer {
    let registry = Registry::of(vec![&REELS, &PAPERS], vec![&ROUND, &SQUARE], Vec::new());
    Offer::of(&registry.expect("a registry"), ids.iter().copied())
}

fn codecs(container: &str, vcodec: &str, acodec: &str) -> Codecs {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Codecs {
        container: some(container),
        vcodec: some(vcodec),
        acodec: some(acodec),
    }
}

fn answer(kind: &str, missing: bool, codecs: &Codecs, engines: &[&str]) -> String {
    let candidate = Candidate {
        kind,
        missing,
        codecs,
    };
    match offer(engines).resolve(candidate) {
        Ok(engine) => format!("plays:{}", engine.id),
        Err(obstacle) => obstacle.to_string(),
    }
}

fn reel(container: &str, vcodec: &str, acodec: &str, engines: &[&str]) -> String {
    answer("reels", false, &codecs(container, vcodec, acodec), engines)
}

#[test]
fn first_playing_engine_in_client_order_is_chosen() {
    assert_eq!(
        reel("tin", "red", "low", &["square", "html5"]),
        "plays:square"
    );
    assert_eq!(
        reel("tin", "red", "low", &["html5", "square"]),
        "plays:html5"
    );
    assert_eq!(
        reel("tin", "blue", "low", &["square", "html5"]),
        "plays:html5"
    );
    assert_eq!(
        reel("tin", "red", "high", &["html5", "square"]),
        "plays:square"
    );
}

#[test]
fn unknown_engines_are_ignored() {
    assert_eq!(
        reel("jar", "red", "low", &["vlc", "", "html5"]),
        "plays:html5"
    );
    assert_eq!(reel("jar", "red", "low", &["vlc", "HTML5"]), "engines:none");
    assert_eq!(reel("jar", "red", "low", &[]), "engines:none");
}

#[test]
fn obstacles_are_reported_in_order() {
    let all_wrong = codecs("sack", "mauve", "shrill");
    assert_eq!(answer("papers", true, &all_wrong, &[]), "missing");
    assert_eq!(answer("papers", false, &all_wrong, &[]), "kind:papers");
    assert_eq!(
        answer("stones", false, &all_wrong, &["html5"]),
        "kind:stones"
    );
    let unprobed = Codecs::default();
    assert_eq!(answer("reels", false, &unprobed, &["vlc"]), "engines:none");
    assert_eq!(answer("reels", false, &unprobed, &["html5"]), "unprobed");
    assert_eq!(reel("sack", "mauve", "shrill", &["html5"]), "vcodec:mauve");
    assert_eq!(reel("sack", "red", "shrill", &["html5"]), "acodec:shrill");
    assert_eq!(reel("sack", "red", "low", &["html5"]), "container:sack");
}

#[test]
fn obstacle_is_that_of_first_known_engine() {
    assert_eq!(
        reel("tin", "green", "shrill", &["vlc", "html5", "square"]),
        "vcodec:green"
    );
    assert_eq!(
        reel("tin", "green", "shrill", &["square", "html5"]),
        "acodec:shrill"
    );
}

#[test]
fn file_plays_with_audio_or_video_only() {
    assert_eq!(reel("jar", "", "low", &["html5"]), "plays:html5");
    assert_eq!(reel("jar", "blue", "", &["html5"]), "plays:html5");
    assert_eq!(reel("jar", "", "high", &["html5"]), "acodec:high");
}

#[test]
fn unknown_codec_does_not_play() {
    assert_eq!(reel("tin", "unknown", "low", &["html5"]), "vcodec:unknown");
    assert_eq!(reel("tin", "red", "unknown", &["html5"]), "acodec:unknown");
    assert_eq!(reel("unknown", "", "", &["html5"]), "container:unknown");
    assert_eq!(reel("tin", "", "", &["html5"]), "vcodec:unknown");
}

proptest! {
    #[test]
    fn additional_engine_never_reduces_playability(
        container in "tin|jar|box|sack",
        vcodec in "|red|blue|green|mauve",
        acodec in "|low|high|shrill",
        engines in proptest::collection::vec("html5|square|vlc", 0..4),
        more in "html5|square|vlc",
    ) {
        let mut ids: Vec<&str> = engines.iter().map(String::as_str).collect();
        let fewer = reel(&container, &vcodec, &acodec, &ids);
        ids.push(&more);
        let all = reel(&container, &vcodec, &acodec, &ids);
        if fewer.starts_with("plays:") {
            prop_assert_eq!(all, fewer);
        } else {
            let alone = reel(&container, &vcodec, &acodec, &[&more]);
            prop_assert_eq!(all.starts_with("plays:"), alone.starts_with("plays:"));
        }
    }
}
