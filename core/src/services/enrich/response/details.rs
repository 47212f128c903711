//! Sanitizes the details of a provider's entry.

use url::Url;

use super::sanitize::{self, LONGEST_ADDRESS, LONGEST_VALUE, is_sound, line, lines};
use crate::registry::provider::{
    Certificate, ChapterDetails, Cover, DeliveredPicture, DetailLink, Details, EpisodeDetails,
    ExternalId, LocalPictures, MAX_DELIVERED_PICTURES, PersonCredit, PersonDetails, PictureSubject,
    SeasonPoster,
};

/// Maximum number of people.
const MOST_PEOPLE: usize = 100;
/// Maximum number of episodes. Daily programs have several thousand.
const MOST_EPISODES: usize = 5_000;
/// Maximum number of seasons. A daily program can have one per year.
const MOST_SEASONS: usize = 200;
/// Maximum number of tracks and of chapters.
const MOST_PARTS: usize = 2_000;
/// Maximum number of ids and of links.
const MOST_LINKS: usize = 30;
/// Maximum length of a summary in characters.
const LONGEST_SUMMARY: usize = 4_000;
/// Longest plausible length in minutes: seven days.
const LONGEST_RUNTIME: u32 = 7 * 24 * 60;

/// Returns the details with bounded and clean values.
pub(super) fn details(found: Details) -> Details {
    let text = |text: Option<String>| text.and_then(|text| line(&text, LONGEST_VALUE));
    let mut episodes: Vec<EpisodeDetails> = found
        .episodes
        .into_iter()
        .take(MOST_EPISODES)
        .filter_map(episode)
        .collect();
    episodes.sort_by_key(|episode| (episode.season, episode.number));
    episodes.dedup_by_key(|episode| (episode.season, episode.number));
    Details {
        original_title: text(found.original_title),
        tagline: text(found.tagline),
        released: found.released.filter(|date| is_date(date)),
        edition_released: found.edition_released.filter(|date| is_date(date)),
        runtime: found
            .runtime
            .filter(|minutes| (1..=LONGEST_RUNTIME).contains(minutes)),
        genres: lines(&found.genres, LONGEST_VALUE),
        studios: lines(&found.studios, LONGEST_VALUE),
        countries: lines(&found.countries, LONGEST_VALUE),
        collection: text(found.collection),
        certificates: certificates(&found.certificates),
        form: text(found.form),
        people: found
            .people
            .into_iter()
            .take(MOST_PEOPLE)
            .filter_map(person)
            .collect(),
        backdrop: found.backdrop.filter(is_sound),
        logo: found.logo.filter(is_sound),
        season_posters: season_posters(found.season_posters),
        episodes,
        pictures: pictures(found.pictures),
        track_seconds: seconds(found.track_seconds),
        chapters: chapters(&found.chapters),
        links: links(&found.links),
    }
}

/// Returns the ids without those that could be ids of another entry after they were cut.
pub(super) fn external_ids(found: &[ExternalId]) -> Vec<ExternalId> {
    let ids = found.iter().filter_map(|id| {
        let is_plain = |text: &str| !text.is_empty() && text.len() <= LONGEST_VALUE;
        let database = id.database.trim().to_lowercase();
        let has_space = |text: &str| text.chars().any(|c| c.is_whitespace() || c.is_control());
        let is_id = is_plain(&database) && is_plain(&id.id);
        (is_id && !has_space(&database) && !has_space(&id.id)).then(|| ExternalId {
            database,
            id: id.id.clone(),
        })
    });
    ids.take(MOST_LINKS).collect()
}

/// Returns the details of a person with bounded and clean values.
pub(in crate::services::enrich) fn person_details(found: PersonDetails) -> PersonDetails {
    PersonDetails {
        biography: found
            .biography
            .and_then(|text| sanitize::description(&text)),
        born: found.born.filter(|date| is_date(date)),
        died: found.died.filter(|date| is_date(date)),
        birthplace: found.birthplace.and_then(|text| line(&text, LONGEST_VALUE)),
        is_group: found.is_group,
        links: links(&found.links),
        external_ids: external_ids(&found.external_ids),
        portrait: found.portrait.filter(|url| is_address(url)),
    }
}

fn person(found: PersonCredit) -> Option<PersonCredit> {
    Some(PersonCredit {
        name: line(&found.name, LONGEST_VALUE)?,
        role: line(&found.role, LONGEST_VALUE)?.to_lowercase(),
        character: found.character.and_then(|text| line(&text, LONGEST_VALUE)),
        ids: external_ids(&found.ids),
        picture: found.picture.filter(|url| is_address(url)),
    })
}

fn season_posters(found: Vec<SeasonPoster>) -> Vec<SeasonPoster> {
    let is_plausible = |one: &SeasonPoster| is_number(one.season) && is_address(&one.url);
    let mut posters: Vec<SeasonPoster> = found
        .into_iter()
        .take(MOST_SEASONS)
        .filter(is_plausible)
        .collect();
    posters.sort_by_key(|poster| poster.season);
    posters.dedup_by_key(|poster| poster.season);
    posters
}

/// Returns `true` for a plausible number of a season or of an episode.
fn is_number(number: i64) -> bool {
    (0..=100_000).contains(&number)
}

fn episode(found: EpisodeDetails) -> Option<EpisodeDetails> {
    if !is_number(found.season) || !is_number(found.number) {
        return None;
    }
    let summary = found
        .description
        .and_then(|text| sanitize::description(&text));
    Some(EpisodeDetails {
        title: found.title.and_then(|text| line(&text, LONGEST_VALUE)),
        description: summary.map(|text| text.chars().take(LONGEST_SUMMARY).collect()),
        aired: found.aired.filter(|date| date.len() == 10 && is_date(date)),
        still: found.still.filter(|url| is_address(url)),
        absolute: found.absolute.filter(|number| is_number(*number)),
        ..found
    })
}

/// Returns the pictures in the folders of an item without empty ones.
pub(in crate::services::enrich) fn local_pictures(found: LocalPictures) -> LocalPictures {
    LocalPictures {
        backdrop: found.backdrop.filter(is_sound),
        logo: found.logo.filter(is_sound),
        seasons: pictures(found.seasons),
    }
}

fn pictures(found: Vec<DeliveredPicture>) -> Vec<DeliveredPicture> {
    let found = found.into_iter().take(MAX_DELIVERED_PICTURES);
    found.filter_map(picture).collect()
}

fn picture(found: DeliveredPicture) -> Option<DeliveredPicture> {
    let of = match found.of {
        PictureSubject::Person(name) => PictureSubject::Person(line(&name, LONGEST_VALUE)?),
        other @ (PictureSubject::Season(_) | PictureSubject::Episode { .. }) => other,
    };
    let is_delivered = matches!(found.picture, Cover::Bytes(_)) && is_sound(&found.picture);
    is_delivered.then_some(DeliveredPicture {
        of,
        picture: found.picture,
    })
}

fn is_address(url: &str) -> bool {
    is_sound(&Cover::Address(url.to_owned()))
}

fn certificates(found: &[Certificate]) -> Vec<Certificate> {
    let all = found.iter().filter_map(|certificate| {
        Some(Certificate {
            country: line(&certificate.country, 3)?.to_uppercase(),
            rating: line(&certificate.rating, 20)?,
        })
    });
    all.take(MOST_PEOPLE).collect()
}

fn seconds(found: Vec<f64>) -> Vec<f64> {
    // Lengths are only comparable if all are known.
    let are_sound = found
        .iter()
        .all(|length| length.is_finite() && *length > 0.0);
    if are_sound && found.len() <= MOST_PARTS {
        found
    } else {
        Vec::new()
    }
}

fn chapters(found: &[ChapterDetails]) -> Vec<ChapterDetails> {
    let mut chapters: Vec<ChapterDetails> = found
        .iter()
        .take(MOST_PARTS)
        .filter(|chapter| chapter.start.is_finite() && chapter.start >= 0.0)
        .filter_map(|chapter| {
            Some(ChapterDetails {
                title: line(&chapter.title, LONGEST_VALUE)?,
                start: chapter.start,
            })
        })
        .collect();
    chapters.sort_by(|one, other| one.start.total_cmp(&other.start));
    chapters
}

fn links(found: &[DetailLink]) -> Vec<DetailLink> {
    found.iter().filter_map(link).take(MOST_LINKS).collect()
}

/// Returns a link only with the scheme `https`, so that no page contains a script as an address.
fn link(found: &DetailLink) -> Option<DetailLink> {
    if found.url.len() > LONGEST_ADDRESS {
        return None;
    }
    let url = Url::parse(&found.url).ok()?;
    let is_sound = url.scheme() == "https" && url.has_host() && url.username().is_empty();
    let label = line(&found.label, 60)?;
    is_sound.then(|| DetailLink {
        label,
        url: url.to_string(),
    })
}

/// Returns `true` for `YYYY`, `YYYY-MM` and `YYYY-MM-DD` with possible numbers.
fn is_date(date: &str) -> bool {
    let mut parts = date.split('-');
    let number = |part: Option<&str>, length: usize| {
        let part = part?;
        let is_plain = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        is_plain.then(|| part.parse::<u16>().ok()).flatten()
    };
    let is_year = number(parts.next(), 4).is_some_and(|year| (1..=2999).contains(&year));
    let rest: Vec<&str> = parts.collect();
    let within = |part: &str, most: u16| {
        number(Some(part), 2).is_some_and(|number| (1..=most).contains(&number))
    };
    is_year
        && match rest.as_slice() {
            [] => true,
            [month] => within(month, 12),
            [month, day] => within(month, 12) && within(day, 31),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_details_are_bounded() {
        let found = Details {
            released: Some("2001-13-01".to_owned()),
            runtime: Some(u32::MAX),
            people: vec![
                PersonCredit {
                    name: " \u{0}".to_owned(),
                    role: "actor".to_owned(),
                    ..PersonCredit::default()
                };
                200
            ],
            episodes: vec![
                EpisodeDetails {
                    season: -1,
                    number: 1,
                    ..EpisodeDetails::default()
                },
                EpisodeDetails {
                    season: 1,
                    number: 2,
                    description: Some("<p>A &amp; B</p><script>x()</script>".to_owned()),
                    aired: Some("soon".to_owned()),
                    still: Some(String::new()),
                    ..EpisodeDetails::default()
                },
            ],
            track_seconds: vec![1.0, f64::NAN],
            links: vec![
                DetailLink {
                    label: "Script".to_owned(),
                    url: "javascript:alert(1)".to_owned(),
                },
                DetailLink {
                    label: "Site".to_owned(),
                    url: "https://example.org/a b".to_owned(),
                },
            ],
            ..Details::default()
        };
        let clean = details(found);
        assert_eq!((clean.released, clean.runtime), (None, None));
        assert!(clean.people.is_empty() && clean.track_seconds.is_empty());
        let [episode] = clean.episodes.as_slice() else {
            panic!("{:?}", clean.episodes);
        };
        assert_eq!((episode.season, episode.number), (1, 2));
        assert_eq!((&episode.aired, &episode.still), (&None, &None));
        assert!(
            episode
                .description
                .as_deref()
                .is_some_and(|text| text.starts_with("A & B"))
        );
        let urls: Vec<&str> = clean.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(urls, ["https://example.org/a%20b"]);
    }

    #[test]
    fn hostile_details_of_person_are_bounded() {
        let found = PersonDetails {
            biography: Some(format!(
                "<h1>One</h1><script>x()</script>{}",
                "y ".repeat(30_000)
            )),
            born: Some("1962-02-30T00:00:00Z".to_owned()),
            died: Some("soon".to_owned()),
            birthplace: Some(format!(" \u{0}\n{}", "z".repeat(1000))),
            links: vec![DetailLink {
                label: "Script".to_owned(),
                url: "javascript:alert(1)".to_owned(),
            }],
            external_ids: vec![ExternalId::new("imdb", "n m")],
            portrait: Some("x".repeat(5000)),
            ..PersonDetails::default()
        };
        let clean = person_details(found);
        let text = clean.biography.expect("a text");
        assert!(text.starts_with("One"), "{text}");
        assert!(!text.contains("x()") && text.chars().count() <= 20_000);
        assert_eq!((clean.born, clean.died), (None, None));
        assert_eq!(clean.birthplace.map(|place| place.len()), Some(200));
        assert_eq!((clean.links.len(), clean.external_ids.len()), (0, 0));
        assert_eq!(clean.portrait, None);
    }

    #[test]
    fn delivered_pictures_have_bytes_and_a_subject() {
        let delivered = |name: &str, picture: Cover| DeliveredPicture {
            of: PictureSubject::Person(name.to_owned()),
            picture,
        };
        let found = Details {
            pictures: vec![
                delivered(
                    "Ann",
                    Cover::Address("https://example.org/a.jpg".to_owned()),
                ),
                delivered("Ann", Cover::Bytes(Vec::new())),
                delivered(" ", Cover::Bytes(vec![1])),
                delivered(" Ann  Lee ", Cover::Bytes(vec![1])),
            ],
            ..Details::default()
        };
        let kept = delivered("Ann Lee", Cover::Bytes(vec![1]));
        assert_eq!(details(found).pictures, [kept]);
    }

    #[test]
    fn posters_have_a_plausible_season_and_an_address() {
        let poster = |season: i64, url: &str| SeasonPoster {
            season,
            url: url.to_owned(),
        };
        let found = Details {
            season_posters: vec![
                poster(2, "https://example.org/2.jpg"),
                poster(0, "https://example.org/0.jpg"),
                poster(2, "https://example.org/other.jpg"),
                poster(-1, "https://example.org/1.jpg"),
                poster(i64::MAX, "https://example.org/1.jpg"),
                poster(1, ""),
            ],
            ..Details::default()
        };
        let kept = [
            poster(0, "https://example.org/0.jpg"),
            poster(2, "https://example.org/2.jpg"),
        ];
        assert_eq!(details(found).season_posters, kept);
        let many = (0..1000).map(|season| poster(season, "https://example.org/1.jpg"));
        let found = Details {
            season_posters: many.collect(),
            ..Details::default()
        };
        assert_eq!(details(found).season_posters.len(), MOST_SEASONS);
    }

    #[test]
    fn dates_have_possible_numbers() {
        for sound in ["2001", "2001-12", "2001-12-31"] {
            assert!(is_date(sound), "{sound}");
        }
        for unsound in [
            "",
            "01",
            "2001-00",
            "2001-1-1",
            "2001-01-32",
            "2001-01-01-01",
            "0000",
        ] {
            assert!(!is_date(unsound), "{unsound}");
        }
    }

    #[test]
    fn ids_with_spaces_are_dropped() {
        let ids = [
            ExternalId::new("IMDb", "tt1"),
            ExternalId::new("imdb", "a b"),
        ];
        assert_eq!(external_ids(&ids), [ExternalId::new("imdb", "tt1")]);
    }
}
