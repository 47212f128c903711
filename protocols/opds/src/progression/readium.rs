//! Documents of the older form, with a locator of Readium.

use ledge_core::App;
use ledge_core::http::ApiResult;
use ledge_core::http::publications::exchange;
use ledge_core::http::publications::places::{Foreign, Scheme};
use ledge_core::store::user_data::progress::FilePlace;
use serde_json::{Value, json};

use super::sent::{self, MAX_REFERENCE};
use super::{Target, device};
use crate::addresses::{Addresses, path_of_section};
use crate::v2::json::Object;

/// Media type of the sections of an EPUB.
const SECTION: &str = "application/xhtml+xml";

/// Reads the position of a document.
pub(super) fn read(document: &Value, schemes: &[Scheme], extent: Option<i64>) -> Option<Foreign> {
    let locator = document.get("locator")?;
    let locations = locator.get("locations")?;
    let position = locations.get("position").and_then(Value::as_i64);
    let position = position.filter(|position| *position > 0);
    let is_paged = schemes.contains(&Scheme::Page1);
    let fraction = match sent::fraction(locations.get("totalProgression")) {
        Some(fraction) => fraction,
        None => part(position.filter(|_| is_paged)?, extent?)?,
    };
    let href = locator.get("href").and_then(Value::as_str);
    let href = href.filter(|href| !href.is_empty() && href.len() <= MAX_REFERENCE);
    let (scheme, value) = match (position, href) {
        (Some(position), _) if is_paged => (Scheme::Page1, position.to_string()),
        (_, Some(href)) if schemes.contains(&Scheme::Path) => {
            let (path, _) = href.split_once('#').unwrap_or((href, ""));
            let within = sent::fraction(locations.get("progression"));
            let within = within.map(|within| format!("{}{within}", Scheme::RELATIVE));
            (
                Scheme::Path,
                format!("{path}{}", within.unwrap_or_default()),
            )
        }
        _ => (Scheme::Fraction, String::new()),
    };
    Some(Foreign {
        scheme,
        value,
        fraction,
    })
}

/// Returns the fraction before a page, from 1.
fn part(page: i64, extent: i64) -> Option<f64> {
    let page = u32::try_from(page - 1).ok()?;
    let extent = u32::try_from(extent).ok().filter(|extent| *extent > 0)?;
    Some((f64::from(page) / f64::from(extent)).min(1.0))
}

/// Returns the document of progress from another source.
pub(super) async fn write(
    app: &App,
    target: &Target,
    addresses: &Addresses,
    place: &FilePlace,
) -> ApiResult<Value> {
    const WANTED: &[Scheme] = &[Scheme::Path, Scheme::Page1];
    let described = exchange::describe(app, target.file, place, WANTED).await?;
    let (href, mime) = match described.value {
        Some((Scheme::Path, path)) => (path_of_section(&path), SECTION),
        _ => (addresses.file(target.file.id(), &target.name), target.mime),
    };
    let locations = Object::default()
        .with("position", place.position.saturating_add(1))
        .with("progression", place.within)
        .with("totalProgression", described.fraction);
    Ok(json!({
        "modified": place.updated_at,
        "device": device(target),
        "locator": { "href": href, "type": mime, "locations": Value::from(locations) },
    }))
}
