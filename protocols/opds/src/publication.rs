//! Entry of one publication.

use ledge_core::App;
use ledge_core::http::publications::Publications;
use ledge_core::store::item::{Cover, FileDetail, ItemDetail};
use uuid::Uuid;

use crate::addresses::Addresses;
use crate::atom::{self, Author, Entry, FeedKind, Link};
use crate::progression::Form;

/// Longest summary in characters.
const MAX_SUMMARY: usize = 4_000;

/// Author of a complete entry without a known one: an entry without a feed must have an author.
const UNKNOWN_AUTHOR: &str = "Unknown";

/// Media type of a file without a registered one.
const UNKNOWN: &str = "application/octet-stream";

/// Forms of the progress of a file, and the relations of their links.
pub(crate) const PROGRESSIONS: [(Form, &str); 2] = [
    (Form::Progression, "http://opds-spec.org/progression"),
    (Form::Readium, "http://www.cantook.com/api/progression"),
];

/// Writer of the entries of publications.
#[derive(Debug)]
pub(crate) struct Publisher<'a> {
    pub(crate) app: &'a App,
    pub(crate) addresses: &'a Addresses,
    /// Id of this library, which makes the ids of entries unique.
    pub(crate) instance: Uuid,
}

impl Publisher<'_> {
    /// Returns an entry. It links to the complete entry, as an entry without `content` must
    /// (RFC 4287, section 4.1.2).
    pub(crate) fn entry(&self, item: &ItemDetail, is_listed: bool) -> Entry {
        let card = &item.card;
        let mut entry = Entry::new(self.id(item), card.title.clone(), card.added_at);
        entry.authors = self.authors(item);
        if entry.authors.is_empty() && !is_listed {
            // In a list, the author of the feed applies.
            entry.authors.push(Author {
                name: UNKNOWN_AUTHOR.to_owned(),
                href: None,
            });
        }
        entry.fields = fields(item);
        entry.categories.clone_from(&item.genres);
        entry.summary = summary(item);
        entry.links = self.files(item);
        entry.links.extend(self.images(item));
        entry.links.extend(self.pages(item));
        entry.links.extend(self.series(item));
        entry.links.extend(self.progressions(item));
        let address = self.addresses.item(card.id);
        if !is_listed {
            let own = Link::new("self", address.clone(), atom::ENTRY);
            entry.links.push(own);
        }
        entry
            .links
            .push(Link::new("alternate", address, atom::ENTRY));
        entry
    }

    /// Returns the id of a publication, which is the same in all forms of the catalogue.
    pub(crate) fn id(&self, item: &ItemDetail) -> String {
        let name = format!("item/{}", item.card.id);
        let id = Uuid::new_v5(&self.instance, name.as_bytes());
        id.urn().to_string()
    }

    fn authors(&self, item: &ItemDetail) -> Vec<Author> {
        let authors = item.people.iter().filter(|person| person.role == "author");
        let author = |person: &ledge_core::store::item::PersonCredit| Author {
            name: person.name.clone(),
            href: Some(self.shelf("author", person.id.0)),
        };
        authors.map(author).collect()
    }

    /// Returns the address of a shelf with one criterion.
    pub(crate) fn shelf(&self, criterion: &'static str, id: i64) -> String {
        let query = [(criterion, id.to_string())];
        self.addresses.feed("publications", &query)
    }

    fn files(&self, item: &ItemDetail) -> Vec<Link> {
        let files: Vec<&FileDetail> = offered(item).collect();
        let is_single = files.len() == 1;
        let link = |file: &&FileDetail| {
            let mime = self.mime(item, file);
            let href = self.addresses.file(file.id, &file.name);
            let link = Link::new("http://opds-spec.org/acquisition", href, mime)
                .with("length", file.size.to_string());
            if is_single {
                link
            } else {
                link.with("title", file.name.clone())
            }
        };
        files.iter().map(link).collect()
    }

    pub(crate) fn mime(&self, item: &ItemDetail, file: &FileDetail) -> &'static str {
        mime_of(self.app, item, file)
    }

    /// Returns the links to the progress of the files, in both forms.
    fn progressions(&self, item: &ItemDetail) -> Vec<Link> {
        let files: Vec<&FileDetail> = offered(item).collect();
        let is_single = files.len() == 1;
        let link = |(file, (form, rel)): (&FileDetail, (Form, &'static str))| {
            let href = self.addresses.progression(item.card.id, file.id, form);
            let link = Link::new(rel, href, form.mime());
            if is_single {
                link
            } else {
                link.with("title", file.name.clone())
            }
        };
        let forms = files.into_iter();
        let forms = forms.flat_map(|file| PROGRESSIONS.map(|form| (file, form)));
        forms.map(link).collect()
    }

    fn images(&self, item: &ItemDetail) -> Vec<Link> {
        let Some(cover) = &item.card.cover else {
            return Vec::new();
        };
        let version = version(cover);
        let image = |rel, size| {
            let href = self.addresses.cover(item.card.id, size, version);
            Link::new(rel, href, "image/jpeg")
        };
        vec![
            image("http://opds-spec.org/image", "960"),
            image("http://opds-spec.org/image/thumbnail", "240"),
        ]
    }

    /// Returns the link for single pages of the first file that has pages.
    fn pages(&self, item: &ItemDetail) -> Option<Link> {
        let pages = Publications::of_kind(&item.card.kind)?.pages?;
        let file = offered(item).find(|file| (pages.has)(&file.name))?;
        let count = file.extent.filter(|count| *count > 0)?;
        let href = self.addresses.pages(file.id);
        let link = Link::new("http://vaemendis.net/opds-pse/stream", href, "image/jpeg")
            .with("pse:count", count.to_string());
        let Some(progress) = &file.progress else {
            return Some(link);
        };
        let last = progress.position.saturating_add(1).clamp(1, count);
        Some(
            link.with("pse:lastRead", last.to_string())
                .with("pse:lastReadDate", progress.updated_at.to_string()),
        )
    }

    fn series(&self, item: &ItemDetail) -> Option<Link> {
        let id = item.series_id?;
        let name = fact(item, "series")?;
        let href = self.shelf("series", id.0);
        Some(Link::new("related", href, FeedKind::Acquisition.mime()).with("title", name))
    }
}

/// Returns the media type of a file.
pub(crate) fn mime_of(app: &App, item: &ItemDetail, file: &FileDetail) -> &'static str {
    let format = app.registry.format_of(&item.card.kind, &file.name);
    format.and_then(|format| format.mime).unwrap_or(UNKNOWN)
}

/// Returns the version of a cover: its address ends in it.
pub(crate) fn version(cover: &Cover) -> &str {
    let parts = cover.url.rsplit_once("v=");
    parts.map_or("", |(_, version)| version)
}

/// Returns the description as plain text with a limited length.
pub(crate) fn summary(item: &ItemDetail) -> Option<String> {
    let text = item.description.as_deref()?.chars();
    Some(text.take(MAX_SUMMARY).collect())
}

/// Returns the present files that an app may fetch.
pub(crate) fn offered(item: &ItemDetail) -> impl Iterator<Item = &FileDetail> {
    let publications = Publications::of_kind(&item.card.kind);
    let is_offered =
        move |name: &str| publications.is_some_and(|publications| (publications.offers)(name));
    let files = item.files.iter();
    files.filter(move |file| !file.missing && is_offered(&file.name))
}

fn fields(item: &ItemDetail) -> Vec<(&'static str, String)> {
    let isbn = fact(item, "isbn").map(|isbn| format!("urn:isbn:{isbn}"));
    let fields = [
        ("dcterms:language", item.language.clone()),
        ("dcterms:publisher", fact(item, "publisher")),
        ("dcterms:issued", item.card.released.clone()),
        ("dcterms:identifier", isbn),
    ];
    let fields = fields.into_iter();
    fields
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// Returns a fact that is a text.
pub(crate) fn fact(item: &ItemDetail, name: &str) -> Option<String> {
    let value = item.facts.get(name)?.as_str()?;
    (!value.is_empty()).then(|| value.to_owned())
}
