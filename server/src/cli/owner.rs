//! Commands that root starts run as the owner of the data folder.
//!
//! `docker exec CONTAINER ledge …` starts as root, and the server in the container does not. A file
//! that root creates in the data folder locks the server out.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::bail;

use crate::config::DatabaseArgs;

/// Returns the path of the database. If root started the command, the owner of the data folder runs
/// it from here on.
///
/// # Errors
///
/// The path is empty, or the rights to change the user are missing.
pub(crate) fn database(arguments: &DatabaseArgs) -> anyhow::Result<PathBuf> {
    let database = arguments.real()?;
    switch_to_owner_of(&database)?;
    Ok(database)
}

/// Runs this command again as the owner of the database's folder, if root started it.
///
/// Returns if nothing has to change: another user started it, root owns the folder, or the owner
/// cannot reach the folder (as below the private folder of a systemd service). In the last case
/// SQLite gives the files that it creates to the database's owner.
fn switch_to_owner_of(database: &Path) -> anyhow::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let Some(folder) = database.parent() else {
        return Ok(());
    };
    let Ok(owner) = folder.metadata() else {
        return Ok(());
    };
    if owner.uid() == 0 || !can_reach(folder, &owner) {
        return Ok(());
    }
    let error = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .uid(owner.uid())
        .gid(owner.gid())
        .exec();
    let (uid, gid) = (owner.uid(), owner.gid());
    bail!(
        "{} belongs to {uid}:{gid}, and this command cannot switch to that user ({error}). Run it \
         as that user: docker exec --user {uid}:{gid} …, or sudo --user '#{uid}' ledge …",
        folder.display()
    );
}

/// Returns `true` if the owner of `folder` may search every folder above it.
fn can_reach(folder: &Path, owner: &Metadata) -> bool {
    let may_search = |above: &Path| {
        above.metadata().is_ok_and(|above| {
            let bit = if above.uid() == owner.uid() {
                0o100
            } else if above.gid() == owner.gid() {
                0o010
            } else {
                0o001
            };
            above.mode() & bit != 0
        })
    };
    folder.ancestors().all(may_search)
}
