//! The descriptor of a media kind: what a kind's crate tells the core about its files.

use std::path::Path;

use crate::registry::naming::{FileName, FolderListing, Group, one_item_per_file};
use crate::registry::reading::{
    Candidate, Inspection, Probe, ReadError, ReadTools, Together, Verdict,
};
use crate::registry::subkind::{self, ItemTraits, Subkind};

/// The routes a kind contributes below `/api/v1`, inside the signed-in branch.
pub type KindRouter = utoipa_axum::router::OpenApiRouter<crate::App>;

/// Reads what a file says about its item.
pub type InspectFn = fn(&Path, &ReadTools<'_>) -> Result<Inspection, ReadError>;

/// Finds the container and codecs of a file.
pub type ProbeFn = fn(&Path, &ReadTools<'_>) -> Result<Probe, ReadError>;

/// Inspects and probes in one reading.
pub type ExamineFn =
    fn(&Path, &ReadTools<'_>) -> (Result<Inspection, ReadError>, Result<Probe, ReadError>);

/// Tells which files of a folder can have to do with each other, before they are grouped: a number
/// for each, and files of unlike numbers never are in one group nor change each other's.
pub type FamiliesFn = fn(&FolderListing<'_>) -> Vec<u64>;

/// Tells what the files of a group say together; they are given in the group's order.
pub type TogetherFn = fn(&FolderListing<'_>, &Group, &[&FileName]) -> Together;

/// Takes the picture out of a file as it lies there, undecoded, 32 MiB at most; `None` where the
/// file has none.
pub type CoverFn = fn(&Path, &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError>;

/// One media kind: plain data, and functions for what data cannot say.
///
/// [`MediaKind::new`] fills in defaults, so that a minimal kind is its id, labels and formats:
/// every file is an item of its own, titled by its file name, and opens in the download viewer.
#[derive(Debug, Clone, Copy)]
pub struct MediaKind {
    /// Identifier in the API and the database: `^[a-z][a-z0-9_]*$`.
    pub id: &'static str,
    /// Name of one item of this kind, in English: "Book".
    pub label: &'static str,
    /// Name of the kind: "Books".
    pub label_plural: &'static str,
    /// Place in every listing; ties are broken by `id`.
    pub rank: i32,
    /// Path data (`d`) of a 24×24 stroked icon.
    pub icon: &'static str,
    /// Hue of the kind's colour in degrees, 0 to 359 (OKLCH).
    pub hue: u16,
    /// The object an item looks like on a shelf.
    pub shape: Shape,
    /// Usual width of a cover divided by its height.
    pub aspect: f64,
    /// What a person does with an item, in English and lower case: "read".
    pub verb: &'static str,
    /// Unit of positions where a format does not say otherwise.
    pub unit: Unit,
    /// The file extensions of this kind. An extension belongs to one kind.
    pub formats: &'static [Format],
    /// Formats of this kind whose extension belongs to another kind. The kind is asked about such
    /// a file after the owner of the extension did not take it, and takes it by its content: it
    /// must have `accepts`.
    pub contested: &'static [Format],
    /// Extensions of files that lie beside an item's files and are never items themselves,
    /// lower case, without the dot. Several kinds may name the same one.
    pub sidecars: &'static [&'static str],
    /// Which of the files beside an item's files its readers read too.
    pub notes: Notes,
    /// Raised when `inspect`, `probe` or `examine` find more than before, or something else: the
    /// next scan then reads every file of the kind again, also where none changed.
    pub reading_version: u32,
    /// Raised when `group`, the names it reads or `accepts` change their meaning: the next scan
    /// then groups every folder again, also where no file changed.
    pub grouping_version: u32,
    /// A veto after a look at siblings or header; asked for new and changed files of this kind.
    pub accepts: Option<fn(&Candidate<'_>) -> Verdict>,
    /// How the files of one folder form items. Every file stands in exactly one group.
    pub group: fn(&FolderListing<'_>) -> Vec<Group>,
    /// Lets folders of very many files be grouped in parts, so that not all of them are in memory
    /// at once: each part has whole families.
    pub families: Option<FamiliesFn>,
    /// What the file itself says: title, people, chapters, extent.
    pub inspect: Option<InspectFn>,
    /// Container, codecs and duration of the file.
    pub probe: Option<ProbeFn>,
    /// Both of them, for kinds whose files tell both in one place: asked instead of the two.
    pub examine: Option<ExamineFn>,
    /// What the files of one group say of their item together; without it the first file that
    /// says something about a field has the word.
    pub together: Option<TogetherFn>,
    /// The picture in a file; asked by a background job, never during a scan.
    pub cover: Option<CoverFn>,
    /// Names, without extension and in lower case, of pictures beside an item's files that are
    /// its cover where the files hold none; the first is preferred.
    pub cover_stems: &'static [&'static str],
    /// The sorts of items of this kind, in the order in which people see them. Lists can be
    /// filtered by them. Where they or `subkind_of` change, `grouping_version` is raised, too.
    pub subkinds: &'static [Subkind],
    /// Returns the id of an item's subkind, one of `subkinds`; `None` where none of them fits.
    pub subkind_of: fn(&ItemTraits<'_>) -> Option<&'static str>,
    /// The title to ask metadata providers for, made from the stored title.
    pub search_title: fn(&str) -> String,
    /// Whether an item keeps its title when a provider knows another.
    pub keeps_title: bool,
    /// Routes of the kind's own.
    pub routes: Option<fn() -> KindRouter>,
    /// Static files of the kind's own, by their name below `/assets/`; the name bears their hash.
    pub assets: Option<fn(&str) -> Option<PackedAsset>>,
}

/// A static file that a kind's crate has inside, compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedAsset {
    /// Its bytes as gzip packs them.
    pub gzip: &'static [u8],
    /// Its media type.
    pub mime: &'static str,
    /// What tells its state from another, as it stands in its name.
    pub hash: String,
}

impl MediaKind {
    /// A kind with defaults for everything but its names and formats.
    pub const fn new(
        id: &'static str,
        label: &'static str,
        label_plural: &'static str,
        formats: &'static [Format],
    ) -> Self {
        Self {
            id,
            label,
            label_plural,
            rank: 1000,
            icon: "M4 4h16v16H4z",
            hue: 200,
            shape: Shape::Card,
            aspect: 1.0,
            verb: "open",
            unit: Unit::None,
            formats,
            contested: &[],
            sidecars: &[],
            notes: Notes::NONE,
            reading_version: 1,
            grouping_version: 1,
            accepts: None,
            group: one_item_per_file,
            families: None,
            inspect: None,
            probe: None,
            examine: None,
            together: None,
            cover: None,
            cover_stems: &["cover", "folder", "front"],
            subkinds: &[],
            subkind_of: subkind::none,
            search_title: str::to_owned,
            keeps_title: false,
            routes: None,
            assets: None,
        }
    }

    /// Whether its files are probed, and so have codecs to compare.
    pub fn is_probed(&self) -> bool {
        self.probe.is_some() || self.examine.is_some()
    }

    /// The format of a lower-case extension without its dot; contested ones count.
    pub fn format(&self, extension: &str) -> Option<&'static Format> {
        let mut formats = self.formats.iter().chain(self.contested);
        formats.find(|format| format.extension == extension)
    }

    /// The format of a file, by its name.
    pub fn format_of(&self, file_name: &str) -> Option<&'static Format> {
        let name = file_name.to_lowercase();
        let (rest, last) = name.rsplit_once('.')?;
        let both = rest.rfind('.').and_then(|dot| name.get(dot + 1..));
        both.and_then(|both| self.format(both))
            .or_else(|| self.format(last))
    }

    /// The subkind of this identifier.
    pub fn subkind(&self, id: &str) -> Option<&'static Subkind> {
        self.subkinds.iter().find(|subkind| subkind.id == id)
    }
}

inventory::collect!(MediaKind);

/// Files beside media files that readers read too. When one of them comes, goes or changes, the
/// media files that it speaks of are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notes {
    /// Extensions, lower case, of those that bear the name of a file, with or without its own
    /// extension: `Film.nfo` and `Film.mkv.nfo` speak of `Film.mkv`.
    pub of_file: &'static [&'static str],
    /// Names, in lower case, of those that speak of every file in their folder.
    pub of_folder: &'static [&'static str],
    /// Names, in lower case, of those that speak also of every file in the folders next to them.
    pub of_folders_below: &'static [&'static str],
}

impl Notes {
    /// Nothing but the files themselves is read.
    pub const NONE: Self = Self {
        of_file: &[],
        of_folder: &[],
        of_folders_below: &[],
    };
}

/// One file extension of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Lower case, without the dot: `epub`; or two of them where the last alone says too little:
    /// `tar.gz`. The longer one is the one that counts.
    pub extension: &'static str,
    /// Media type the file is served as; `application/octet-stream` where there is none.
    pub mime: Option<&'static str>,
    /// Identifier of the viewer that opens it: `epub`, `pdf`, `audio`, `download`, ….
    pub viewer: &'static str,
    /// Unit of positions in such a file.
    pub unit: Unit,
}

impl Format {
    /// A format with a media type.
    pub const fn new(
        extension: &'static str,
        mime: &'static str,
        viewer: &'static str,
        unit: Unit,
    ) -> Self {
        Self {
            extension,
            mime: Some(mime),
            viewer,
            unit,
        }
    }

    /// A format without a registered media type: served as `application/octet-stream`.
    pub const fn untyped(extension: &'static str, viewer: &'static str, unit: Unit) -> Self {
        Self {
            extension,
            mime: None,
            viewer,
            unit,
        }
    }
}

/// The object an item looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// 2:3 with a spine.
    Book,
    /// A square record sleeve.
    Sleeve,
    /// A film case.
    Case,
    /// A game's box.
    Box,
    /// Anything else.
    Card,
}

/// What a position counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Pages, from 0.
    Page,
    /// Sections of the spine, from 0.
    Section,
    /// Seconds.
    Second,
    /// Nothing to count.
    None,
}
