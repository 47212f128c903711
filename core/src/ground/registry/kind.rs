//! Descriptor of a media kind: the data and functions that a kind's crate gives to the core.

use std::path::Path;

use crate::error::ReadError;
use crate::registry::display::DisplayTitle;
use crate::registry::match_rules::{self, MatchRules};
use crate::registry::naming::{FileName, FolderListing, Group, one_item_per_file};
use crate::registry::reading::{Candidate, Inspection, ItemSummary, Probe, ReadTools, Verdict};
use crate::registry::subkind::{self, ItemTraits, Subkind};
use crate::registry::work::{self, WorkForm};

/// Reads the metadata in a file.
pub type InspectFn = fn(&Path, &ReadTools<'_>) -> Result<Inspection, ReadError>;

/// Reads the container and the codecs of a file.
pub type ProbeFn = fn(&Path, &ReadTools<'_>) -> Result<Probe, ReadError>;

/// Inspects and probes a file in one pass.
pub type ExamineFn =
    fn(&Path, &ReadTools<'_>) -> (Result<Inspection, ReadError>, Result<Probe, ReadError>);

/// Partitions a large folder before grouping. Returns one partition id per file. Files with
/// different ids never share a group and never affect each other's group.
pub type PartitionFn = fn(&FolderListing<'_>) -> Vec<u64>;

/// Merges the metadata of a group's files. The file names are in the order of the group.
pub type SummarizeFn = fn(&FolderListing<'_>, &Group, &[&FileName]) -> ItemSummary;

/// Returns the undecoded picture in a file, at most 32 MiB, or `None` if the file has none.
pub type CoverFn = fn(&Path, &ReadTools<'_>) -> Result<Option<Vec<u8>>, ReadError>;

/// Returns the artists of a file from the data that the kind stored for it.
pub type PartArtistsFn = fn(kind_data: &str) -> Vec<String>;

/// Returns the index of the section with this file name inside a file.
pub type SectionFn = fn(&Path, &ReadTools<'_>, &str) -> Result<Option<i64>, ReadError>;

/// Media kind: plain data, and functions for everything that data cannot express.
///
/// [`MediaKind::new`] fills in defaults, so that a minimal kind consists of its id, labels and
/// formats. By default, every file is an item, has its file name as title, and opens in the
/// download viewer.
#[derive(Debug, Clone, Copy)]
pub struct MediaKind {
    /// Identifier in the API and the database: `^[a-z][a-z0-9_]*$`.
    pub id: &'static str,
    /// Name of one item of this kind, in English: "Book".
    pub label: &'static str,
    /// Name of the kind: "Books".
    pub label_plural: &'static str,
    /// Position in every listing. `id` breaks ties.
    pub rank: i32,
    /// Path data (`d`) of a 24×24 stroked icon.
    pub icon: &'static str,
    /// Hue of the kind's colour in degrees, 0 to 359 (OKLCH).
    pub hue: u16,
    /// Object that represents an item on a shelf.
    pub shape: Shape,
    /// Usual width of a cover divided by its height.
    pub aspect: f64,
    /// Verb for using an item, in English and lower case: "read".
    pub verb: &'static str,
    /// Default unit of positions, unless a format has another one.
    pub unit: Unit,
    /// File extensions of this kind. An extension belongs to one kind.
    pub formats: &'static [Format],
    /// Formats of this kind whose extension belongs to another kind. If the owner of the extension
    /// does not accept a file, this kind is asked and may accept it by its content. Requires
    /// `accepts`.
    pub contested: &'static [Format],
    /// Extensions of files that accompany an item's files and are never items themselves, in lower
    /// case, without the dot. Several kinds may name the same one.
    pub sidecars: &'static [&'static str],
    /// Sidecar files that the kind's readers read in addition to media files.
    pub metadata_sidecars: MetadataSidecars,
    /// Version of `inspect`, `probe` and `examine`. It must be raised when their results change:
    /// the next scan then reads every file of the kind again, including unchanged ones.
    pub reading_version: u32,
    /// Version of `group`, of the names that it reads, and of `accepts`. It must be raised when
    /// their results change: the next scan then groups every folder again, including unchanged
    /// ones.
    pub grouping_version: u32,
    /// Check by siblings or by the file header. It runs for new and changed files of this kind.
    pub accepts: Option<fn(&Candidate<'_>) -> Verdict>,
    /// Groups the files of one folder into items. Every file must be in exactly one group.
    pub group: fn(&FolderListing<'_>) -> Vec<Group>,
    /// Permits large folders to be grouped in parts, so that not all files are in memory at once.
    /// Files of one partition stay in one part.
    pub partition: Option<PartitionFn>,
    /// Reads the metadata in the file: title, people, chapters, extent.
    pub inspect: Option<InspectFn>,
    /// Reads container, codecs and duration of the file.
    pub probe: Option<ProbeFn>,
    /// Replaces `inspect` and `probe` for kinds that can read both in one pass.
    pub examine: Option<ExamineFn>,
    /// Merges the metadata of a group's files. Without it, the first file with a value for a field
    /// determines the field.
    pub summarize: Option<SummarizeFn>,
    /// Reads the picture in a file. A background job calls it, never a scan.
    pub cover: Option<CoverFn>,
    /// Stems of cover pictures next to an item's files, in lower case and in the order of
    /// preference. They are used if the files contain no picture.
    pub cover_stems: &'static [&'static str],
    /// Subkinds of this kind, in display order. Lists can be filtered by them. If they or
    /// `subkind_of` change, `grouping_version` must be raised too.
    pub subkinds: &'static [Subkind],
    /// Returns the id of an item's subkind, one of `subkinds`, or `None` if none applies.
    pub subkind_of: fn(&ItemTraits<'_>) -> Option<&'static str>,
    /// Returns the form in which an item of this subkind contains a title. Items with a form are
    /// linked automatically to other forms of the title.
    pub work_form: fn(Option<&str>) -> Option<WorkForm>,
    /// Returns the role of the people in the author line of items of this subkind, for pages of people:
    /// `author`, `artist`, `director`, ….
    pub author_role: fn(Option<&str>) -> &'static str,
    /// Returns the rules of matches with providers for items of this subkind.
    pub match_rules: fn(Option<&str>) -> MatchRules,
    /// Derives the title for provider queries from the stored title.
    pub search_title: fn(&str) -> String,
    /// Derives the title and the badges that clients show from the stored title.
    pub display_title: fn(&str) -> DisplayTitle,
    /// `true` if an item keeps its title when a provider has another one.
    pub keeps_title: bool,
    /// Reads the artists of a file. Files of kinds with this function can be searched one by one.
    pub part_artists: Option<PartArtistsFn>,
    /// Finds the section that a file name inside the file identifies, for imports.
    pub section_of: Option<SectionFn>,
    /// Returns the date of a part's first publication as `YYYY-MM-DD`, from the kind's data about its
    /// file.
    pub part_date: Option<fn(&str) -> Option<String>>,
    /// Returns the number that the name of a folder gives to the parts of an item in it, such as that
    /// of a season. 0 for parts outside of the numbers. Providers that read local files use it.
    pub number_of_folder: fn(&str) -> Option<i64>,
    /// `true` if players of this kind store states in slots, for imports.
    pub has_saves: bool,
    /// Static files of the kind, by their name below `/assets/`. The name contains their hash.
    pub assets: Option<fn(&str) -> Option<PackedAsset>>,
}

/// Compressed static file that a kind's crate embeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedAsset {
    /// Content as a gzip stream.
    pub gzip: &'static [u8],
    /// Media type of the uncompressed content.
    pub mime: &'static str,
    /// Hash of the content, as in its name.
    pub hash: String,
}

impl MediaKind {
    /// Creates a kind with defaults for everything except its names and formats.
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
            metadata_sidecars: MetadataSidecars::NONE,
            reading_version: 1,
            grouping_version: 1,
            accepts: None,
            group: one_item_per_file,
            partition: None,
            inspect: None,
            probe: None,
            examine: None,
            summarize: None,
            cover: None,
            cover_stems: &["cover", "folder", "front"],
            subkinds: &[],
            subkind_of: subkind::none,
            work_form: work::none,
            author_role: |_| "author",
            match_rules: match_rules::editions,
            search_title: str::to_owned,
            display_title: DisplayTitle::stored,
            keeps_title: false,
            part_artists: None,
            section_of: None,
            part_date: None,
            number_of_folder: |_| None,
            has_saves: false,
            assets: None,
        }
    }

    /// Returns the linked kind with this id, for code that has no registry.
    pub fn linked(id: &str) -> Option<&'static Self> {
        inventory::iter::<Self>().find(|kind| kind.id == id)
    }

    /// Returns `true` if the kind probes its files, so that codecs are known.
    pub fn is_probed(&self) -> bool {
        self.probe.is_some() || self.examine.is_some()
    }

    /// Returns `true` if players play files of this format one after another, as in a playlist:
    /// their codecs are known, and positions in them are seconds.
    pub fn has_timeline(&self, format: &Format) -> bool {
        self.is_probed() && format.unit == Unit::Second && format.viewer != DOWNLOAD
    }

    /// Returns the format of an extension, in lower case and without its dot. Includes contested
    /// formats.
    pub fn format(&self, extension: &str) -> Option<&'static Format> {
        let mut formats = self.formats.iter().chain(self.contested);
        formats.find(|format| format.extension == extension)
    }

    /// Returns the format of a file by its name.
    pub fn format_of(&self, file_name: &str) -> Option<&'static Format> {
        let name = file_name.to_lowercase();
        let (rest, last) = name.rsplit_once('.')?;
        let both = rest.rfind('.').and_then(|dot| name.get(dot + 1..));
        both.and_then(|both| self.format(both))
            .or_else(|| self.format(last))
    }

    /// Returns the subkind with this id.
    pub fn subkind(&self, id: &str) -> Option<&'static Subkind> {
        self.subkinds.iter().find(|subkind| subkind.id == id)
    }
}

inventory::collect!(MediaKind);

/// Sidecar files that a kind's readers read. When one of them is added, removed or changed, the
/// media files that it applies to are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataSidecars {
    /// Extensions, in lower case, of sidecar files named after a media file, with or without its
    /// extension: `Film.nfo` and `Film.mkv.nfo` apply to `Film.mkv`.
    pub of_file: &'static [&'static str],
    /// Names, in lower case, of sidecar files that apply to every file in their folder.
    pub of_folder: &'static [&'static str],
    /// Names, in lower case, of sidecar files that also apply to every file in the direct
    /// subfolders.
    pub of_folders_below: &'static [&'static str],
}

impl MetadataSidecars {
    /// No sidecar files.
    pub const NONE: Self = Self {
        of_file: &[],
        of_folder: &[],
        of_folders_below: &[],
    };
}

/// File extension of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Extension in lower case, without the dot: `epub`. It may have two parts if the last one
    /// alone is ambiguous: `tar.gz`. The longest match applies.
    pub extension: &'static str,
    /// Media type of served files. `None` means `application/octet-stream`.
    pub mime: Option<&'static str>,
    /// Identifier of the viewer: `epub`, `pdf`, `audio`, `download`, ….
    pub viewer: &'static str,
    /// Unit of positions in such a file.
    pub unit: Unit,
}

/// Viewer of files that the web interface only offers for download.
const DOWNLOAD: &str = "download";

impl Format {
    /// Creates a format with a media type.
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

    /// Creates a format without a registered media type. It is served as
    /// `application/octet-stream`.
    pub const fn untyped(extension: &'static str, viewer: &'static str, unit: Unit) -> Self {
        Self {
            extension,
            mime: None,
            viewer,
            unit,
        }
    }
}

/// Object that represents an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// 2:3 with a spine.
    Book,
    /// Square record sleeve.
    Sleeve,
    /// Film case.
    Case,
    /// Game box.
    Box,
    /// Any other object.
    Card,
}

/// Unit of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Pages, starting at 0.
    Page,
    /// Sections of the spine, starting at 0.
    Section,
    /// Seconds.
    Second,
    /// No positions.
    None,
}
