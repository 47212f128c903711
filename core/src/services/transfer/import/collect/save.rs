//! States of players of a source. Their bytes are copied, because the source may change before the
//! import writes them.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::Collector;
use crate::fs::media_file::MediaFile;
use crate::store::catalogue::batch::import::{ImportedSave, Value, undated};
use crate::store::user_data::save::{MAX_SAVE_BYTES, NewSave};
use crate::time::Timestamp;
use crate::transfer::import::files::Lookup;
use crate::transfer::import::rows::{RowType, SourceSave};
use crate::transfer::import::{ImportError, ImportResult};

/// Copy of a state.
struct Copied {
    size: u64,
    sha256: String,
    path: PathBuf,
}

impl Collector<'_> {
    pub(super) fn add_save(
        &mut self,
        user: &str,
        save: &SourceSave,
        body: &MediaFile,
    ) -> ImportResult<()> {
        let row = RowType::Save;
        let label = (save.path.as_str(), save.name.as_str());
        let Some(reader) = self.reader(user, row, label)? else {
            return Ok(());
        };
        let found = match self.finder.find_by_stem(save, &self.collected.staging)? {
            Lookup::Found(found) => found,
            Lookup::Ambiguous => return self.unmatched(row, &reader.theirs, label, "ambiguous"),
            Lookup::Absent => return self.unmatched(row, &reader.theirs, label, "no_file"),
        };
        let at = written_at(body);
        let Some(copied) = copy(body, &self.bodies)? else {
            return self.refuse(row, &reader.theirs, label);
        };
        let n = self.matched(row.as_str(), &reader, label)?;
        let state = ImportedSave {
            slot: save.slot.to_owned(),
            path: copied.path,
            new: NewSave {
                size: copied.size,
                sha256: copied.sha256,
                core: save.core.clone(),
                at,
            },
        };
        let value = Value::Save(Box::new(state));
        self.stage((found.item, reader.id, None), at.as_micros(), n, value)
    }
}

/// Returns the modification time of a state, or the time of undated values if it is before 1970.
fn written_at(body: &MediaFile) -> Timestamp {
    let micros = i64::try_from(body.mtime_ns / 1_000).ok();
    let at = micros.filter(|micros| *micros > 0);
    at.map_or_else(undated, Timestamp::from_micros)
}

/// Copies a state into `folder`, under the name of its content. Returns `None` for an empty, too
/// large, unreadable or changing file.
fn copy(body: &MediaFile, folder: &Path) -> ImportResult<Option<Copied>> {
    if body.size == 0 || body.size > MAX_SAVE_BYTES {
        return Ok(None);
    }
    let failed = |error: io::Error| {
        ImportError::Refused(format!(
            "A save cannot be copied to {}: {error}.",
            folder.display()
        ))
    };
    let part = folder.join("save.part");
    let mut output = File::create(&part).map_err(failed)?;
    let mut input = (&body.file).take(MAX_SAVE_BYTES + 1);
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Ok(None),
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        hash.update(bytes);
        output.write_all(bytes).map_err(failed)?;
        size += read as u64;
    }
    if size != body.size || !body.is_unchanged().unwrap_or(false) {
        return Ok(None);
    }
    let digest = hash.finalize();
    let sha256 = digest
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let path = folder.join(&sha256);
    std::fs::rename(&part, &path).map_err(failed)?;
    Ok(Some(Copied { size, sha256, path }))
}
