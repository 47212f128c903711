//! The audio kind: music, audiobooks and radio plays.

mod grouping;
pub mod inspect;
mod read;
mod summary;
mod tags;
mod text;

mod chapters {
    pub(crate) mod clock;
    pub(crate) mod cue;
}
mod formats {
    pub(crate) mod accepts;
    pub(crate) mod extensions;
}
mod lyrics {
    pub(crate) mod lines;
    pub(crate) mod routes;
}
mod naming {
    pub(crate) mod album;
    pub(crate) mod disc;
    pub(crate) mod label;
    pub(crate) mod track;
    pub(crate) mod vocabulary;
}
#[cfg(test)]
mod tests {
    pub(crate) mod fixtures;
    mod mutations;
}

use ledge_core::http::{KindRouter, KindRoutes};
use ledge_core::registry::{MediaKind, Shape, Unit};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use chapters::cue;
use formats::{accepts, extensions};
use summary::subkind;

/// Descriptor of the audio kind.
pub const KIND: MediaKind = MediaKind {
    rank: 20,
    icon: "M3 14h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a9 9 0 0 1 18 0v7a2 2 0 0 1-2 2\
        h-1a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2h3",
    hue: 22,
    shape: Shape::Sleeve,
    aspect: 1.0,
    verb: "listen",
    unit: Unit::Second,
    sidecars: extensions::SIDECARS,
    metadata_sidecars: cue::METADATA_SIDECARS,
    reading_version: 4,
    grouping_version: 3,
    contested: extensions::CONTESTED,
    accepts: Some(|candidate| accepts::accepts(candidate).into()),
    group: grouping::group,
    partition: Some(grouping::partition),
    examine: Some(inspect::read_metadata),
    summarize: Some(summary::summarize),
    cover: Some(inspect::cover),
    subkinds: subkind::SUBKINDS,
    subkind_of: subkind::subkind_of,
    work_form: subkind::work_form,
    author_role: subkind::author_role,
    match_rules: subkind::match_rules,
    part_artists: Some(summary::recordings::artists),
    ..MediaKind::new("audio", "Recording", "Audio", extensions::FORMATS)
};

inventory::submit! { KIND }
inventory::submit! { summary::recordings::RECORDINGS }
inventory::submit! { KindRoutes { kind: KIND.id, router } }

/// Returns the routes of this kind, relative to `/api/v1`.
fn router() -> KindRouter {
    OpenApiRouter::new()
        .routes(routes!(lyrics::routes::list_lyrics))
        .routes(routes!(summary::gains::list_gains))
}
