//! Parser for ComicInfo.xml, a format of ComicRack that the Anansi Project documents (schema 2.1).

use std::collections::{BTreeMap, HashMap};

use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::reading::Inspection;
use ledge_core::text::language;
use serde_json::{Value, json};

use crate::archive::{ReadResult, damaged};
use crate::xml::{Document, Piece};
use crate::{html, isbn, text};

/// Longest text of one element, in bytes.
const LONGEST: usize = 256 << 10;
/// Most credits of a comic, and most genres that are kept.
const MOST_CREDITS: usize = 200;
const MOST_SUBJECTS: usize = 50;

/// Elements that contain names, and the roles they map to. Writers are the authors.
const ROLES: &[(&str, &str)] = &[
    ("Writer", "author"),
    ("Penciller", "penciller"),
    ("Inker", "inker"),
    ("Colorist", "colorist"),
    ("Letterer", "letterer"),
    ("CoverArtist", "cover_artist"),
    ("Editor", "editor"),
    ("Translator", "translator"),
];

/// Values of a ComicInfo.xml document.
#[derive(Debug, Default)]
pub(super) struct Info {
    fields: HashMap<String, String>,
    front_cover: Option<usize>,
}

impl Info {
    pub(super) fn read(text: &str) -> ReadResult<Self> {
        let mut info = Self::default();
        let mut document = Document::new(text);
        while let Some(piece) = document.piece()? {
            let Piece::Open(element) = piece else {
                continue;
            };
            match element.name() {
                "ComicInfo" | "Pages" => {}
                "Page" => {
                    let is_front = element.attribute("Type").as_deref() == Some("FrontCover");
                    let at = element.attribute("Image").and_then(|at| at.parse().ok());
                    if is_front && info.front_cover.is_none() {
                        info.front_cover = at;
                    }
                }
                name => {
                    let name = name.to_owned();
                    let value = document.text(LONGEST)?;
                    info.fields.entry(name).or_insert(value);
                }
            }
        }
        if info.fields.is_empty() {
            return Err(damaged("its ComicInfo.xml is empty"));
        }
        Ok(info)
    }

    /// Returns the index of the front cover in the page list.
    pub(super) fn front_cover(&self) -> Option<usize> {
        self.front_cover
    }

    pub(super) fn inspection(&self) -> Inspection {
        Inspection {
            title: self.line("Title"),
            year: self.number("Year"),
            credits: self.credits(),
            series: self.series(),
            description: self.field("Summary").and_then(html::plain),
            facts: self.facts(),
            ..Inspection::default()
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        let value = self.fields.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    fn line(&self, name: &str) -> Option<String> {
        text::line(self.field(name)?)
    }

    /// Returns a positive number. The format uses -1 for an unknown value.
    fn number(&self, name: &str) -> Option<i32> {
        let number = self.field(name)?.parse().ok()?;
        (number > 0).then_some(number)
    }

    /// Returns the values of a comma-separated field.
    fn list(&self, name: &str) -> impl Iterator<Item = String> {
        let values = self.field(name).unwrap_or_default().split(',');
        values.filter_map(text::line)
    }

    fn credits(&self) -> Vec<Credit> {
        let mut credits = Vec::new();
        for (field, role) in ROLES {
            for name in self.list(field) {
                let credit = Credit {
                    name,
                    role: (*role).to_owned(),
                };
                if credits.len() < MOST_CREDITS && !credits.contains(&credit) {
                    credits.push(credit);
                }
            }
        }
        credits
    }

    /// Returns the series with the issue number as index. Without an issue number, the index is the
    /// volume, unless that is the year in which the series began.
    fn series(&self) -> Option<Series> {
        let volume = || self.number("Volume").filter(|volume| *volume < 1000);
        Some(Series {
            name: self.line("Series")?,
            index: self
                .field("Number")
                .map_or_else(|| volume().map(f64::from), text::number),
        })
    }

    fn facts(&self) -> BTreeMap<String, Value> {
        let subjects: Vec<String> = self.list("Genre").take(MOST_SUBJECTS).collect();
        let is_rtl = self.field("Manga") == Some("YesAndRightToLeft");
        let isbn = self.field("GTIN").and_then(isbn::parse);
        let facts = [
            ("issue", self.line("Number").map(Value::from)),
            (
                "issue_count",
                self.number("Count").map(|count| json!(count.to_string())),
            ),
            (
                "volume",
                self.line("Volume")
                    .filter(|volume| volume != "-1")
                    .map(Value::from),
            ),
            ("publisher", self.line("Publisher").map(Value::from)),
            ("imprint", self.line("Imprint").map(Value::from)),
            (
                "language",
                self.field("LanguageISO")
                    .and_then(language::tag)
                    .map(Value::from),
            ),
            ("story_arc", self.line("StoryArc").map(Value::from)),
            ("age_rating", self.age_rating().map(Value::from)),
            ("date", self.date().map(Value::from)),
            ("subjects", (!subjects.is_empty()).then(|| json!(subjects))),
            ("isbn", isbn.map(Value::from)),
            ("direction", is_rtl.then_some(json!("rtl"))),
        ];
        let known = facts
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        known.collect()
    }

    fn age_rating(&self) -> Option<String> {
        self.line("AgeRating").filter(|rating| rating != "Unknown")
    }

    fn date(&self) -> Option<String> {
        let year = self.number("Year")?;
        let Some(month) = self.number("Month").filter(|month| *month <= 12) else {
            return Some(format!("{year:04}"));
        };
        let Some(day) = self.number("Day").filter(|day| *day <= 31) else {
            return Some(format!("{year:04}-{month:02}"));
        };
        Some(format!("{year:04}-{month:02}-{day:02}"))
    }
}
