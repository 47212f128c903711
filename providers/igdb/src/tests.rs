//! Tests with recorded responses in IGDB's documented form.

use std::time::Duration;

use ledge_core::registry::provider::{
    Absent, AskError, Base, Cover, Lookup, Net as _, Query, Response, Settings,
};
use ledge_recorded::{Recorded, damage, opened};
use serde_json::{Value, json};

use crate::{PROVIDER, parse, token};

fn answer() -> Value {
    json!([
        {
            "id": 1026, "name": "The Legend of Zelda: A Link to the Past",
            "alternative_names": [{ "id": 1, "name": "Zelda no Densetsu: Kamigami no Triforce" }],
            "first_release_date": 690_854_400,
            "release_dates": [
                { "id": 1, "date": 703_123_200, "platform": 19 },
                { "id": 2, "date": 690_854_400, "platform": { "id": 58, "name": "Super Famicom" } },
                { "id": 3, "date": 1_038_700_800, "platform": 24 }
            ],
            "summary": "A hero in two worlds.",
            "cover": { "id": 2, "image_id": "co3vzn",
                       "url": "//images.igdb.com/igdb/image/upload/t_thumb/co3vzn.jpg" },
            "platforms": [19, 58, 24, 6],
            "involved_companies": [
                { "id": 1, "developer": true, "company": { "id": 421, "name": "Nintendo EAD" } },
                { "id": 2, "developer": false, "company": { "id": 70, "name": "Nintendo" } }
            ]
        },
        { "id": 7, "name": "Another Game" }
    ])
}

fn token_answer() -> Value {
    json!({ "access_token": "prau3ol6mg5glgek8m89ec2s9q5i3i", "expires_in": 5_587_808,
            "token_type": "bearer" })
}

fn question() -> Query {
    Query {
        kind: "games".to_owned(),
        title: "Legend of Zelda, The - A Link to the Past".to_owned(),
        platform: Some("snes".to_owned()),
        ..Query::default()
    }
}

const CREDENTIALS: [(&str, &str); 2] = [
    ("LEDGE_IGDB_CLIENT_ID", "abcdefg12345"),
    ("LEDGE_IGDB_CLIENT_SECRET", "hijklmn67890"),
];

fn igdb() -> Box<dyn Lookup> {
    opened(&PROVIDER, &CREDENTIALS)
}

fn images() -> Base {
    Base::of("https://images.igdb.com", None).expect("an address")
}

#[test]
fn search_returns_game_with_values_of_its_platform() {
    let net = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .answers("v4/games", &answer());
    let found = igdb().search(&question(), &net).expect("candidates");
    let zelda = &found[0];
    assert_eq!(zelda.provider_id, "1026");
    assert_eq!(
        zelda.other_titles,
        ["Zelda no Densetsu: Kamigami no Triforce"]
    );
    assert_eq!(zelda.year, Some(1991), "of this platform");
    assert_eq!(zelda.platforms, ["snes", "gba"]);
    let names: Vec<_> = zelda
        .authors
        .iter()
        .map(|author| author.name.as_str())
        .collect();
    assert_eq!(names, ["Nintendo EAD"]);
    let cover = "https://images.igdb.com/igdb/image/upload/t_cover_big/co3vzn.jpg";
    assert_eq!(zelda.cover, Some(Cover::Address(cover.to_owned())));
    let asked = net.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(
        asked[0].starts_with("https://id.twitch.tv/oauth2/token "),
        "{}",
        asked[0]
    );
    assert!(asked[0].contains("client_id=abcdefg12345&client_secret=hijklmn67890"));
    assert!(asked[1].contains("Client-ID: abcdefg12345"));
    assert!(asked[1].contains("Authorization: Bearer prau3ol6mg5glgek8m89ec2s9q5i3i"));
    assert!(asked[1].contains("search \"The Legend of Zelda A Link to the Past\";"));
    assert!(asked[1].contains("platforms = (19,58)"));
}

#[test]
fn token_is_reused_for_its_lifetime() {
    let net = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .answers("v4/games", &answer())
        .answers("v4/games", &answer());
    igdb().search(&question(), &net).expect("candidates");
    // Another instance of the provider finds the token in the core's storage.
    igdb().search(&question(), &net).expect("candidates");
    let tokens = net
        .asked()
        .iter()
        .filter(|asked| asked.contains("oauth2"))
        .count();
    assert_eq!(tokens, 1);
    let (token, lifetime) = net.kept("token").expect("a token");
    assert_eq!(token, "prau3ol6mg5glgek8m89ec2s9q5i3i");
    assert_eq!(lifetime, Duration::from_secs(5_587_808 - 300));
}

#[test]
fn rejected_token_is_renewed_once() {
    let net = Recorded::new()
        .refuses("Bearer old", 401)
        .answers("oauth2/token", &token_answer())
        .answers("Bearer prau3ol6", &answer());
    net.remember("token", "old", Duration::from_secs(1));
    assert!(
        !igdb()
            .search(&question(), &net)
            .expect("candidates")
            .is_empty()
    );

    let net = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .refuses("v4/games", 401)
        .answers("oauth2/token", &token_answer())
        .refuses("v4/games", 401);
    let error = igdb().search(&question(), &net).expect_err("a failure");
    assert!(error.has_status(401));
    assert_eq!(net.asked().len(), 4);
}

#[test]
fn rejected_credentials_are_an_error_without_the_secret() {
    let net = Recorded::new().refuses("oauth2/token", 403);
    let error = igdb().search(&question(), &net).expect_err("a failure");
    assert!(error.has_status(403));
    assert!(!format!("{error} {error:?} {:?}", igdb()).contains("hijklmn67890"));
}

#[test]
fn missing_credentials_are_named_in_absent() {
    let settings = Settings::defaults(PROVIDER.settings);
    let missing = vec!["LEDGE_IGDB_CLIENT_ID", "LEDGE_IGDB_CLIENT_SECRET"];
    let absent = (PROVIDER.open)(&settings).expect_err("nothing to ask with");
    assert_eq!(absent, Absent { missing });
}

#[test]
fn title_without_search_result_is_looked_up_in_regional_names() {
    let regional = Query {
        title: "Zelda no Densetsu - Kamigami no Triforce".to_owned(),
        ..question()
    };
    let net = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .answers("search \"Zelda no", &json!([]))
        .answers(
            "alternative_names.name ~ *\"Zelda no Densetsu: Kamigami",
            &answer(),
        );
    let found = igdb().search(&regional, &net).expect("candidates");
    assert_eq!(found[0].provider_id, "1026");
}

#[test]
fn by_id_returns_game_and_none_for_unknown_ids() {
    let net = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .answers("where id = 1026;", &answer())
        .answers("where id = 8;", &json!([]));
    let found = igdb().by_id("1026", &question(), &net).expect("an answer");
    assert_eq!(found.expect("a game").year, Some(1991));
    assert_eq!(igdb().by_id("8", &question(), &net), Ok(None));
    for id in ["", "x", "1; where id = 2", "-1"] {
        assert_eq!(igdb().by_id(id, &question(), &net), Ok(None), "{id}");
    }
}

#[test]
fn cover_url_is_always_large_and_https() {
    let cover = |cover: Value| {
        let answer = json!([{ "id": 1, "name": "x", "cover": cover }]);
        let games = parse::games(&answer, None, &images()).expect("games");
        games[0].cover.clone()
    };
    let large = "https://images.igdb.com/igdb/image/upload/t_cover_big/co1abc.jpg";
    for value in [
        json!({ "image_id": "co1abc" }),
        json!({ "url": "//images.igdb.com/igdb/image/upload/t_thumb/co1abc.jpg" }),
        json!({ "url": "http://images.igdb.com/igdb/image/upload/t_thumb/co1abc.jpg?x=1" }),
        json!({ "url": "//169.254.169.254/t_thumb/co1abc.png" }),
    ] {
        assert_eq!(
            cover(value.clone()),
            Some(Cover::Address(large.to_owned())),
            "{value}"
        );
    }
    for value in [
        json!(5),
        json!({}),
        json!({ "image_id": "../x" }),
        json!({ "image_id": "" }),
    ] {
        assert_eq!(cover(value.clone()), None, "{value}");
    }
}

#[test]
fn undocumented_responses_are_errors() {
    for malformed in [
        json!(null),
        json!({}),
        json!("text"),
        json!({ "message": "Too Many Requests" }),
        json!([null]),
        json!([{ "title": "Syntax Error", "status": 400, "cause": "x" }]),
        json!([{ "id": [], "name": "x" }]),
        json!([{ "id": 1026 }]),
        json!([{ "id": 1026, "name": {} }]),
    ] {
        let net = || {
            Recorded::new()
                .answers("oauth2/token", &token_answer())
                .answers("v4/games", &malformed)
        };
        let found = igdb().search(&question(), &net());
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
        let found = igdb().by_id("1026", &question(), &net());
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
    let other = Recorded::new()
        .answers("oauth2/token", &token_answer())
        .answers("v4/games", &json!([{ "id": 7, "name": "Another Game" }]));
    let found = igdb().by_id("1026", &question(), &other);
    assert!(matches!(found, Err(AskError::Malformed(_))), "{found:?}");
    for malformed in [
        json!(null),
        json!([]),
        json!({ "status": 403, "message": "invalid client secret" }),
        json!({ "access_token": ["x"], "expires_in": 5000 }),
        json!({ "access_token": "" }),
    ] {
        let net = Recorded::new().answers("oauth2/token", &malformed);
        let found = igdb().search(&question(), &net);
        assert!(
            matches!(found, Err(AskError::Malformed(_))),
            "{malformed}: {found:?}"
        );
    }
}

#[test]
fn damaged_responses_are_parsed_or_rejected() {
    damage::values(&answer(), |answer| {
        for one in parse::games(answer, Some("snes"), &images()).unwrap_or_default() {
            assert!(!one.title.is_empty() && one.provider_id.parse::<u64>().is_ok());
        }
    });
    damage::values(&token_answer(), |answer| {
        let _ = token::read(answer);
    });
    damage::bytes(answer().to_string().as_bytes(), |bytes| {
        let answer = Response {
            status: 200,
            content_type: String::new(),
            body: bytes.to_vec(),
        };
        let net = Recorded::new()
            .answers("oauth2/token", &token_answer())
            .gives("v4/games", Ok(answer));
        let _ = igdb().search(&question(), &net);
    });
}
