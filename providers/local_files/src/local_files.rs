//! Names of the metadata files, and the search for them in an item's folders.

use std::path::Path;

use ledge_core::registry::provider::{AskError, Candidate, ItemFolder, Lookup, Net, Query};

use crate::{json, opf};

/// Largest metadata file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 2 << 20;

/// Most file stems of an item that are tried as names of metadata files.
const MAX_STEMS: usize = 20;

/// Metadata files of a whole folder. They are used only if the folder contains one item.
const FOLDER_FILES: &[&str] = &["metadata.json", "metadata.opf"];

/// Provider of local metadata files. It has no configuration.
#[derive(Debug)]
pub(crate) struct LocalFiles;

impl Lookup for LocalFiles {
    fn search(&self, question: &Query, _: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let mut found = Vec::new();
        let mut failure = None;
        for (place, name) in file_names(question) {
            match read(place, &name) {
                Ok(candidate) => found.extend(candidate),
                Err(error) => failure = Some(error),
            }
        }
        // One readable file is enough: an error of another file is then ignored.
        match failure {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        _: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let mut found = file_names(question).filter(|(_, name)| name == provider_id);
        found
            .find_map(|(place, name)| read(place, &name).transpose())
            .transpose()
    }
}

/// Returns the file names to try, the most specific first: the item's own file, then the
/// folder's.
fn file_names(question: &Query) -> impl Iterator<Item = (&ItemFolder, String)> {
    question.folders.iter().flat_map(|place| {
        let item_files = place.stems.iter().take(MAX_STEMS);
        let item_files = item_files.filter_map(|stem| Some(format!("{}.opf", stem.to_str()?)));
        let folder_files = FOLDER_FILES.iter().filter(|_| place.is_alone);
        item_files
            .chain(folder_files.map(|name| (*name).to_owned()))
            .map(move |name| (place, name))
    })
}

fn read(place: &ItemFolder, name: &str) -> Result<Option<Candidate>, AskError> {
    let Some(bytes) = place.read(name, MAX_FILE_BYTES)? else {
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
