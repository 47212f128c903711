//! Checks of the registries at start. All problems are reported at once, with names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mime::Mime;

use super::provider::{Base, SettingKind};
use super::{MediaKind, MetadataProvider, PlaybackEngine};

/// Engine of every browser. Playback cannot be resolved without it.
const BUILT_IN_ENGINE: &str = "html5";

/// All problems of the registered descriptors.
#[derive(Debug, PartialEq, Eq)]
pub struct RegistryError {
    /// One clause per problem.
    pub problems: Vec<String>,
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The registered plug-ins are invalid:")?;
        for problem in &self.problems {
            write!(f, "\n  - {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RegistryError {}

/// Returns an error with every problem, or `Ok` if there is none.
pub(super) fn check(
    kinds: &[&'static MediaKind],
    engines: &[&'static PlaybackEngine],
    providers: &[&'static MetadataProvider],
) -> Result<(), RegistryError> {
    let mut problems = Vec::new();
    identifiers("kind", kinds.iter().map(|kind| kind.id), &mut problems);
    identifiers("engine", engines.iter().map(|e| e.id), &mut problems);
    identifiers("provider", providers.iter().map(|p| p.id), &mut problems);
    for kind in kinds {
        kind_data(kind, &mut problems);
    }
    shared_extensions(kinds, &mut problems);
    provider_kinds(kinds, providers, &mut problems);
    provider_settings(providers, &mut problems);
    if !engines.iter().any(|engine| engine.id == BUILT_IN_ENGINE) {
        problems.push(format!("the engine `{BUILT_IN_ENGINE}` is missing"));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(RegistryError { problems })
    }
}

fn identifiers<'a>(noun: &str, ids: impl Iterator<Item = &'a str>, problems: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !is_identifier(id) {
            problems.push(format!("`{id}` is not a valid identifier of a {noun}"));
        }
        if !seen.insert(id) {
            problems.push(format!("the {noun} `{id}` is registered twice"));
        }
    }
}

fn is_identifier(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
}

fn kind_data(kind: &MediaKind, problems: &mut Vec<String>) {
    let id = kind.id;
    if kind.label.is_empty() || kind.label_plural.is_empty() {
        problems.push(format!("the kind `{id}` has an empty label"));
    }
    if kind.formats.is_empty() {
        problems.push(format!("the kind `{id}` has no formats"));
    }
    if kind.hue > 359 {
        problems.push(format!("the kind `{id}` has the hue {}", kind.hue));
    }
    if !(kind.aspect.is_finite() && kind.aspect > 0.0) {
        problems.push(format!("the kind `{id}` has the aspect {}", kind.aspect));
    }
    if !kind.contested.is_empty() && kind.accepts.is_none() {
        problems.push(format!(
            "the kind `{id}` contests extensions and has no `accepts`"
        ));
    }
    formats(kind, problems);
    for sidecar in kind.sidecars {
        if !is_extension(sidecar) {
            problems.push(format!(
                "the kind `{id}` has the malformed sidecar `{sidecar}`"
            ));
        }
    }
    for extension in kind.metadata_sidecars.of_file {
        if !is_extension(extension) {
            problems.push(format!(
                "the kind `{id}` has the malformed extension of sidecar files `{extension}`"
            ));
        }
    }
    let folders = kind.metadata_sidecars.of_folder.iter();
    for sidecar in folders.chain(kind.metadata_sidecars.of_folders_below) {
        if !is_stem(sidecar) {
            problems.push(format!(
                "the kind `{id}` has the malformed sidecar `{sidecar}`"
            ));
        }
    }
    subkinds(kind, problems);
    for stem in kind.cover_stems {
        if !is_stem(stem) {
            problems.push(format!(
                "the kind `{id}` has the malformed cover stem `{stem}`"
            ));
        }
    }
}

fn formats(kind: &MediaKind, problems: &mut Vec<String>) {
    let id = kind.id;
    for format in kind.formats.iter().chain(kind.contested) {
        let mut parts = format.extension.splitn(2, '.');
        if !parts.all(is_extension) {
            problems.push(format!(
                "the kind `{id}` has the malformed extension `{}`",
                format.extension
            ));
        }
        if let Some(mime) = format.mime
            && !is_media_type(mime)
        {
            problems.push(format!(
                "the kind `{id}` has the malformed media type `{mime}` for `{}`",
                format.extension
            ));
        }
    }
}

fn subkinds(kind: &MediaKind, problems: &mut Vec<String>) {
    let id = kind.id;
    let mut seen = BTreeSet::new();
    for subkind in kind.subkinds {
        let name = subkind.id;
        if !is_subkind(name) {
            problems.push(format!(
                "the kind `{id}` has the malformed subkind `{name}`"
            ));
        }
        if !seen.insert(name) {
            problems.push(format!("the kind `{id}` has the subkind `{name}` twice"));
        }
        let mut labels = vec![subkind.label, subkind.label_plural];
        for translation in subkind.translations {
            labels.extend([
                translation.language,
                translation.label,
                translation.label_plural,
            ]);
        }
        if labels.contains(&"") {
            problems.push(format!(
                "the subkind `{name}` of the kind `{id}` has an empty label"
            ));
        }
    }
}

fn is_subkind(id: &str) -> bool {
    !id.is_empty()
        && !id.starts_with('_')
        && id
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_stem(stem: &str) -> bool {
    !stem.is_empty() && stem.to_lowercase() == stem && !stem.contains(['/', '\0'])
}

fn is_extension(extension: &str) -> bool {
    (1..=16).contains(&extension.len())
        && extension
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

/// Returns true for a media type without parameters (RFC 6838).
fn is_media_type(text: &str) -> bool {
    text.parse::<Mime>()
        .is_ok_and(|mime| mime.essence_str() == text)
}

fn shared_extensions(kinds: &[&'static MediaKind], problems: &mut Vec<String>) {
    let mut owners: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in kinds {
        for format in kind.formats {
            owners.entry(format.extension).or_default().push(kind.id);
        }
        for format in kind.contested {
            if kind
                .formats
                .iter()
                .any(|own| own.extension == format.extension)
            {
                problems.push(format!(
                    "the kind `{}` contests its own extension `{}`",
                    kind.id, format.extension
                ));
            }
        }
    }
    for (extension, kinds) in owners {
        if kinds.len() > 1 {
            problems.push(format!(
                "the extension `{extension}` is claimed more than once: {}",
                kinds.join(", ")
            ));
        }
    }
}

fn provider_kinds(
    kinds: &[&'static MediaKind],
    providers: &[&'static MetadataProvider],
    problems: &mut Vec<String>,
) {
    for provider in providers {
        for wanted in provider.kinds {
            if !kinds.iter().any(|kind| kind.id == *wanted) {
                problems.push(format!(
                    "the provider `{}` serves the unknown kind `{wanted}`",
                    provider.id
                ));
            }
        }
    }
}

fn provider_settings(providers: &[&'static MetadataProvider], problems: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for provider in providers {
        let id = provider.id;
        let pace = provider.pace.per_second;
        if !(pace.is_finite() && pace > 0.0) {
            problems.push(format!("the provider `{id}` has the pace {pace}"));
        }
        for setting in provider.settings {
            let variable = setting.variable;
            if !variable.starts_with("LEDGE_") {
                problems.push(format!("the provider `{id}` has the variable `{variable}`"));
            }
            if !seen.insert(variable) {
                problems.push(format!("the variable `{variable}` is declared twice"));
            }
            if let SettingKind::BaseUrl { default } = setting.kind
                && Base::of(default, None).is_err()
            {
                problems.push(format!(
                    "the variable `{variable}` has the malformed address `{default}`"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::provider::{Absent, RateLimit, Setting};
    use crate::registry::{Format, Subkind, Unit};

    const HTML5: PlaybackEngine = PlaybackEngine {
        id: "html5",
        label: "Browser",
        rank: 0,
        containers: &[],
        vcodecs: &[],
        acodecs: &[],
    };
    const PAPER: MediaKind = MediaKind::new(
        "paper",
        "Sheet",
        "Sheets",
        &[Format::new("sheet", "text/x-sheet", "download", Unit::None)],
    );

    #[test]
    fn valid_registry_passes() {
        assert_eq!(check(&[&PAPER], &[&HTML5], &[]), Ok(()));
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        const BROKEN: MediaKind = MediaKind {
            cover_stems: &["Cover"],
            subkinds: &[
                Subkind::new("Loose", "Loose sheet", "Loose sheets"),
                Subkind::new("bound", "Bound sheet", ""),
                Subkind::new("bound", "Bound sheet", "Bound sheets"),
            ],
            contested: &[Format::untyped("sheet", "download", Unit::None)],
            ..MediaKind::new(
                "paper",
                "Sheet",
                "Sheets",
                &[
                    Format::new("sheet", "nonsense", "download", Unit::None),
                    Format::untyped(".Dot", "download", Unit::None),
                ],
            )
        };
        const STRAY: MetadataProvider = MetadataProvider {
            pace: RateLimit { per_second: 0.0 },
            settings: &[Setting {
                variable: "STRAY_URL",
                help: "",
                kind: SettingKind::BaseUrl {
                    default: "stray.example",
                },
            }],
            ..MetadataProvider::new("stray", "Stray", &["vinyl"], |_| {
                Err(Absent {
                    missing: Vec::new(),
                })
            })
        };
        let problems = check(&[&PAPER, &BROKEN], &[], &[&STRAY])
            .expect_err("problems")
            .problems
            .join("\n");
        for part in [
            "the kind `paper` is registered twice",
            "malformed media type `nonsense`",
            "malformed extension `.Dot`",
            "malformed cover stem `Cover`",
            "malformed subkind `Loose`",
            "has the subkind `bound` twice",
            "the subkind `bound` of the kind `paper` has an empty label",
            "`sheet` is claimed more than once: paper, paper",
            "`paper` contests extensions and has no `accepts`",
            "`paper` contests its own extension `sheet`",
            "unknown kind `vinyl`",
            "`stray` has the pace 0",
            "`stray` has the variable `STRAY_URL`",
            "malformed address `stray.example`",
            "`html5` is missing",
        ] {
            assert!(problems.contains(part), "{part} is not in:\n{problems}");
        }
    }
}
