//! Route of the gains of an item's files, from the stored tags.

use axum::extract::State;
use ledge_core::App;
use ledge_core::access::{Visible, VisibleItem};
use ledge_core::http::{ApiError, ApiJson, ApiResult, ErrorBody};
use ledge_core::id::FileId;
use ledge_core::paging::Items;
use ledge_core::store::file::recording::{self, Scope, genre};
use serde::Serialize;
use utoipa::ToSchema;

use crate::tags::stored::StoredTags;

/// Maximum number of files of a response. No album and no audiobook has as many.
const MAX_FILES: u32 = 5_000;

/// Replay gain of a file. An absent value is not in its tags.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct FileGain {
    /// Id of the file.
    file_id: FileId,
    /// Gain of the file in decibels.
    track_gain: Option<f64>,
    /// Highest sample of the file; 1 is full scale.
    track_peak: Option<f64>,
    /// Gain of its album in decibels.
    album_gain: Option<f64>,
    /// Highest sample of its album; 1 is full scale.
    album_peak: Option<f64>,
}

impl FileGain {
    /// Reads the gains from stored tags. Returns `None` without any gain.
    fn parse(file_id: FileId, kind_data: &str) -> Option<Self> {
        let tags = StoredTags::parse(kind_data)?;
        (tags.track_gain.is_some() || tags.album_gain.is_some()).then_some(Self {
            file_id,
            track_gain: tags.track_gain,
            track_peak: tags.track_peak,
            album_gain: tags.album_gain,
            album_peak: tags.album_peak,
        })
    }
}

/// Lists the replay gain of the present files of a recording, in order. Files without a gain are
/// left out.
#[utoipa::path(
    get,
    path = "/kinds/audio/items/{id}/gains",
    tag = "audio",
    params(("id" = i64, Path, description = "The item's id")),
    responses(
        (status = 200, description = "Gains of the files; empty if no tag contains any",
            body = Items<FileGain>),
        (status = 404, description = "The item does not exist, is no recording, or all its files are missing",
            body = ErrorBody),
    )
)]
pub(crate) async fn list_gains(
    item: VisibleItem,
    State(app): State<App>,
) -> ApiResult<ApiJson<Items<FileGain>>> {
    let visible = Visible::of(item.viewer());
    let kinds = &[crate::KIND.id];
    let parts = app
        .db
        .read(move |conn| {
            if recording::find_item(conn, visible, kinds, item.id())?.is_none() {
                return Ok(None);
            }
            let scope = Scope {
                visible,
                library: None,
                kinds,
            };
            let files = genre::parts_of_items(conn, scope, &[item.id()], MAX_FILES)?;
            recording::parts(conn, visible, &files).map(Some)
        })
        .await?
        .ok_or(ApiError::NotFound("item"))?;
    let gain_of =
        |part: &recording::RecordedPart| FileGain::parse(part.id, part.kind_data.as_deref()?);
    Ok(ApiJson(Items {
        items: parts.iter().filter_map(gain_of).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_those_of_stored_tags() {
        let stored = StoredTags {
            track_gain: Some(-6.5),
            track_peak: Some(0.9),
            album_gain: Some(-4.0),
            ..StoredTags::default()
        };
        let json = stored.to_json().expect("some tags");
        let expected = FileGain {
            file_id: FileId(7),
            track_gain: Some(-6.5),
            track_peak: Some(0.9),
            album_gain: Some(-4.0),
            album_peak: None,
        };
        assert_eq!(FileGain::parse(FileId(7), &json), Some(expected));
    }

    #[test]
    fn file_without_gain_has_none() {
        for kind_data in ["{}", "[]", r#"{"t":"Title","tp":0.9}"#] {
            assert_eq!(FileGain::parse(FileId(7), kind_data), None, "{kind_data}");
        }
    }
}
