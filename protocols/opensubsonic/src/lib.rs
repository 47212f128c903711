//! OpenSubsonic: recordings in music apps. The API is that of <https://opensubsonic.netlify.app>.

mod elements;
mod envelope;
mod failure;
mod ids;
mod login;
mod mapping;
mod node;
mod params;

mod browsing {
    pub(crate) mod albums;
    pub(crate) mod artists;
    pub(crate) mod folders;
    pub(crate) mod genres;
    pub(crate) mod info;
    pub(crate) mod similar;
}
mod lists {
    pub(crate) mod albums;
    mod cursor;
    pub(crate) mod search;
    pub(crate) mod songs;
    pub(crate) mod starred;
}
mod media {
    pub(crate) mod cover;
    pub(crate) mod lyrics;
    pub(crate) mod stream;
}
mod server {
    pub(crate) mod absent;
    pub(crate) mod system;
    pub(crate) mod users;
}
mod user;

use std::future::Future;

use axum::routing::{MethodRouter, get};
use ledge_core::App;
use ledge_core::http::protocol::{Params, Protocol, Route, Setup};
use ledge_core::store::account::app_password::Scope;

use browsing::{artists, folders, genres, info, similar};
use envelope::Outcome;
use failure::Failure;
use lists::{search, starred};
use media::{cover, lyrics, stream};
use params::Call;
use server::absent::{self, empty_list};
use server::{system, users};
use user::{bookmarks, marks, playlists, plays, queue};

/// Descriptor of OpenSubsonic.
pub const PROTOCOL: Protocol = Protocol {
    id: "opensubsonic",
    label: "OpenSubsonic",
    rank: 20,
    mount: "/rest",
    app_path: "",
    scope: Scope::Recordings,
    open: &[
        "/rest/getOpenSubsonicExtensions",
        "/rest/getOpenSubsonicExtensions.view",
    ],
    form: true,
    cross_origin: Some("/rest"),
    credentials: login::credentials,
    refuse: login::refuse,
    routes: ROUTES,
    setup,
};

inventory::submit! { PROTOCOL }

/// Declares the table of methods. Each has a path with and a path without `.view`.
macro_rules! methods {
    ($($name:literal => $methods:expr,)*) => {
        const ROUTES: &[Route] = &[
            $(
                Route { path: concat!("/rest/", $name), methods: || $methods },
                Route { path: concat!("/rest/", $name, ".view"), methods: || $methods },
            )*
            Route { path: "/rest/{method}", methods: || method(system::unknown) },
        ];
    };
}

methods! {
    "ping" => method(system::ping),
    "getLicense" => method(system::license),
    "getOpenSubsonicExtensions" => open(system::extensions),
    "tokenInfo" => method(users::token_info),
    "getUser" => method(users::user),
    "getUsers" => method(users::users),
    "getScanStatus" => method(system::scan_status),
    "startScan" => method(absent::forbidden),

    "getMusicFolders" => method(folders::music_folders),
    "getMusicDirectory" => method(folders::directory),
    "getIndexes" => method(artists::indexes),
    "getArtists" => method(artists::artists),
    "getArtist" => method(artists::artist),
    "getAlbum" => method(browsing::albums::album),
    "getSong" => method(browsing::albums::song),
    "getGenres" => method(genres::genres),
    "getArtistInfo" => method(info::artist_info),
    "getArtistInfo2" => method(info::artist_info2),
    "getAlbumInfo" => method(info::album_info),
    "getAlbumInfo2" => method(info::album_info),
    "getSimilarSongs" => method(similar::similar_songs),
    "getSimilarSongs2" => method(similar::similar_songs2),
    "getTopSongs" => method(similar::top_songs),

    "getAlbumList" => method(lists::albums::album_list),
    "getAlbumList2" => method(lists::albums::album_list2),
    "getRandomSongs" => method(lists::songs::random_songs),
    "getSongsByGenre" => method(lists::songs::songs_by_genre),
    "getStarred" => method(starred::starred),
    "getStarred2" => method(starred::starred2),
    "search2" => method(search::search2),
    "search3" => method(search::search3),

    "stream" => media(stream::stream),
    "download" => media(stream::download),
    "getCoverArt" => media(cover::cover_art),
    "getAvatar" => media(cover::avatar),
    "getLyrics" => method(lyrics::lyrics_by_name),
    "getLyricsBySongId" => method(lyrics::lyrics_by_song_id),

    "star" => method(marks::star),
    "unstar" => method(marks::unstar),
    "setRating" => method(marks::set_rating),
    "scrobble" => method(plays::scrobble),
    "reportPlayback" => method(plays::report_playback),
    "getNowPlaying" => method(plays::now_playing),
    "getPlaylists" => method(playlists::playlists),
    "getPlaylist" => method(playlists::playlist),
    "createPlaylist" => method(playlists::create_playlist),
    "updatePlaylist" => method(playlists::update_playlist),
    "deletePlaylist" => method(playlists::delete_playlist),
    "getPlayQueue" => method(queue::play_queue),
    "getPlayQueueByIndex" => method(queue::play_queue_by_index),
    "savePlayQueue" => method(queue::save_play_queue),
    "savePlayQueueByIndex" => method(queue::save_play_queue_by_index),
    "getBookmarks" => method(bookmarks::bookmarks),
    "createBookmark" => method(bookmarks::create_bookmark),
    "deleteBookmark" => method(bookmarks::delete_bookmark),

    "getInternetRadioStations" => method(empty_list("internetRadioStations", "internetRadioStation")),
    "getPodcasts" => method(empty_list("podcasts", "channel")),
    "getNewestPodcasts" => method(empty_list("newestPodcasts", "episode")),
    "getShares" => method(empty_list("shares", "share")),
    "getVideos" => method(empty_list("videos", "video")),
    "getChatMessages" => method(empty_list("chatMessages", "chatMessage")),

    "createUser" => method(absent::forbidden),
    "updateUser" => method(absent::forbidden),
    "deleteUser" => method(absent::forbidden),
    "changePassword" => method(absent::forbidden),
    "createShare" => method(absent::forbidden),
    "updateShare" => method(absent::forbidden),
    "deleteShare" => method(absent::forbidden),
    "createPodcastChannel" => method(absent::forbidden),
    "deletePodcastChannel" => method(absent::forbidden),
    "deletePodcastEpisode" => method(absent::forbidden),
    "downloadPodcastEpisode" => method(absent::forbidden),
    "refreshPodcasts" => method(absent::forbidden),
    "createInternetRadioStation" => method(absent::forbidden),
    "updateInternetRadioStation" => method(absent::forbidden),
    "deleteInternetRadioStation" => method(absent::forbidden),
    "jukeboxControl" => method(absent::forbidden),
    "addChatMessage" => method(absent::forbidden),
    "hls" => method(absent::forbidden),
}

/// Returns the routes of a method for users. Errors have status 200.
fn method<F, R>(handler: F) -> MethodRouter<App>
where
    F: Fn(Call) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send,
{
    checked(handler, std::convert::identity)
}

/// Returns the routes of a method whose result has no envelope. Errors have status 404.
fn media<F, R>(handler: F) -> MethodRouter<App>
where
    F: Fn(Call) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send,
{
    checked(handler, Failure::of_media)
}

/// Returns the routes of a method. `refused` completes the error of an unreadable format.
fn checked<F, R>(handler: F, refused: fn(Failure) -> Failure) -> MethodRouter<App>
where
    F: Fn(Call) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send,
{
    let respond = move |params: Params, call: Call| {
        let format = envelope::check_format(&params);
        // The future of a method does nothing until it is awaited.
        let outcome = handler(call);
        async move {
            let outcome = match format {
                Ok(()) => outcome.await,
                Err(failure) => Err(refused(failure)),
            };
            envelope::respond(&params, outcome)
        }
    };
    get(respond.clone()).post(respond)
}

/// Returns the routes of a method without a login.
fn open(handler: fn() -> Outcome) -> MethodRouter<App> {
    let respond = move |params: Params| async move { envelope::respond(&params, handler()) };
    get(respond).post(respond)
}

fn setup(setup: &Setup<'_>) -> Vec<String> {
    let Setup { address, username } = setup;
    vec![
        "Create an app password with the scope recordings.".to_owned(),
        format!("In the music app, add a Subsonic server with the address {address}."),
        format!("Log in as {username} with the app password."),
    ]
}
