//! The only place that names plug-ins. A crate that nothing refers to is not linked, and what is
//! not linked registers nothing.

use ledge_engines as _;
use ledge_kind_audio as _;
use ledge_kind_books as _;
use ledge_kind_games as _;
use ledge_kind_video as _;
use ledge_provider_beside as _;
use ledge_provider_googlebooks as _;
use ledge_provider_igdb as _;
use ledge_provider_openlibrary as _;
