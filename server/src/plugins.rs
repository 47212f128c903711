//! The only place that names plug-in crates. A crate without a reference is not linked, and an
//! unlinked crate registers nothing.

use ledge_engines as _;
use ledge_imports as _;
use ledge_kind_audio as _;
use ledge_kind_books as _;
use ledge_kind_games as _;
use ledge_kind_video as _;
use ledge_protocol_kosync as _;
use ledge_protocol_opds as _;
use ledge_protocol_opensubsonic as _;
use ledge_provider_anilist as _;
use ledge_provider_audnexus as _;
use ledge_provider_comicvine as _;
use ledge_provider_googlebooks as _;
use ledge_provider_igdb as _;
use ledge_provider_local_files as _;
use ledge_provider_musicbrainz as _;
use ledge_provider_openlibrary as _;
use ledge_provider_tmdb as _;
use ledge_provider_tvmaze as _;
use ledge_provider_wikidata as _;
