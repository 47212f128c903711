//! Readers of other media servers' data, one file per program. Most read the tables of a database that
//! their descriptor names; one reads a folder. Each sends rows without ids of Ledge.

mod audiobookshelf;
mod calibre_web;
mod divide;
mod epub;
mod jellyfin;
mod kavita;
mod komga;
mod navidrome;
mod plex;
mod romm;
