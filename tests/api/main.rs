//! Black-box tests: the real executable, over HTTP and its command line. One file per resource.

#![expect(
    clippy::indexing_slicing,
    reason = "a test that finds nothing at an index fails, as it should"
)]

mod access;
mod annotations;
mod archives;
mod audio;
mod auth;
mod books;
mod cli;
mod compression;
mod conventions;
mod cores;
mod covers;
mod crash;
mod docs;
mod edits;
mod enrich;
mod events;
mod files;
mod flood;
mod full_disk;
mod home;
mod items;
mod jobs;
mod libraries;
mod links;
mod lock;
mod log;
mod logins;
mod metrics;
mod missing;
mod names;
mod openapi;
mod places;
mod playback;
mod plays;
mod plugins;
mod providers;
mod purge;
mod reading;
mod saves;
mod scans;
mod schema;
mod search;
mod stopping;
mod subkinds;
mod subtitles;
mod system;
mod ui;
mod users;
mod views;
mod watch;
mod workers;
