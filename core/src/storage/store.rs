//! Data access: one module per noun, with the SQL next to the function that runs it.

pub mod account {
    //! Users with their sessions, app passwords, tickets and settings.

    pub mod app_password;
    pub mod session;
    pub mod ticket;
    pub mod user;
    pub mod user_state;
}
pub mod catalogue;
pub mod cover;
pub mod file;
pub mod item;
pub mod job;
pub mod library;
pub mod matches;
pub mod user_data {
    //! Data of one user about items: progress, favourites, ratings, tags, views, annotations,
    //! playlists, collections, saves and statistics.

    pub mod annotation;
    pub mod export;
    pub mod favourite;
    pub mod foreign;
    pub mod lists {
        //! Lists that users arrange: playlists, collections and the saved queue.

        pub mod collection;
        pub(crate) mod ordered_list;
        pub mod playlist;
        pub mod user_list;
    }
    pub mod mark;
    pub mod play;
    pub mod progress;
    pub mod save;
    pub mod statistics;
    pub mod tag;
    pub mod view;
}
