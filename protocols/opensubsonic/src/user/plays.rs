//! Plays of songs, and the players of the user.

use std::sync::Arc;

use ledge_core::app::now_playing::{Due, Player, PlayerState, Report};
use ledge_core::error::StoreResult;
use ledge_core::registry::Registry;
use ledge_core::store::file::recording::KnownPart;
use ledge_core::store::file::request;
use ledge_core::store::user_data::play;
use ledge_core::store::user_data::statistics::record;
use ledge_core::time::Timestamp;
use rusqlite::Transaction;

use super::{PartPlace, find_song, is_book, millis, program, song, songs, username, write};
use crate::elements;
use crate::envelope::{Outcome, empty, reply};
use crate::failure::Failure;
use crate::node::Node;
use crate::params::{Call, MAX_IDS};

/// Position from which a playback counts as a play, in milliseconds.
const COUNTS_FROM: i64 = 4 * 60 * 1000;
/// Limit of the speed of a player.
const MAX_RATE: f64 = 16.0;

/// Handles `scrobble`.
pub(crate) async fn scrobble(call: Call) -> Outcome {
    let songs = songs(&call, "id")?;
    let Some(last) = songs.last().copied() else {
        return Err(Failure::parameter("id"));
    };
    let times = times(&call)?;
    if !times.is_empty() && times.len() != songs.len() {
        return Err(Failure::parameter("time"));
    }
    let visible = call.visible;
    if call.flag("submission")? == Some(false) {
        let read = move |conn: &_| find_song(conn, visible, last);
        let part = call.app.db.read(read).await??;
        let report = report(&call, &part, PlayerState::Playing, 0);
        let now = call.app.clock.now();
        call.app.now_playing.report(call.user.id, report, now);
        return empty();
    }
    let now = call.app.clock.now();
    write(&call, move |tx| {
        let mut files = Vec::with_capacity(songs.len());
        for id in songs {
            match find_song(tx, visible, id)? {
                Ok(part) => files.push(part.file),
                Err(failure) => return Ok(Err(failure)),
            }
        }
        let times = times.into_iter().chain(std::iter::repeat(now));
        for (file, time) in files.into_iter().zip(times) {
            play::add(tx, file, time, now)?;
        }
        Ok(Ok(()))
    })
    .await?;
    empty()
}

/// Returns the times of the plays, in milliseconds since 1970 in the request.
fn times(call: &Call) -> Result<Vec<Timestamp>, Failure> {
    let times = call.params.all("time").take(MAX_IDS + 1);
    let time = |text: &str| {
        let millis: i64 = text.parse().map_err(|_| Failure::parameter("time"))?;
        Ok(Timestamp::from_micros(millis.saturating_mul(1000)))
    };
    times.map(time).collect()
}

fn report(call: &Call, part: &KnownPart, state: PlayerState, position: i64) -> Report {
    Report {
        device: program(call),
        file: part.file.id(),
        state,
        position,
        rate: 1.0,
        duration: part.duration.map(request::millis),
        is_play: false,
    }
}

/// Handles `reportPlayback`.
pub(crate) async fn report_playback(call: Call) -> Outcome {
    let id = song(call.id("mediaId")?)?;
    if call.required("mediaType")? != "song" {
        return Err(Failure::parameter("mediaType"));
    }
    let position = millis(&call, "positionMs")?;
    let position = position.ok_or_else(|| Failure::parameter("positionMs"))?;
    let state = state(call.required("state")?)?;
    let rate = rate(&call)?;
    let is_ignored = call.flag("ignoreScrobble")? == Some(true);
    let visible = call.visible;
    let read = move |conn: &_| find_song(conn, visible, id);
    let part = call.app.db.read(read).await??;
    let mut report = report(&call, &part, state, position);
    report.rate = rate;
    report.is_play = !is_ignored && is_play(&report);
    let now = call.app.clock.now();
    let due = call.app.now_playing.report(call.user.id, report, now);
    let progress = due.progress && is_book(&part.kind, part.subkind.as_deref());
    let due = Due { progress, ..due };
    if due.play || due.progress {
        let registry = call.app.registry.clone();
        let work = move |tx: &Transaction<'_>| {
            record_report(tx, &registry, &part, due, position, now).map(Ok)
        };
        write(&call, work).await?;
    }
    empty()
}

fn record_report(
    tx: &Transaction<'_>,
    registry: &Arc<Registry>,
    part: &KnownPart,
    due: Due,
    position: i64,
    now: Timestamp,
) -> StoreResult<()> {
    if due.play {
        play::add(tx, part.file, now, now)?;
    }
    if due.progress {
        let progress = PartPlace::new(part, position).progress(part.file.id());
        record::save_progress(tx, registry, part.item, &progress, now)?;
    }
    Ok(())
}

fn state(text: &str) -> Result<PlayerState, Failure> {
    match text {
        "starting" => Ok(PlayerState::Starting),
        "playing" => Ok(PlayerState::Playing),
        "paused" => Ok(PlayerState::Paused),
        "stopped" => Ok(PlayerState::Stopped),
        _ => Err(Failure::parameter("state")),
    }
}

fn state_name(state: PlayerState) -> &'static str {
    match state {
        PlayerState::Starting => "starting",
        PlayerState::Playing => "playing",
        PlayerState::Paused => "paused",
        PlayerState::Stopped => "stopped",
    }
}

fn rate(call: &Call) -> Result<f64, Failure> {
    let Some(text) = call.text("playbackRate") else {
        return Ok(1.0);
    };
    let rate: Option<f64> = text.parse().ok();
    rate.filter(|rate| *rate > 0.0 && *rate <= MAX_RATE)
        .ok_or_else(|| Failure::parameter("playbackRate"))
}

/// Returns `true` from the middle of a song, or after four minutes.
fn is_play(report: &Report) -> bool {
    let half = report.duration.map(|duration| duration / 2);
    report.position >= COUNTS_FROM || half.is_some_and(|half| half > 0 && report.position >= half)
}

/// Handles `getNowPlaying`.
pub(crate) async fn now_playing(call: Call) -> Outcome {
    let now = call.app.clock.now();
    let players = call.app.now_playing.list(call.user.id, now);
    let username = username(&call).await?;
    let mut entries = Vec::with_capacity(players.len());
    for (n, player) in (1_i64..).zip(players) {
        let songs = elements::songs(&call, vec![player.report.file]).await?;
        let entry = |song| entry(song, &player, (&username, n), now);
        entries.extend(songs.into_iter().map(entry));
    }
    reply("nowPlaying", Node::new().with("entry", entries))
}

fn entry(song: Node, player: &Player, (username, n): (&str, i64), now: Timestamp) -> Node {
    let minutes = now.since(player.reported_at).as_secs() / 60;
    song.with("username", username)
        .with("minutesAgo", i64::try_from(minutes).unwrap_or(i64::MAX))
        .with("playerId", n)
        .with("playerName", player.report.device.as_str())
        .plus("state", state_name(player.report.state))
        .plus("positionMs", player.report.position)
        .plus("playbackRate", player.report.rate)
}
