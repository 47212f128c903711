//! Readers of other media servers' databases, one file per program. Each reads the tables that its
//! descriptor names, and sends rows without ids of Ledge.

mod audiobookshelf;
mod calibre_web;
mod divide;
mod epub;
mod jellyfin;
mod kavita;
mod komga;
mod navidrome;
mod plex;
