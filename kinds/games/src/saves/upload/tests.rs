use std::convert::Infallible;
use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use tokio::time::sleep;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Returns the time after which an upload is aborted that sends `bytes` every `every` seconds.
fn aborted_after(limits: Limits, bytes: usize, every: u32) -> Duration {
    let start = Instant::now();
    let mut deadline = Deadline::new(limits, start);
    for n in 1.. {
        let now = start + SECOND * every * n;
        if now > deadline.due() {
            break;
        }
        deadline.extend(bytes, now);
    }
    deadline.due() - start
}

#[test]
fn dripping_upload_is_aborted_soon_and_slow_connection_later() {
    let limits = Limits::default();
    // A byte per second extends the deadline by almost nothing.
    let dripping = aborted_after(limits, 1, 1);
    assert!(dripping < SECOND * 11, "{dripping:?}");
    let slow = aborted_after(limits, 8 << 10, 1);
    assert!(slow > SECOND * 19 && slow < SECOND * 21, "{slow:?}");
    // An upload at the required rate continues until the total time limit.
    assert_eq!(aborted_after(limits, 16 << 10, 1), limits.total);
    assert_eq!(aborted_after(limits, 200 << 10, 10), limits.total);
    // Bursts and pauses between them are accepted up to a limit.
    assert_eq!(aborted_after(limits, 4 << 20, 9), limits.total);
    assert_eq!(aborted_after(limits, 4 << 20, 11), SECOND * 10);
}

#[test]
fn fast_start_does_not_allow_slow_end() {
    let limits = Limits::default();
    let start = Instant::now();
    let mut deadline = Deadline::new(limits, start);
    deadline.extend(15 << 20, start + SECOND);
    assert_eq!(deadline.due(), start + SECOND + limits.stall);
    for n in 2..30 {
        deadline.extend(1, start + SECOND * n);
    }
    assert!(deadline.due() < start + limits.stall + SECOND * 2);
}

/// Limits that are short enough for a test. Any byte meets the rate.
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

/// Returns the error of a body that sends pieces of `bytes` for ever.
fn rejected(limits: Limits, bytes: usize, every: Duration) -> String {
    run(async {
        let uploads = Uploads::new(limits);
        let mut spool = Spool::new(Path::new("/tmp"), uploads.acquire(UserId(1)).await);
        let body = stream::unfold((), move |()| async move {
            sleep(every).await;
            Some((Ok::<_, Infallible>(Bytes::from(vec![7; bytes])), ()))
        });
        let received = receive(&mut spool, Body::from_stream(body), limits).await;
        match received {
            Err(ApiError::BadRequest(message)) => message,
            other => panic!("{other:?}"),
        }
    })
}

#[test]
fn stalled_body_is_aborted() {
    let never = Duration::from_hours(1);
    assert!(rejected(SHORT, 1, never).contains("too slow"));
    let patient = Limits {
        grace: never,
        stall: never,
        total: Duration::from_millis(50),
        ..SHORT
    };
    assert!(rejected(patient, 1, never).contains("too slow"));
}

#[test]
fn dripping_body_is_aborted() {
    // The body never stalls, but its bytes extend the deadline too little.
    let slow = Limits {
        rate: 1 << 20,
        stall: Duration::from_hours(1),
        ..SHORT
    };
    assert!(rejected(slow, 1, Duration::from_millis(1)).contains("too slow"));
    let endless = Limits {
        total: Duration::from_millis(50),
        stall: Duration::from_hours(1),
        ..SHORT
    };
    assert!(rejected(endless, 1, Duration::from_millis(1)).contains("too slow"));
}

#[test]
fn body_at_sufficient_rate_is_received_completely() {
    // Long limits, so that the result does not depend on the load of the machine.
    let limits = Limits {
        grace: Duration::from_mins(5),
        stall: Duration::from_mins(5),
        ..SHORT
    };
    run(async {
        let uploads = Uploads::new(limits);
        let mut spool = Spool::new(Path::new("/tmp"), uploads.acquire(UserId(1)).await);
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
fn permits_are_limited_per_user_and_in_total() {
    run(async {
        let uploads = Uploads::default();
        let permit = |user| uploads.acquire(UserId(user)).now_or_never();
        let mut first: Vec<Option<Permit>> = (0..4).map(|_| permit(1)).collect();
        assert!(first.iter().all(Option::is_some));
        assert!(permit(1).is_none(), "a fifth of one user");
        let others: Vec<Option<Permit>> = (0..12).map(|n| permit(2 + n / 4)).collect();
        assert!(others.iter().all(Option::is_some));
        assert!(permit(9).is_none(), "a seventeenth of all");
        // A request that waits for its user's limit does not block other users.
        let mut same_user = Box::pin(uploads.acquire(UserId(1)));
        assert!((&mut same_user).now_or_never().is_none());
        let mut other = Box::pin(uploads.acquire(UserId(9)));
        assert!((&mut other).now_or_never().is_none());
        first.pop();
        assert!((&mut same_user).now_or_never().is_none());
        assert!(other.now_or_never().is_some());
        first.pop();
        assert!(same_user.now_or_never().is_some());
    });
}
