//! Languages of a query in the form of TMDB, and the texts of an entry in these languages.

use ledge_core::enrich::lenient_json;
use serde_json::Value;

/// Most languages that are requested.
const MAX_LANGUAGES: usize = 4;
/// Most translations of an entry. TMDB has about 190 languages with their countries.
const MAX_TRANSLATIONS: usize = 250;

/// Language as TMDB writes it: ISO 639-1, with an optional country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Language {
    primary: String,
    country: Option<String>,
}

impl Language {
    fn parse(tag: &str) -> Option<Self> {
        let mut parts = tag.trim().split(['-', '_']);
        let primary = parts.next()?.to_ascii_lowercase();
        let is_letters =
            |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic());
        if !is_letters(&primary) {
            return None;
        }
        let country = parts.find(|part| is_letters(part));
        Some(Self {
            primary,
            country: country.map(str::to_ascii_uppercase),
        })
    }

    /// Returns the value of the parameter `language`.
    pub(crate) fn parameter(&self) -> String {
        match &self.country {
            Some(country) => format!("{}-{country}", self.primary),
            None => self.primary.clone(),
        }
    }
}

/// Languages for texts, most wanted first. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Languages(Vec<Language>);

impl Languages {
    /// Reads the languages of a query. English is the last one.
    pub(crate) fn new(tags: &[String]) -> Self {
        let mut languages: Vec<Language> = Vec::new();
        let english = "en".to_owned();
        for tag in tags.iter().take(20).chain([&english]) {
            let Some(language) = Language::parse(tag) else {
                continue;
            };
            let is_known = languages.iter().any(|one| {
                one.primary == language.primary
                    && (language.country.is_none() || one.country == language.country)
            });
            if !is_known {
                languages.push(language);
            }
        }
        let rest = languages.split_off(languages.len().min(MAX_LANGUAGES));
        if !languages.iter().any(|one| one.primary == "en") {
            languages.extend(rest.into_iter().filter(|one| one.primary == "en"));
        }
        Self(languages)
    }

    /// Returns the most wanted language.
    pub(crate) fn first(&self) -> String {
        self.0.first().map(Language::parameter).unwrap_or_default()
    }

    /// Returns the second language, if there is one.
    pub(crate) fn second(&self) -> Option<String> {
        self.0.get(1).map(Language::parameter)
    }

    /// Returns the languages without countries, separated by commas.
    pub(crate) fn list(&self) -> String {
        let mut list: Vec<&str> = self.primary().collect();
        list.dedup();
        list.join(",")
    }

    /// Returns the languages without countries, in order.
    pub(crate) fn primary(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|one| one.primary.as_str())
    }
}

/// Texts of an entry in one language.
#[derive(Debug, Default)]
pub(crate) struct Translation {
    primary: String,
    country: Option<String>,
    pub(crate) title: Option<String>,
    /// Description of an entry, or biography of a person.
    pub(crate) overview: Option<String>,
    pub(crate) tagline: Option<String>,
}

/// Translations of an entry.
#[derive(Debug)]
pub(crate) struct Translations(Vec<Translation>);

impl Translations {
    /// Reads the appended response `translations`.
    pub(crate) fn read(entry: &Value) -> Self {
        let all = entry.pointer("/translations/translations");
        let all = all.and_then(Value::as_array).map(Vec::as_slice);
        let translations = all.unwrap_or_default().iter().take(MAX_TRANSLATIONS);
        Self(translations.filter_map(translation).collect())
    }

    /// Returns the translations in the order of the wanted languages.
    pub(crate) fn wanted<'a>(
        &'a self,
        languages: &'a Languages,
    ) -> impl Iterator<Item = &'a Translation> {
        languages.0.iter().filter_map(|language| self.of(language))
    }

    /// Returns the translation of a language, with its country if there is one.
    fn of(&self, language: &Language) -> Option<&Translation> {
        let has_language = |one: &&Translation| one.primary == language.primary;
        let same_country = |one: &&Translation| {
            has_language(one) && language.country.is_some() && one.country == language.country
        };
        let exact = self.0.iter().find(same_country);
        exact.or_else(|| self.0.iter().find(has_language))
    }

    /// Returns the title in the first wanted language that has texts of the entry. `shown` is the
    /// title that TMDB chose for the first language.
    pub(crate) fn title(
        &self,
        languages: &Languages,
        original: (Option<&str>, Option<&str>),
        shown: &str,
    ) -> String {
        let (original_language, original_title) = original;
        for language in &languages.0 {
            if original_language == Some(language.primary.as_str())
                && let Some(title) = original_title
            {
                return title.to_owned();
            }
            let Some(found) = self.of(language) else {
                continue;
            };
            if let Some(title) = &found.title {
                return title.clone();
            }
            // An entry with texts and without a title keeps its original title in this language.
            if found.overview.is_some() {
                return original_title.unwrap_or(shown).to_owned();
            }
        }
        shown.to_owned()
    }

    /// Returns all titles.
    pub(crate) fn titles(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|one| one.title.as_deref())
    }
}

fn translation(value: &Value) -> Option<Translation> {
    let data = value.get("data")?;
    Some(Translation {
        primary: lenient_json::line(value, "iso_639_1")?.to_ascii_lowercase(),
        country: lenient_json::line(value, "iso_3166_1"),
        title: lenient_json::line(data, "title").or_else(|| lenient_json::line(data, "name")),
        overview: lenient_json::long(data, "overview")
            .or_else(|| lenient_json::long(data, "biography")),
        tagline: lenient_json::line(data, "tagline"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(tags: &[&str]) -> Languages {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Languages::new(&tags)
    }

    #[test]
    fn languages_end_with_english_and_ignore_invalid_tags() {
        assert_eq!(languages(&[]).first(), "en");
        let found = languages(&["pt-BR", "de", "x", "../en", "de"]);
        assert_eq!(found.first(), "pt-BR");
        assert_eq!(found.second().as_deref(), Some("de"));
        assert_eq!(found.list(), "pt,de,en");
        assert_eq!(languages(&["en-GB"]).second(), None);
        assert_eq!(languages(&["zh-Hans-CN"]).first(), "zh-CN");
        assert_eq!(
            languages(&["a1", "fr", "de", "es", "it", "nl"]).list(),
            "fr,de,es,it,en"
        );
    }
}
