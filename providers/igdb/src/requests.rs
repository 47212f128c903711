//! Requests to IGDB: a search on the game's platform, then a match of the title against the names
//! in every region.

use ledge_core::enrich::matching::Choice;
use ledge_core::enrich::{best_match, shape};
use ledge_core::registry::provider::{
    Absent, AskError, Base, Candidate, Lookup, Net, Query, Request, Secret, Settings,
};
use serde_json::Value;

use crate::{parse, query, token};

pub(crate) fn open(settings: &Settings) -> Result<Box<dyn Lookup>, Absent> {
    let client = settings.text(crate::CLIENT_ID.variable);
    let secret = settings.secret(crate::CLIENT_SECRET.variable);
    let (Some(client), Some(secret)) = (client, secret) else {
        let id = client.is_none().then_some(crate::CLIENT_ID.variable);
        let secret = secret.is_none().then_some(crate::CLIENT_SECRET.variable);
        return Err(Absent {
            missing: id.into_iter().chain(secret).collect(),
        });
    };
    Ok(Box::new(Igdb {
        client: client.to_owned(),
        secret: secret.clone(),
        base: settings.base(crate::URL.variable).clone(),
        tokens: settings.base(crate::TOKEN_URL.variable).clone(),
        images: settings.base(crate::IMAGES_URL.variable).clone(),
    }))
}

#[derive(Debug)]
struct Igdb {
    client: String,
    secret: Secret,
    base: Base,
    tokens: Base,
    images: Base,
}

impl Lookup for Igdb {
    fn search(&self, question: &Query, net: &dyn Net) -> Result<Vec<Candidate>, AskError> {
        let platform = question.platform.as_deref();
        let mut found = self.games(&query::search(&question.title, platform), platform, net)?;
        if !matches!(best_match(question, &found), Choice::Match { .. }) {
            let named = self.games(&query::by_name(&question.title, platform), platform, net)?;
            for game in named {
                if !found
                    .iter()
                    .any(|known| known.provider_id == game.provider_id)
                {
                    found.push(game);
                }
            }
        }
        Ok(found)
    }

    fn by_id(
        &self,
        provider_id: &str,
        question: &Query,
        net: &dyn Net,
    ) -> Result<Option<Candidate>, AskError> {
        let Ok(id) = provider_id.trim().parse() else {
            return Ok(None);
        };
        let found = self.games(&query::by_id(id), question.platform.as_deref(), net)?;
        if found.is_empty() {
            return Ok(None);
        }
        let is_it = |game: &Candidate| game.provider_id.parse() == Ok(id);
        let game = found.into_iter().find(is_it);
        let other = || shape::unexpected("it describes another game");
        game.map(Some).ok_or_else(other)
    }
}

impl Igdb {
    fn games(
        &self,
        query: &str,
        platform: Option<&str>,
        net: &dyn Net,
    ) -> Result<Vec<Candidate>, AskError> {
        let answer = match self.send(query, net) {
            // The token has expired or was revoked: the request is repeated once with a new token.
            Err(error) if error.has_status(401) => {
                token::discard(net);
                self.send(query, net)?
            }
            answer => answer?,
        };
        parse::games(&answer, platform, &self.images)
    }

    fn send(&self, query: &str, net: &dyn Net) -> Result<Value, AskError> {
        let token = token::token(&self.client, &self.secret, &self.tokens, net)?;
        let request = Request::post(self.base.join("games"), "text/plain", query)
            .header("Client-ID", self.client.clone())
            .header("Authorization", format!("Bearer {token}"))
            .header("Accept", "application/json");
        net.json(&request)
    }
}
