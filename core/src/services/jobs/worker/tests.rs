use super::*;
use crate::app::{NowPlaying, Watches};
use crate::db::Db;
use crate::events::Events;
use crate::net::Providers;
use crate::registry::{PlaybackEngine, Registry};
use crate::time::Clock;
use crate::{Context, Settings};

static ENGINE: PlaybackEngine = PlaybackEngine {
    id: "html5",
    label: "Browser",
    rank: 0,
    containers: &[],
    vcodecs: &[],
    acodecs: &[],
};

fn app(folder: &std::path::Path) -> App {
    let (clock, _) = Clock::manual(Timestamp::from_micros(1_800_000_000_000_000));
    App::new(Context {
        db: Db::open(&folder.join("ledge.db")).expect("a database"),
        registry: Arc::new(Registry::of(vec![], vec![&ENGINE], vec![]).expect("a registry")),
        providers: Providers::default(),
        clock,
        jobs: JobQueue::default(),
        events: Events::default(),
        watches: Watches::default(),
        now_playing: NowPlaying::default(),
        after_scan: &[],
        settings: Arc::new(Settings {
            ffprobe: None,
            read_time_limit: Duration::from_secs(1),
            data: folder.to_owned(),
            backups: None,
        }),
    })
}

/// On a full disk, the claim cannot be committed. If the job still counted as running, it would
/// occupy the limit of its kind until a restart.
#[test]
fn claim_that_cannot_be_committed_leaves_no_running_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = app(folder.path());
    let now = app.clock.now();
    let id = app
        .db
        .write_blocking(move |tx| {
            // A deferred foreign key, which SQLite checks at the commit.
            tx.execute_batch(
                "CREATE TABLE known (id INTEGER PRIMARY KEY);
                 CREATE TABLE unknown (id REFERENCES known DEFERRABLE INITIALLY DEFERRED);
                 CREATE TRIGGER no_commit AFTER UPDATE OF status ON job
                  WHEN new.status = 'running'
                 BEGIN INSERT INTO unknown VALUES (1); END",
            )?;
            job::enqueue(tx, "work", None, &Value::Null, now)
        })
        .expect("a job");
    let handlers = Arc::new(JobHandlers::default().with_limit("work", 1, |_| Ok(Value::Null)));
    claim(&app, &handlers).expect_err("no commit");
    assert!(!app.jobs.is_running(id));
    app.db
        .write_blocking(|tx| Ok(tx.execute_batch("DROP TRIGGER no_commit")?))
        .expect("no trigger");
    let claimed = claim(&app, &handlers).expect("a commit");
    assert_eq!(claimed.map(|(claimed, _)| claimed.id), Some(id));
}
