//! Examples of metadata providers: two public catalogues of sheet music, and one that requires a
//! key. Linking this crate is sufficient for them to be configured and queried.

use std::time::Duration;

use ledge_core::registry::MetadataProvider;
use ledge_core::registry::naming::Credit;
use ledge_core::registry::provider::{
    Absent, AskError, Attribution, Base, Candidate, Cover, DetailLink, Details, ExternalId, Lookup,
    Net, People, PersonCredit, PersonDetails, Query, RateLimit, Request, Secret, SentData, Setting,
    SettingKind, Settings, absent_as_none,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const KINDS: &[&str] = &["sheets"];

const PLAYERS_ATTRIBUTION: Attribution = Attribution {
    text: "Players from the sheet catalogue",
    url: "https://sheetcat.example/players",
};

const SENDS: &[SentData] = &[SentData::Title, SentData::Languages];

const fn address(variable: &'static str, default: &'static str) -> Setting {
    Setting {
        variable,
        help: "Where the catalogue is",
        kind: SettingKind::BaseUrl { default },
    }
}

const KEY: Setting = Setting {
    variable: "LEDGE_VAULT_KEY",
    help: "Its key",
    kind: SettingKind::Secret,
};

const SHEETCAT: &[Setting] = &[address("LEDGE_SHEETCAT_URL", "https://sheetcat.example")];
const TUNEBOOK: &[Setting] = &[address("LEDGE_TUNEBOOK_URL", "https://tunebook.example")];
const VAULT: &[Setting] = &[address("LEDGE_VAULT_URL", "https://vault.example"), KEY];

inventory::submit! {
    MetadataProvider {
        rank: 10,
        pace: RateLimit { per_second: 200.0 },
        settings: SHEETCAT,
        sends: SENDS,
        people: People {
            databases: &["players"],
            attribution: Some(PLAYERS_ATTRIBUTION),
        },
        ..MetadataProvider::new("sheetcat", "Sheet catalogue", KINDS, |settings| {
            Ok(Box::new(Catalogue::of(settings, "LEDGE_SHEETCAT_URL", "players")))
        })
    }
}

inventory::submit! {
    MetadataProvider {
        rank: 20,
        pace: RateLimit { per_second: 200.0 },
        settings: TUNEBOOK,
        sends: SENDS,
        people: People {
            databases: &["performers"],
            ..People::NONE
        },
        ..MetadataProvider::new("tunebook", "Tune book", KINDS, |settings| {
            Ok(Box::new(Catalogue::of(settings, "LEDGE_TUNEBOOK_URL", "performers")))
        })
    }
}

inventory::submit! {
    MetadataProvider {
        rank: 30,
        pace: RateLimit { per_second: 200.0 },
        settings: VAULT,
        sends: SENDS,
        further_hosts: &["pictures.vault.example"],
        attribution: Some(Attribution {
            text: "Scores from the vault",
            url: "https://vault.example/terms",
        }),
        ..MetadataProvider::new("vault", "Vault of scores", KINDS, |settings| {
            let key = settings.secret(KEY.variable).cloned();
            let key = key.ok_or_else(|| Absent { missing: vec![KEY.variable] })?;
            let vault = Catalogue::of(settings, "LEDGE_VAULT_URL", "players");
            Ok(Box::new(Catalogue { key: Some(key), ..vault }))
        })
    }
}

/// Catalogue: `/search?q=…` returns `{"works": […]}`, and `/works/ID` returns one of them.
/// `/people/ID` returns a person. With a key, `/token` returns a token, which is stored until the
/// server rejects it.
#[derive(Debug)]
struct Catalogue {
    base: Base,
    /// Database of the ids of its people.
    people: &'static str,
    key: Option<Secret>,
}

#[derive(Debug, Deserialize)]
struct Works {
    works: Vec<Work>,
}

#[derive(Debug, Deserialize)]
struct Work {
    id: String,
    title: String,
    year: Option<i32>,
    #[serde(default)]
    authors: Vec<String>,
    description: Option<String>,
    cover: Option<String>,
    #[serde(flatten)]
    more: WorkDetails,
}

/// Further values of a work.
#[derive(Debug, Deserialize)]
struct WorkDetails {
    backdrop: Option<String>,
    logo: Option<String>,
    released: Option<String>,
    #[serde(default)]
    genres: Vec<String>,
    #[serde(default)]
    people: Vec<Player>,
    #[serde(default)]
    links: Vec<[String; 2]>,
}

#[derive(Debug, Deserialize)]
struct Player {
    id: String,
    name: String,
    role: String,
    character: Option<String>,
    picture: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Person {
    biography: Option<String>,
    born: Option<String>,
    died: Option<String>,
    birthplace: Option<String>,
    /// Id in the other catalogue.
    performer: Option<String>,
    picture: Option<String>,
    #[serde(default)]
    links: Vec<[String; 2]>,
}

#[derive(Debug, Deserialize)]
struct Token {
    token: String,
    seconds: u64,
}

impl Catalogue {
    fn of(settings: &Settings, variable: &str, people: &'static str) -> Self {
        Self {
            base: settings.base(variable).clone(),
            people,
            key: None,
        }
    }

    fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        languages: &[String],
        net: &dyn Net,
    ) -> Result<T, AskError> {
        let request =
            Request::get(self.base.join(path)).header("Accept-Language", languages.join(", "));
        let Some(key) = &self.key else {
            return net.json(&request);
        };
        let with_token = |token: String| {
            let field = format!("Bearer {token}");
            net.json(&request.clone().header("Authorization", field))
        };
        if let Some(token) = net.remembered("token") {
            let answer = with_token(token);
            if !answer.as_ref().is_err_and(|error| error.has_status(401)) {
                return answer;
            }
            net.forget("token");
        }
        let wanted = Request::post(self.base.join("token"), "text/plain", key.reveal());
        let fresh: Token = net.json(&wanted)?;
        net.remember("token", &fresh.token, Duration::from_secs(fresh.seconds));
        with_token(fresh.token)
    }

    fn candidate(&self, work: Work) -> Candidate {
        Candidate {
            provider_id: work.id,
            title: work.title,
            year: work.year,
            authors: work.authors.into_iter().map(Credit::author).collect(),
            description: work.description,
            cover: work.cover.map(|url| Cover::Address(self.base.rehost(&url))),
            details: self.details(work.more),
            ..Candidate::default()
        }
    }

    fn details(&self, more: WorkDetails) -> Details {
        let picture = |url: String| Cover::Address(self.base.rehost(&url));
        let player = |player: Player| PersonCredit {
            name: player.name,
            role: player.role,
            character: player.character,
            ids: vec![ExternalId::new("players", player.id)],
            picture: player.picture.map(|url| self.base.rehost(&url)),
        };
        Details {
            backdrop: more.backdrop.map(picture),
            logo: more.logo.map(picture),
            released: more.released,
            genres: more.genres,
            people: more.people.into_iter().map(player).collect(),
            links: link_list(more.links),
            ..Details::default()
        }
    }
}

fn link_list(links: Vec<[String; 2]>) -> Vec<DetailLink> {
    let links = links.into_iter();
    links
        .map(|[label, url]| DetailLink::new(label, url))
        .collect()
}

impl Lookup for Catalogue {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let path = format!("search?q={}", encoded(&question.title));
        let found: Works = self.get(&path, &question.languages, net)?;
        let works = found.works.into_iter();
        Ok(works.map(|work| self.candidate(work)).collect())
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let path = format!("works/{}", encoded(provider_id));
        let found = absent_as_none(self.get(&path, &question.languages, net))?;
        Ok(found.map(|work| self.candidate(work)))
    }

    fn person(
        &self,
        ids: &[ExternalId],
        languages: &[String],
        net: &dyn Net,
    ) -> Result<Option<PersonDetails>, AskError> {
        let Some(id) = ExternalId::find(ids, self.people) else {
            return Ok(None);
        };
        let path = format!("people/{}", encoded(id));
        let found: Option<Person> = absent_as_none(self.get(&path, languages, net))?;
        Ok(found.map(|person| PersonDetails {
            biography: person.biography,
            born: person.born,
            died: person.died,
            birthplace: person.birthplace,
            links: link_list(person.links),
            external_ids: person
                .performer
                .into_iter()
                .map(|id| ExternalId::new("performers", id))
                .collect(),
            portrait: person.picture.map(|url| self.base.rehost(&url)),
            ..PersonDetails::default()
        }))
    }
}

/// Percent-encodes everything except letters and digits.
fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
