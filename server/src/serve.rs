//! Lifetime of a server, from start to stop.

pub(crate) mod connection;
mod connections;
mod first_administrator;
pub(crate) mod folder;
pub(crate) mod job_kinds;
mod logging;
pub(crate) mod metrics;
pub(crate) mod schedule;
mod signals;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ledge_core::app::{JobQueue, NowPlaying, Watches};
use ledge_core::db::Db;
use ledge_core::db::lock::ServerLock;
use ledge_core::events::Events;
use ledge_core::jobs::{self, Workers};
use ledge_core::net::{ProviderEnvironment, Providers};
use ledge_core::registry::Registry;
use ledge_core::registry::provider::SealingKey;
use ledge_core::store::catalogue::batch;
use ledge_core::time::Clock;
use ledge_core::{App, Context, Settings};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use connections::Connections;

use crate::config::Config;
use crate::http::router::router;
use crate::http::session::SessionService;
use crate::http::session::app_access::AppAccessService;
use crate::http::session::app_access::server_key::ServerKey;
use crate::serve::metrics::Metrics;

/// Time limit for reading one media file.
const READ_TIME_LIMIT: Duration = Duration::from_mins(1);

/// Threads for blocking work, such as reading files for responses.
const BLOCKING_THREADS: usize = 64;

/// Time that a stop waits for open responses and for jobs, in parallel. `docker stop` kills after
/// ten seconds. The rest is for closing the database, which took 1.7 s on a busy disk.
const STOP_GRACE: Duration = Duration::from_secs(7);

/// Time that a stop waits afterwards for blocking reads; then it abandons them.
const BLOCKING_GRACE: Duration = Duration::from_millis(500);

/// Runs a server until it receives a signal to stop.
pub(crate) fn run(config: Config) -> anyhow::Result<()> {
    logging::start(&config);
    connections::raise_file_limit();
    let registry = Registry::collect()?;
    let _lock = ServerLock::take(&config.database)?;
    let app_access = app_access(&config)?;
    let app = open(&config, registry, app_access.key().sealing_key())?;
    first_administrator::ensure(&app, config.admin_password.as_ref())?;
    let runtime = runtime()?;
    let result = runtime.block_on(serve(&app, config, app_access));
    end(runtime, &app, BLOCKING_GRACE);
    result
}

/// Opens the protocols of other programs.
fn app_access(config: &Config) -> anyhow::Result<AppAccessService> {
    let path = &config.secret_key;
    let key = ServerKey::open(path).with_context(|| {
        format!(
            "The key {} (LEDGE_SECRET_KEY_FILE) cannot be opened",
            path.display()
        )
    })?;
    Ok(AppAccessService::new(config.protocols.clone(), key))
}

/// Closes the database before the runtime: dropping the runtime would wait for a blocked read
/// without limit.
fn end(runtime: Runtime, app: &App, grace: Duration) {
    app.db.close();
    runtime.shutdown_timeout(grace);
}

/// Opens the application. `key` opens the stored keys of providers.
fn open(config: &Config, registry: Registry, key: SealingKey) -> anyhow::Result<App> {
    let clock = Clock::system();
    let db = Db::open(&config.database).with_context(|| {
        format!(
            "The database {} (LEDGE_DATABASE) cannot be opened",
            config.database.display()
        )
    })?;
    let environment = ProviderEnvironment {
        settings: config.providers.clone(),
        after_scans: config.enrich,
        contact: config.contact.clone(),
    };
    let providers = Providers::open(&registry, environment, key, &db, &clock)?;
    Ok(App::new(Context {
        db,
        registry: Arc::new(registry),
        providers,
        clock,
        jobs: JobQueue::default(),
        events: Events::default(),
        watches: Watches::default(),
        now_playing: NowPlaying::default(),
        after_scan: crate::serve::job_kinds::AFTER_SCAN,
        settings: Arc::new(Settings {
            ffprobe: config.ffprobe.clone(),
            read_time_limit: READ_TIME_LIMIT,
            data: config.data.clone(),
            backups: config.backups.clone(),
        }),
    }))
}

/// Logs the unconfigured providers after the start has succeeded, because a failed start logs one
/// line only.
fn name_absent(providers: &Providers) {
    for status in providers.status() {
        let provider = status.descriptor.id;
        for one in status.settings.iter().filter(|one| one.is_unreadable) {
            tracing::warn!(
                provider,
                setting = one.setting.variable,
                "a stored key cannot be decrypted, because the key file of the server was \
                 replaced: enter the key again in the settings"
            );
        }
        if !status.missing.is_empty() {
            let missing = status.missing.join(", ");
            tracing::info!(
                provider,
                missing,
                "a metadata provider is not configured and is not used"
            );
        }
    }
}

fn runtime() -> anyhow::Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(ledge_core::available_parallelism().clamp(2, 8))
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()?)
}

async fn serve(app: &App, config: Config, app_access: AppAccessService) -> anyhow::Result<()> {
    let mut signals = signals::Signals::listen()?;
    let listener = TcpListener::bind(&config.listen)
        .await
        .map_err(|error| anyhow::anyhow!("LEDGE_LISTEN: {}: {error}.", config.listen))?;
    let workers = jobs::start(
        app,
        job_kinds::handlers(config.job_workers),
        config.job_workers,
    )?;
    let sessions = SessionService::new(config.trusted_proxies, config.public_url);
    let metrics = Metrics::new(config.metrics_token.as_ref());
    let site = router(app.clone(), sessions.clone(), app_access, metrics);
    name_absent(&app.providers);
    tracing::info!("listening on http://{}", listener.local_addr()?);
    let scheduled = config
        .scan_interval
        .map(|interval| tokio::spawn(schedule::run(app.clone(), interval)));
    let watching = config.watch.then(|| tokio::spawn(watch::run(app.clone())));
    let cleaning = Some(tokio::spawn(delete_expired_edits(app.clone())));
    let merging = Some(tokio::spawn(schedule::search_merge::run(app.clone())));
    let backups = scheduled_backups(app);
    let linking = Some(tokio::spawn(schedule::works::run(app.clone())));
    let digests = Some(tokio::spawn(schedule::digests::run(app.clone())));
    let connections = Connections::new(sessions.clone());
    tokio::select! {
        () = connections.accept(listener, site) => {}
        () = signals.next() => tracing::info!("stopping"),
    }
    let deadline = Instant::now() + STOP_GRACE;
    sessions.stop();
    app.events.close();
    let tasks = [
        scheduled, watching, merging, linking, digests, cleaning, backups,
    ];
    for task in tasks.into_iter().flatten() {
        task.abort();
    }
    let stopped = stop_workers(app, workers);
    tokio::select! {
        () = connections.drain(deadline) => {}
        () = signals.next() => tracing::warn!("stopping without waiting for streams"),
    }
    if let Ok(stopped) = tokio::time::timeout_at(deadline, stopped).await {
        return stopped.context("the workers could not be stopped");
    }
    // The next start queues the job again.
    tracing::warn!("stopping without waiting for an unfinished job");
    Ok(())
}

/// Starts the schedule of backups, if an interval is configured.
fn scheduled_backups(app: &App) -> Option<tokio::task::JoinHandle<()>> {
    let settings = app.settings.backups.clone()?;
    let interval = settings.interval?;
    let run = schedule::backups::run(app.clone(), settings, interval);
    Some(tokio::spawn(run))
}

/// Deletes edits whose retention has ended, at the start and once a day.
async fn delete_expired_edits(app: App) {
    loop {
        let now = app.clock.now();
        loop {
            let delete = app
                .db
                .write_background(move |tx| batch::delete_expired(tx, now));
            match delete.await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "expired edits could not be deleted");
                    break;
                }
            }
        }
        tokio::time::sleep(Duration::from_hours(24)).await;
    }
}

/// Raises the stop flag at once; the workers end while the streams are still open.
fn stop_workers(app: &App, workers: Workers) -> tokio::task::JoinHandle<()> {
    app.jobs.stop();
    tokio::task::spawn_blocking(move || workers.stop())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use ledge_core::error::StoreError;

    use super::*;
    use crate::http::test_app::TestApp;

    #[test]
    fn blocked_read_does_not_keep_the_database_open() {
        let runtime = runtime().expect("a runtime");
        let test = runtime.block_on(async { TestApp::new() });
        let (tx, rx) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let ended = Arc::new(AtomicBool::new(false));
        let flag = ended.clone();
        runtime.spawn_blocking(move || {
            tx.send(()).expect("a receiver");
            // The timeout exceeds the duration of the test, if the end does not wait.
            let _ = held.recv_timeout(Duration::from_secs(30));
            flag.store(true, Ordering::SeqCst);
        });
        rx.recv().expect("it runs");
        end(runtime, &test.app, Duration::from_millis(10));
        assert!(!ended.load(Ordering::SeqCst));
        let late = test.app.db.write_blocking(|_| Ok(()));
        assert!(matches!(late, Err(StoreError::Closed)));
        drop(release);
    }
}
