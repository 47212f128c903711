//! Documents of OPDS Progression 1.0.

use ledge_core::App;
use ledge_core::http::ApiResult;
use ledge_core::http::publications::exchange;
use ledge_core::http::publications::places::{Foreign, Scheme};
use ledge_core::store::user_data::progress::FilePlace;
use serde_json::Value;

use super::sent::{self, MAX_REFERENCE};
use super::{Target, device};
use crate::addresses::path_of_section;
use crate::v2::json::Object;

/// Name of the references.
const REFERENCES: &str = "references";

/// Name of the references in an earlier schema.
const REFS: &str = "refs";

/// Reads the position of a document, and renames its references.
pub(super) fn read(document: &mut Value, schemes: &[Scheme]) -> Option<Foreign> {
    let fraction = sent::fraction(document.get("progression"))?;
    let members = document.as_object_mut()?;
    if let Some(earlier) = members.remove(REFS) {
        members.entry(REFERENCES).or_insert(earlier);
    }
    let references = members.get(REFERENCES).and_then(Value::as_array);
    let references = references.into_iter().flatten().filter_map(Value::as_str);
    let mut found = references.filter_map(reference);
    let found = found.find(|(scheme, _)| schemes.contains(scheme));
    let (scheme, value) = found.unwrap_or((Scheme::Fraction, String::new()));
    Some(Foreign {
        scheme,
        value,
        fraction,
    })
}

/// Parses a reference.
fn reference(text: &str) -> Option<(Scheme, String)> {
    if text.len() > MAX_REFERENCE {
        return None;
    }
    let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if fragment.starts_with("epubcfi(") {
        return Some((Scheme::Cfi, fragment.to_owned()));
    }
    if let Some(page) = fragment
        .strip_prefix("page=")
        .filter(|page| is_number(page))
    {
        return Some((Scheme::Page1, page.to_owned()));
    }
    if let Some(time) = fragment.strip_prefix("t=") {
        return Some((Scheme::MediaTime, time.to_owned()));
    }
    (!path.is_empty()).then(|| (Scheme::Path, path.to_owned()))
}

/// Returns the document of progress from another source.
pub(super) async fn write(app: &App, target: &Target, place: &FilePlace) -> ApiResult<Value> {
    const EXACT: &[Scheme] = &[Scheme::MediaTime, Scheme::Cfi, Scheme::Page1];
    let exact = exchange::describe(app, target.file, place, EXACT).await?;
    let section = exchange::describe(app, target.file, place, &[Scheme::Path]).await?;
    let path = section.value.map(|(_, path)| path_of_section(&path));
    let mut references = Vec::new();
    if let Some((scheme, value)) = exact.value {
        let path = path.as_deref().unwrap_or_default();
        references.push(match scheme {
            Scheme::MediaTime => format!("#t={value}"),
            Scheme::Page1 => format!("#page={value}"),
            _ => format!("{path}#{value}"),
        });
    }
    references.extend(path);
    let document = Object::default()
        .with("modified", place.updated_at.to_string())
        .with("device", device(target))
        .with("progression", exact.fraction)
        .with(REFERENCES, references);
    Ok(document.into())
}
