//! JSON document of one publication.

use ledge_core::http::publications::{Publications, Work};
use ledge_core::id::GenreId;
use ledge_core::image::Size;
use ledge_core::store::item::{FileDetail, ItemDetail, PersonCredit};
use ledge_core::text;
use serde_json::{Value, json};

use super::json::{self, Object};
use crate::login;
use crate::publication::{self, PROGRESSIONS, Publisher, fact, offered};

/// Roles of people, and the members of the metadata that have their names.
const ROLES: [(&str, &str); 10] = [
    ("author", "author"),
    ("translator", "translator"),
    ("editor", "editor"),
    ("artist", "artist"),
    ("illustrator", "illustrator"),
    ("letterer", "letterer"),
    ("penciller", "penciler"),
    ("colorist", "colorist"),
    ("inker", "inker"),
    ("narrator", "narrator"),
];

/// Member for all other roles.
const CONTRIBUTOR: &str = "contributor";

/// Sizes of the cover, and their values in its address.
const SIZES: [(Size, &str); 3] = [
    (Size::Large, "960"),
    (Size::Medium, "480"),
    (Size::Small, "240"),
];

impl Publisher<'_> {
    /// Returns the document of a publication. It is the same in lists and alone.
    pub(crate) fn publication(&self, item: &ItemDetail) -> Value {
        let own = self.addresses.item(item.card.id);
        let mut links: Vec<Value> = vec![self.guarded("self", own, json::PUBLICATION).into()];
        let files: Vec<&FileDetail> = offered(item).collect();
        for file in &files {
            let href = self.addresses.file(file.id, &file.name);
            let rel = "http://opds-spec.org/acquisition";
            let link = self
                .guarded(rel, href, self.mime(item, file))
                // The schema permits no size of 0.
                .with("size", (file.size > 0).then_some(file.size))
                .with("title", (files.len() > 1).then_some(file.name.as_str()));
            links.push(link.into());
        }
        for file in &files {
            for (form, rel) in PROGRESSIONS {
                let href = self.addresses.progression(item.card.id, file.id, form);
                let link = self
                    .guarded(rel, href, form.mime())
                    .with("title", (files.len() > 1).then_some(file.name.as_str()));
                links.push(link.into());
            }
        }
        let publication = Object::default()
            .with("metadata", self.metadata(item))
            .with("links", links)
            .with("images", self.pictures(item));
        publication.into()
    }

    /// Returns a link that names the login.
    pub(crate) fn guarded(&self, rel: &str, href: String, mime: &str) -> Object {
        Object::default()
            .with("rel", rel)
            .with("href", href)
            .with("type", mime)
            .with("properties", self.login())
    }

    fn login(&self) -> Value {
        let href = self.addresses.of(login::DOCUMENT);
        json!({ "authenticate": { "href": href, "type": login::MIME } })
    }

    fn metadata(&self, item: &ItemDetail) -> Object {
        let card = &item.card;
        let pages = card.pages.filter(|pages| *pages > 0);
        let description = publication::summary(item).as_deref().map(escaped);
        let metadata = Object::default()
            .with("@type", class(item))
            .with("identifier", self.id(item))
            .with("title", card.title.as_str())
            .with("sortAs", text::sort_title(&card.title))
            .with("language", item.language.as_deref())
            .with("publisher", fact(item, "publisher"))
            .with("published", card.released.as_deref().filter(is_complete))
            .with("modified", card.added_at.to_string())
            .with("description", description)
            .with("subject", self.subjects(item))
            .with("belongsTo", self.belongs_to(item))
            .with("numberOfPages", pages);
        self.contributors(metadata, item)
    }

    /// Adds the people by their roles.
    fn contributors(&self, metadata: Object, item: &ItemDetail) -> Object {
        let member = |person: &PersonCredit| {
            let known = ROLES.iter().find(|(role, _)| *role == person.role);
            known.map_or(CONTRIBUTOR, |(_, member)| *member)
        };
        let members = ROLES.iter().map(|(_, member)| *member);
        members.chain([CONTRIBUTOR]).fold(metadata, |metadata, of| {
            let people = item.people.iter().filter(|person| member(person) == of);
            let people: Vec<Value> = people.map(|person| self.contributor(person, of)).collect();
            metadata.with(of, people)
        })
    }

    fn contributor(&self, person: &PersonCredit, member: &str) -> Value {
        let is_author = member == "author";
        // Only authors have a feed.
        let links = is_author.then(|| self.links("author", person.id.0));
        let other = (member == CONTRIBUTOR).then_some(person.role.as_str());
        let contributor = Object::default()
            .with("name", person.name.as_str())
            .with("role", other)
            .with("links", links);
        contributor.into()
    }

    /// Returns the link to the feed with one criterion.
    fn links(&self, criterion: &'static str, id: i64) -> Vec<Value> {
        vec![json!({ "href": self.shelf(criterion, id), "type": json::FEED })]
    }

    fn subjects(&self, item: &ItemDetail) -> Vec<Value> {
        let genres = item.genres.iter().zip(&item.genre_ids);
        let subject = |(name, id): (&String, &GenreId)| -> Value {
            let subject = Object::default()
                .with("name", name.as_str())
                .with("links", self.links("subject", id.0));
            subject.into()
        };
        genres.map(subject).collect()
    }

    fn belongs_to(&self, item: &ItemDetail) -> Object {
        let series = item.series_id.zip(fact(item, "series"));
        let Some((id, name)) = series else {
            return Object::default();
        };
        let position = item.facts.get("series_index").and_then(Value::as_f64);
        let series = Object::default()
            .with("name", name)
            .with("position", position)
            .with("links", self.links("series", id.0));
        Object::default().with("series", vec![Value::from(series)])
    }

    /// Returns the sizes of the cover that differ.
    fn pictures(&self, item: &ItemDetail) -> Vec<Value> {
        let Some(cover) = &item.card.cover else {
            return Vec::new();
        };
        let side = |length| u32::try_from(length).unwrap_or(0).max(1);
        let whole = (side(cover.width), side(cover.height));
        let mut last = None;
        let mut pictures = Vec::new();
        for (size, value) in SIZES {
            let (width, height) = size.fit(whole);
            if last.replace((width, height)) == Some((width, height)) {
                continue;
            }
            let version = publication::version(cover);
            let href = self.addresses.cover(item.card.id, value, version);
            let picture = Object::default()
                .with("href", href)
                .with("type", "image/jpeg")
                .with("width", width)
                .with("height", height)
                .with("properties", self.login());
            pictures.push(picture.into());
        }
        pictures
    }
}

/// Returns the class of a publication.
fn class(item: &ItemDetail) -> &'static str {
    let publications = Publications::of_kind(&item.card.kind);
    let work = publications.map(|kind| (kind.work)(item.card.subkind.as_deref()));
    match work {
        Some(Work::Comic) => "http://schema.org/ComicIssue",
        Some(Work::Periodical) => "http://schema.org/PublicationIssue",
        Some(Work::Book) | None => "http://schema.org/Book",
    }
}

/// Returns `true` for a date with month and day: the schema permits no other one.
fn is_complete(date: &&str) -> bool {
    let bytes = date.as_bytes();
    let is_part = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    bytes.len() == 10 && bytes.iter().enumerate().all(is_part)
}

/// Returns a text as HTML, which apps take descriptions for.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_and_dates_have_the_form_of_the_schema() {
        assert_eq!(escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
        assert!(is_complete(&"2001-05-03"));
        for date in ["2001", "2001-05", "-500", "2001-05-0x", "2001/05/03"] {
            assert!(!is_complete(&date), "{date}");
        }
    }
}
