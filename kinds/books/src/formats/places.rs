//! Positions of other reading programs in books and comics.

use ledge_core::http::publications::Places;
use ledge_core::http::publications::places::{Converted, Foreign, Place, PlaceFile, Scheme};

use super::{epub, is_comic};
use crate::archive::ReadResult;

/// Conversions of this kind.
pub const PLACES: Places = Places {
    schemes,
    to,
    from,
    weights,
};

/// Form of the positions in a file, by its extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Sections that can be read.
    Epub,
    Pages,
    /// Sections that are equally long for the purpose of a conversion.
    Sections,
}

fn form(name: &str) -> Form {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.unwrap_or_default().to_lowercase();
    match extension.as_str() {
        "epub" => Form::Epub,
        "pdf" => Form::Pages,
        extension if is_comic(extension) => Form::Pages,
        _ => Form::Sections,
    }
}

fn schemes(name: &str) -> &'static [Scheme] {
    match form(name) {
        Form::Epub => &[
            Scheme::XPointer,
            Scheme::Cfi,
            Scheme::Path,
            Scheme::Fraction,
        ],
        Form::Pages => &[Scheme::Page1, Scheme::Fraction],
        Form::Sections => &[Scheme::Fraction],
    }
}

fn to(file: &PlaceFile, place: &Place, scheme: Scheme) -> ReadResult<Converted> {
    match (form(&file.name), scheme) {
        (Form::Epub, Scheme::XPointer) => epub::places::to_xpointer(&file.file, place),
        (Form::Epub, Scheme::Cfi) => epub::places::to_cfi(&file.file, place),
        (Form::Epub, Scheme::Path) => epub::places::to_path(&file.file, place),
        (Form::Pages, Scheme::Page1) => Ok(Converted {
            value: scheme.start(place.position),
            within: None,
        }),
        _ => Ok(Converted::default()),
    }
}

fn from(file: &PlaceFile, foreign: &Foreign) -> ReadResult<Place> {
    let found = match (form(&file.name), foreign.scheme) {
        (Form::Epub, Scheme::XPointer) => epub::places::from_xpointer(&file.file, &foreign.value)?,
        (Form::Epub, Scheme::Cfi) => epub::places::from_cfi(&file.file, &foreign.value)?,
        (Form::Epub, Scheme::Path) => epub::places::from_path(&file.file, &foreign.value)?,
        (Form::Pages, Scheme::Page1) => page(&foreign.value),
        _ => None,
    };
    match found {
        Some(place) => Ok(place),
        None => Ok(Place::at_fraction(&weights(file)?, foreign.fraction)),
    }
}

/// Parses the number of a page, from 1.
fn page(value: &str) -> Option<Place> {
    let number: i64 = value.trim().parse().ok()?;
    Some(Place {
        position: number.checked_sub(1).filter(|position| *position >= 0)?,
        within: None,
        locator: None,
    })
}

fn weights(file: &PlaceFile) -> ReadResult<Vec<u64>> {
    match form(&file.name) {
        Form::Epub => epub::places::weights(&file.file),
        Form::Pages | Form::Sections => Ok(Place::equal_weights(file.extent)),
    }
}
