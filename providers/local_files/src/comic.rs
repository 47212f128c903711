//! Parser for a `ComicInfo.xml` next to comics. Most comics contain one; the books kind reads that.
//!
//! Format: schema 2.1 of the Anansi Project, <https://anansi-project.github.io/docs/comicinfo/intro>.

use ledge_core::registry::naming::{Credit, Series};
use ledge_core::registry::provider::{Candidate, DetailLink, Details, PersonCredit};
use ledge_core::text::markup::{text, xml};

use crate::node::{self, Node};

/// Most values of a list.
const MAX_VALUES: usize = 100;

/// Elements that contain names, and the roles they map to. Writers are the authors.
const ROLES: &[(&str, &str)] = &[
    ("writer", "author"),
    ("penciller", "penciller"),
    ("inker", "inker"),
    ("colorist", "colorist"),
    ("letterer", "letterer"),
    ("coverartist", "cover_artist"),
    ("editor", "editor"),
    ("translator", "translator"),
];

/// Parses the file. The title of the item stays if the file has none, because most issues have only
/// a series and a number.
pub(crate) fn read(bytes: &[u8], stored_title: &str) -> Result<Option<Candidate>, String> {
    let text = xml::decode(bytes);
    let root = node::root(&text, &["ComicInfo"]);
    let root = root.ok_or_else(|| "it describes no comic".to_owned())?;
    let series = root.child("series");
    let title = root.child("title");
    if series.is_none() && title.is_none() {
        return Ok(None);
    }
    let number = |name: &str| root.child(name).as_deref().and_then(text::number);
    let list = |name: &str| root.list(&[name], &[","], MAX_VALUES);
    let credits: Vec<Credit> = ROLES
        .iter()
        .flat_map(|(element, role)| {
            let names = list(element).into_iter();
            names.map(|name| Credit {
                name,
                role: (*role).to_owned(),
            })
        })
        .collect();
    let released = released(&root);
    Ok(Some(Candidate {
        title: title.unwrap_or_else(|| stored_title.to_owned()),
        year: released
            .as_deref()
            .and_then(|date| date.get(..4)?.parse().ok()),
        description: root.all(&["summary"]).find_map(Node::long),
        languages: list("languageiso"),
        isbns: list("gtin"),
        series: series.map(|name| Series {
            name,
            index: number("number"),
        }),
        details: Details {
            released,
            genres: list("genre"),
            studios: [list("publisher"), list("imprint")].concat(),
            collection: root.child("storyarc"),
            people: credits.iter().map(person).collect(),
            links: links(&root),
            ..Details::default()
        },
        authors: credits,
        ..Candidate::default()
    }))
}

fn person(credit: &Credit) -> PersonCredit {
    PersonCredit {
        name: credit.name.clone(),
        role: credit.role.clone(),
        ..PersonCredit::default()
    }
}

/// Returns the date of the issue. The format uses -1 for an unknown number.
fn released(root: &Node) -> Option<String> {
    let number = |name: &str, most: u32| {
        let number: u32 = root.child(name)?.parse().ok()?;
        (1..=most).contains(&number).then_some(number)
    };
    let year = number("year", 2999).filter(|year| *year >= 1000)?;
    Some(match (number("month", 12), number("day", 31)) {
        (Some(month), Some(day)) => format!("{year}-{month:02}-{day:02}"),
        (Some(month), None) => format!("{year}-{month:02}"),
        (None, _) => year.to_string(),
    })
}

fn links(root: &Node) -> Vec<DetailLink> {
    let urls = root.list(&["web"], &[" ", ","], 5).into_iter();
    urls.filter(|url| url.starts_with("https://"))
        .map(|url| DetailLink::new("Web", url))
        .collect()
}
