//! Command `ledge import`: imports another program's data, also while the server runs.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;
use ledge_core::db::{migrate, open};
use ledge_core::registry::Registry;
use ledge_core::time::Clock;
use ledge_core::transfer::import::{
    self, Environment, ImportSource, PathMapping, Request, Summary, UserMapping,
};

use super::owner;
use crate::config::DatabaseArgs;

/// Arguments of `ledge import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Program that the data comes from
    #[arg(value_name = "SOURCE", value_parser = source)]
    source: &'static str,
    /// Database or folder of that program
    path: PathBuf,
    /// Folder in that program's paths, and the same folder for Ledge; may be repeated
    #[arg(long = "map", value_name = "FROM=TO", value_parser = mapping)]
    map: Vec<(String, String)>,
    /// User of that program, and the user of Ledge, or none to skip the user; may be repeated
    #[arg(long = "user", value_name = "THEIRS=OURS", value_parser = mapping)]
    users: Vec<(String, String)>,
    /// Second database, for programs that have one
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    /// Report the numbers, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Read data of unknown versions too
    #[arg(long)]
    any_version: bool,
    /// Write a CSV file with the rows that were not imported
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: DatabaseArgs,
}

fn source(id: &str) -> Result<&'static str, String> {
    if let Some(source) = import::find(id) {
        return Ok(source.id);
    }
    let known: Vec<&str> = import::all().iter().map(|source| source.id).collect();
    Err(format!("the sources are: {}", known.join(", ")))
}

fn mapping(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() => Ok((from.to_owned(), to.to_owned())),
        _ => Err("it has the form A=B".to_owned()),
    }
}

/// Checks the second database. A wrong use is an error of the command line.
pub(crate) fn check(arguments: &ImportArgs) -> Result<(), clap::Error> {
    let Some(source) = import::find(arguments.source) else {
        return Ok(());
    };
    let message = match (source.library, &arguments.library) {
        (Some(name), None) => format!("{} also needs --library with {name}", source.label),
        (None, Some(_)) => format!("{} has one database only, without --library", source.label),
        _ => return Ok(()),
    };
    let mut command = <super::Cli as clap::CommandFactory>::command();
    Err(command.error(clap::error::ErrorKind::ArgumentConflict, message))
}

/// Runs the import.
pub(crate) fn run(arguments: &ImportArgs) -> anyhow::Result<()> {
    let database = owner::database(&arguments.database)?;
    let mut connection = open::existing(&database)?;
    migrate::migrate(&mut connection)?;
    let registry = Registry::collect()?;
    let temporary = match database.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let environment = Environment {
        database: &database,
        temporary,
        registry: &registry,
        user: None,
        now: Clock::system().now(),
        report: arguments.report.as_deref(),
    };
    let request = request(arguments);
    let imported = match import::run(&request, environment, &mut connection, &|| false) {
        Ok(imported) => imported,
        Err(error) => bail!("{error}"),
    };
    let mut out = io::stdout().lock();
    if arguments.json {
        serde_json::to_writer(&mut out, &imported.summary)?;
        writeln!(out)?;
    } else {
        print(&mut out, import::find(arguments.source), &imported.summary)?;
    }
    Ok(())
}

fn request(arguments: &ImportArgs) -> Request {
    let map = arguments.map.iter().map(|(from, to)| PathMapping {
        from: from.clone(),
        to: to.clone(),
    });
    let users = arguments.users.iter().map(|(theirs, ours)| UserMapping {
        theirs: theirs.clone(),
        ours: Some(ours.clone()),
    });
    Request {
        source: arguments.source.to_owned(),
        path: arguments.path.clone(),
        library: arguments.library.clone(),
        map: map.collect(),
        users: users.collect(),
        dry_run: arguments.dry_run,
        any_version: arguments.any_version,
    }
}

fn print(
    out: &mut impl io::Write,
    source: Option<&ImportSource>,
    summary: &Summary,
) -> io::Result<()> {
    let label = source.map_or("", |source| source.label);
    let version = summary.version.as_deref().unwrap_or("unknown version");
    writeln!(out, "{label} ({version})")?;
    for user in &summary.users {
        let ours = user.ours.as_deref().unwrap_or("not imported");
        writeln!(out, "  user {} → {ours}", user.theirs)?;
    }
    let (taken, skipped) = (&summary.taken, &summary.skipped);
    for (name, number) in [
        ("rows with a user and a file", summary.matched),
        ("rows without a user or file", summary.unmatched),
        ("imported positions", taken.progress),
        ("imported as finished", taken.finished),
        ("imported favourites", taken.favourites),
        ("imported ratings", taken.ratings),
        ("imported playlists", taken.playlists),
        ("imported collections", taken.collections),
        ("imported numbers of views", taken.plays),
        ("imported bookmarks", taken.bookmarks),
        ("imported sessions", taken.sessions),
        ("imported saves", taken.saves),
        ("newer in Ledge", skipped.newer_here),
        ("unchanged", skipped.unchanged),
        ("lists changed in Ledge", skipped.changed_here),
        ("not supported", skipped.unsupported),
    ] {
        if number > 0 {
            writeln!(out, "{number:>9} {name}")?;
        }
    }
    match summary.batch {
        Some(batch) => writeln!(out, "Batch {batch}; it can be undone in the web interface."),
        None if summary.dry_run => writeln!(out, "Dry run: nothing was written."),
        None => writeln!(out, "Nothing changed."),
    }
}
