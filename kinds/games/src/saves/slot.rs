//! Extractors for the game, the slot and the version in the path.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use ledge_core::App;
use ledge_core::access::VisibleItem;
use ledge_core::http::{ApiError, ApiResult};
use ledge_core::store::item;
use ledge_core::store::user_data::save::Slot;

/// Visible item that is a game. Any other item is rejected as absent.
pub(super) struct Game(pub(super) VisibleItem);

impl FromRequestParts<App> for Game {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let item = VisibleItem::from_request_parts(parts, app).await?;
        let kind = app.db.read(move |conn| item::kind(conn, item)).await?;
        if kind.as_deref() == Some(crate::KIND.id) {
            return Ok(Self(item));
        }
        Err(ApiError::NotFound("item"))
    }
}

/// Slot of a visible game, with a well-formed name.
pub(super) struct GameSlot(pub(super) Slot);

impl FromRequestParts<App> for GameSlot {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        // A segment that is not UTF-8 is rejected before the item is looked up, so the response
        // reveals nothing about it.
        let Path(segments) = path.map_err(|_| malformed())?;
        let Game(item) = Game::from_request_parts(parts, app).await?;
        let name = segments
            .into_iter()
            .find_map(|(key, value)| (key == "slot").then_some(value))
            .filter(|name| is_slot(name))
            .ok_or_else(malformed)?;
        Ok(Self(Slot::of(item, &name)))
    }
}

/// Slot of a visible game, with the number of a version.
pub(super) struct GameVersion(pub(super) Slot, pub(super) i64);

impl FromRequestParts<App> for GameVersion {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> ApiResult<Self> {
        let GameSlot(slot) = GameSlot::from_request_parts(parts, app).await?;
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let segments = path.map_err(|_| malformed())?.0;
        // Only the canonical spelling is accepted: no sign, no leading zero.
        let n = segments
            .iter()
            .find_map(|(key, value)| (key == "n").then_some(value))
            .filter(|n| !n.starts_with('0') && n.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|n| n.parse().ok())
            .ok_or(ApiError::NotFound("version"))?;
        Ok(Self(slot, n))
    }
}

fn malformed() -> ApiError {
    ApiError::invalid(
        "slot",
        "A slot's name is 1 to 32 lower-case letters, digits, hyphens and underscores, \
         and begins with a letter or a digit.",
    )
}

fn is_slot(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut bytes = name.bytes();
    name.len() <= 32
        && bytes.next().is_some_and(is_plain)
        && bytes.all(|byte| is_plain(byte) || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::is_slot;

    #[test]
    fn slot_names_are_short_and_plain() {
        let longest = "a".repeat(32);
        for name in [
            "a",
            "0",
            "quick",
            "slot-1",
            "auto_2",
            "con",
            longest.as_str(),
        ] {
            assert!(is_slot(name), "{name}");
        }
        let too_long = "a".repeat(33);
        for name in [
            "",
            ".",
            "..",
            "-a",
            "_a",
            "A",
            "a b",
            "a/b",
            "a\\b",
            "a.b",
            "a\0",
            "a\n",
            "ä",
            "а",
            "１",
            "a\u{200b}",
            "a%2f",
            too_long.as_str(),
        ] {
            assert!(!is_slot(name), "{name:?}");
        }
    }
}
