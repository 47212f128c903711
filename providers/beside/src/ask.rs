//! Which files are looked for, and where.

use std::path::Path;

use ledge_core::registry::provider::{AskError, Asks, Candidate, Net, Place, Question};

use crate::{json, opf};

/// Largest metadata file that is read.
const LARGEST: u64 = 2 << 20;

/// Most files of an item whose own metadata files are looked for.
const MOST_STEMS: usize = 20;

/// Files that stand for the folder, and so for the one item in it.
const OF_FOLDER: &[&str] = &["metadata.json", "metadata.opf"];

/// The files beside; there is nothing to configure.
#[derive(Debug)]
pub(crate) struct Beside;

impl Asks for Beside {
    fn search(&self, question: &Question, _: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut found = Vec::new();
        let mut broken = None;
        for (place, name) in names(question) {
            match read(place, &name) {
                Ok(candidate) => found.extend(candidate),
                Err(error) => broken = Some(error),
            }
        }
        // One file that can be read is enough.
        match broken {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Question,
        _: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let mut found = names(question).filter(|(_, name)| name == provider_id);
        found
            .find_map(|(place, name)| read(place, &name).transpose())
            .transpose()
    }
}

/// The files to look for, the most telling first: that of the book itself, then the folder's.
fn names(question: &Question) -> impl Iterator<Item = (&Place, String)> {
    question.places.iter().flat_map(|place| {
        let own = place.stems.iter().take(MOST_STEMS);
        let own = own.filter_map(|stem| Some(format!("{}.opf", stem.to_str()?)));
        let of_folder = OF_FOLDER.iter().filter(|_| place.is_alone);
        own.chain(of_folder.map(|name| (*name).to_owned()))
            .map(move |name| (place, name))
    })
}

fn read(place: &Place, name: &str) -> Result<Option<Candidate>, AskError> {
    let Some(bytes) = place.read(name, LARGEST)? else {
        return Ok(None);
    };
    let is_json = Path::new(name)
        .extension()
        .is_some_and(|extension| extension == "json");
    let read = if is_json {
        json::read(&bytes)
    } else {
        opf::read(&bytes)
    };
    let candidate = read.map_err(|error| AskError::Malformed(format!("{name}: {error}")))?;
    Ok(candidate.map(|candidate| Candidate {
        provider_id: name.to_owned(),
        is_certain: true,
        ..candidate
    }))
}
