use std::convert::Infallible;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::time::sleep;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// After how many seconds an upload is given up that brings `bytes` every `every` seconds.
fn given_up_after(limits: Limits, bytes: usize, every: u32) -> Duration {
    let start = Instant::now();
    let mut pace = Pace::new(limits, start);
    for n in 1.. {
        let now = start + SECOND * every * n;
        if now > pace.due() {
            break;
        }
        pace.note(bytes, now);
    }
    pace.due() - start
}

#[test]
fn drops_end_an_upload_soon_and_a_slow_line_does_not() {
    let limits = Limits::default();
    // A byte a second buys next to nothing.
    let dripping = given_up_after(limits, 1, 1);
    assert!(dripping < SECOND * 11, "{dripping:?}");
    let slow = given_up_after(limits, 8 << 10, 1);
    assert!(slow > SECOND * 19 && slow < SECOND * 21, "{slow:?}");
    // At the rate it goes on until the time for all is over.
    assert_eq!(given_up_after(limits, 16 << 10, 1), limits.total);
    assert_eq!(given_up_after(limits, 200 << 10, 10), limits.total);
    // Bursts are fine, pauses between them too, up to a limit.
    assert_eq!(given_up_after(limits, 4 << 20, 9), limits.total);
    assert_eq!(given_up_after(limits, 4 << 20, 11), SECOND * 10);
}

#[test]
fn a_fast_beginning_buys_no_slow_end() {
    let limits = Limits::default();
    let start = Instant::now();
    let mut pace = Pace::new(limits, start);
    pace.note(15 << 20, start + SECOND);
    assert_eq!(pace.due(), start + SECOND + limits.stall);
    for n in 2..30 {
        pace.note(1, start + SECOND * n);
    }
    assert!(pace.due() < start + limits.stall + SECOND * 2);
}

/// Limits that a test can wait for; the rate is met by any byte at all.
const SHORT: Limits = Limits {
    wait: Duration::from_millis(50),
    grace: Duration::from_millis(50),
    stall: Duration::from_millis(50),
    total: Duration::from_mins(5),
    rate: 1,
};

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(work)
}

/// What becomes of a body that brings pieces of `bytes` for ever.
fn refused(limits: Limits, bytes: usize, every: Duration) -> String {
    run(async {
        let uploads = Uploads::new(limits);
        let mut spool = Spool::new(Path::new("/tmp"), uploads.turn(UserId(1)).await);
        let drip = stream::unfold((), move |()| async move {
            sleep(every).await;
            Some((Ok::<_, Infallible>(Bytes::from(vec![7; bytes])), ()))
        });
        let received = receive(&mut spool, Body::from_stream(drip), limits).await;
        match received {
            Err(ApiError::BadRequest(message)) => message,
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn a_body_that_stalls_is_given_up() {
    let never = Duration::from_hours(1);
    assert!(refused(SHORT, 1, never).contains("too slowly"));
    let patient = Limits {
        grace: never,
        stall: never,
        total: Duration::from_millis(50),
        ..SHORT
    };
    assert!(refused(patient, 1, never).contains("too slowly"));
}

#[test]
fn a_body_that_drips_for_too_long_is_given_up() {
    // It never stalls, but what comes buys less time than passes.
    let slow = Limits {
        rate: 1 << 20,
        stall: Duration::from_hours(1),
        ..SHORT
    };
    assert!(refused(slow, 1, Duration::from_millis(1)).contains("too slowly"));
    let endless = Limits {
        total: Duration::from_millis(50),
        stall: Duration::from_hours(1),
        ..SHORT
    };
    assert!(refused(endless, 1, Duration::from_millis(1)).contains("too slowly"));
}

#[test]
fn a_body_that_comes_fast_enough_is_taken_whole() {
    // However busy the machine is.
    let limits = Limits {
        grace: Duration::from_mins(5),
        stall: Duration::from_mins(5),
        ..SHORT
    };
    run(async {
        let uploads = Uploads::new(limits);
        let mut spool = Spool::new(Path::new("/tmp"), uploads.turn(UserId(1)).await);
        let pieces = (0..40_u8).map(|n| Ok::<_, Infallible>(Bytes::from(vec![n; 10_000])));
        let body = Body::from_stream(stream::iter(pieces).then(async |piece| {
            sleep(Duration::from_millis(2)).await;
            piece
        }));
        receive(&mut spool, body, limits).await.expect("a body");
        assert_eq!(spool.size(), 400_000);
    });
}

#[test]
fn nobody_takes_more_than_their_turns_and_the_next_waits_for_one() {
    run(async {
        let uploads = Uploads::default();
        let turn = |user| uploads.turn(UserId(user)).now_or_never();
        let mut first: Vec<Option<Turn>> = (0..4).map(|_| turn(1)).collect();
        assert!(first.iter().all(Option::is_some));
        assert!(turn(1).is_none(), "a fifth of one user");
        let others: Vec<Option<Turn>> = (0..12).map(|n| turn(2 + n / 4)).collect();
        assert!(others.iter().all(Option::is_some));
        assert!(turn(9).is_none(), "a seventeenth of all");
        // Who waits for their own does not stand before the others.
        let mut own = Box::pin(uploads.turn(UserId(1)));
        assert!((&mut own).now_or_never().is_none());
        let mut other = Box::pin(uploads.turn(UserId(9)));
        assert!((&mut other).now_or_never().is_none());
        first.pop();
        assert!((&mut own).now_or_never().is_none());
        assert!(other.now_or_never().is_some());
        first.pop();
        assert!(own.now_or_never().is_some());
    });
}
