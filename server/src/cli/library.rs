//! Command `ledge library`: manages libraries on its own connection, also while the server runs.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use ledge_core::db::{migrate, open};
use ledge_core::id::{LibraryId, UserId};
use ledge_core::registry::Registry;
use ledge_core::scan;
use ledge_core::store::account::user::{self, Role};
use ledge_core::store::library::{self, Library};
use ledge_core::time::Clock;
use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;

use super::owner;
use crate::config::DatabaseArgs;
use crate::http::routes::library::libraries::request::CreateLibrary;

/// Subcommands of `ledge library`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum LibraryCommand {
    /// Register a folder as a library
    Add {
        /// Name of the library; it must be unused
        name: String,
        /// Folder of the media files
        folder: PathBuf,
        /// Limit the library to this kind of media; may be repeated
        #[arg(long = "kind", value_name = "KIND")]
        kinds: Vec<String>,
        /// User who may read the library; may be repeated. The default is every administrator
        #[arg(long = "grant", value_name = "USER")]
        grants: Vec<String>,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// List all libraries
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
    /// Request a scan; a running server begins it at once, otherwise the next start does
    Scan {
        /// Name or id of the library
        library: String,
        /// Mark missing files even if they are most of the library
        #[arg(long)]
        accept_missing: bool,
        #[command(flatten)]
        database: DatabaseArgs,
    },
}

/// Runs a subcommand.
pub(crate) fn run(command: LibraryCommand) -> anyhow::Result<()> {
    match command {
        LibraryCommand::Add {
            name,
            folder,
            kinds,
            grants,
            database,
        } => add(opened(&database)?, name, &folder, kinds, &grants),
        LibraryCommand::List { json, database } => list(&opened(&database)?, json),
        LibraryCommand::Scan {
            library,
            accept_missing,
            database,
        } => scan(opened(&database)?, &library, accept_missing),
    }
}

fn opened(database: &DatabaseArgs) -> anyhow::Result<Connection> {
    let mut connection = open::existing(&owner::database(database)?)?;
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

fn add(
    mut connection: Connection,
    name: String,
    folder: &Path,
    kinds: Vec<String>,
    grants: &[String],
) -> anyhow::Result<()> {
    // The user of the command line knows the working folder, so a relative path is allowed.
    let folder = std::path::absolute(folder)?;
    let folder = folder
        .to_str()
        .with_context(|| format!("{} is not UTF-8.", folder.display()))?;
    let readers = readers(&connection, grants)?;
    let asked = CreateLibrary::new(
        name,
        folder.to_owned(),
        kinds,
        readers.iter().skip(1).copied().collect(),
    );
    let registry = Registry::collect()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let new = runtime.block_on(asked.check(&registry))?;
    let creator = *readers.first().context(
        "There is no administrator to grant the library to. Create an account first: \
         ledge user add NAME --admin",
    )?;
    let (name, path) = (new.name.clone(), new.path.clone());
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let LibraryId(id) = library::create(&tx, &new, creator, Clock::system().now())?;
    tx.commit()?;
    let path = path.display();
    writeln!(
        io::stdout(),
        "Made the library {name} ({id}) of {path}. Scan it with: ledge library scan {id}"
    )?;
    Ok(())
}

/// Returns the users with access to a new library.
fn readers(connection: &Connection, named: &[String]) -> anyhow::Result<Vec<UserId>> {
    if named.is_empty() {
        let users = user::list(connection)?.into_iter();
        let admins = users.filter(|user| user.role == Role::Admin && !user.disabled);
        return Ok(admins.map(|user| user.id).collect());
    }
    let id = |name: &String| {
        user::id_of(connection, name)?.with_context(|| format!("There is no user named {name}."))
    };
    named.iter().map(id).collect()
}

fn scan(mut connection: Connection, wanted: &str, accept_missing: bool) -> anyhow::Result<()> {
    let library = find(&connection, wanted)?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    scan::request(&tx, library.id, accept_missing, Clock::system().now())?;
    tx.commit()?;
    writeln!(io::stdout(), "A scan of {} is queued.", library.name)?;
    Ok(())
}

/// Finds a library by its name in any case, or by its id.
fn find(connection: &Connection, wanted: &str) -> anyhow::Result<Library> {
    let mut libraries = all(connection)?;
    let name = wanted.to_lowercase();
    let by_name = |library: &Library| library.name.to_lowercase() == name;
    let by_id = |library: &Library| library.id.0.to_string() == wanted;
    let found = libraries
        .iter()
        .position(by_name)
        .or_else(|| libraries.iter().position(by_id));
    match found {
        Some(index) => Ok(libraries.swap_remove(index)),
        None => bail!("There is no library {wanted}; `ledge library list` shows them."),
    }
}

/// Returns all libraries. No grants apply, because the caller has the database file.
fn all(connection: &Connection) -> anyhow::Result<Vec<Library>> {
    Ok(library::list_unscoped(connection, UserId(0))?)
}

/// A library in the JSON output.
#[derive(Serialize)]
struct Listed {
    id: i64,
    name: String,
    path: String,
    kinds: Option<Vec<String>>,
    items: u64,
    missing: u64,
}

impl From<Library> for Listed {
    fn from(library: Library) -> Self {
        Self {
            id: library.id.0,
            items: library.counts.values().sum(),
            path: library.path.display().to_string(),
            name: library.name,
            kinds: library.kinds,
            missing: library.missing,
        }
    }
}

fn list(connection: &Connection, json: bool) -> anyhow::Result<()> {
    let items: Vec<Listed> = all(connection)?.into_iter().map(Into::into).collect();
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &ledge_core::paging::Items { items })?;
        writeln!(out)?;
        return Ok(());
    }
    let width = items.iter().map(|library| library.name.chars().count());
    let width = width.max().unwrap_or(0);
    for library in items {
        let Listed { id, name, path, .. } = &library;
        let (items, missing) = (library.items, library.missing);
        writeln!(
            out,
            "{id:>4}  {name:width$}  {items:>8} items  {missing:>6} missing  {path}"
        )?;
    }
    Ok(())
}
