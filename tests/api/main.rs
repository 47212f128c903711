//! Black-box tests of the real executable, over HTTP and its command line. There is one folder per
//! area, and one file per resource.

#![expect(
    clippy::indexing_slicing,
    reason = "a test that finds nothing at an index fails, as it should"
)]

mod accounts {
    mod access;
    mod annotations;
    mod auth;
    mod logins;
    mod users;
}

mod catalogue {
    mod audio;
    pub(crate) mod books;
    mod corrections;
    mod home;
    pub(crate) mod items;
    mod libraries;
    mod search;
    mod subkinds;
    mod titles;
}

mod http {
    mod compression;
    pub(crate) mod conventions;
    mod docs;
    mod events;
    mod flood;
    mod openapi;
    mod ui;
}

mod metadata {
    mod covers;
    mod demo;
    mod edits;
    pub(crate) mod enrich;
    mod providers;
    mod settings;
}

mod moving {
    mod audiobookshelf;
    mod calibre_web;
    mod export;
    mod jellyfin;
    mod kavita;
    mod komga;
    mod navidrome;
    mod plex;
    mod refusals;
    mod romm;
    mod world;
}

mod operation {
    mod activity;
    mod backups;
    pub(crate) mod cli;
    mod crash;
    mod full_disk;
    mod jobs;
    mod lock;
    mod log;
    mod metrics;
    mod plugins;
    mod schema;
    mod status;
    mod stopping;
    pub(crate) mod system;
    mod workers;
}

mod organise {
    mod bulk;
    mod collections;
    mod facets;
    mod genres;
    mod playlists;
    mod queue;
    mod ratings;
    mod series;
    mod shelf;
    mod shows;
    mod sorts;
    mod tags;
    mod works {
        mod handover;
        mod links;
        mod narrated;
        mod volumes;
    }
}

mod playing {
    mod archives;
    mod cores;
    mod files;
    pub(crate) mod fonts;
    mod links;
    mod own_files;
    mod places;
    pub(crate) mod playback;
    mod plays;
    mod reading;
    mod saves;
    pub(crate) mod subtitles;
    mod views;
}

mod protocols {
    mod app_passwords;
    mod devices;
    mod kosync;
    mod opds;
    mod opensubsonic;
}

mod scanning {
    mod missing;
    mod names;
    mod purge;
    mod scans;
    mod watch;
}

mod statistics {
    mod diary;
    mod export;
    mod server_sums;
    mod sessions;
    mod totals;
    mod year;
}
