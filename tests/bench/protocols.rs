//! Pages of the open protocols: a walk over all songs, lists of artists and albums, OPDS feeds, and
//! the cost of a stream compared with the content of a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ledge_tests::Client;
use serde_json::{Value, json};

use crate::figure;
use crate::measure::latency::{self, Times};
use crate::measure::machine;
use crate::prepare::Library;

/// Number of songs per request of a walk.
const STEP: usize = 500;
/// Number of requests per row.
const ROUNDS: usize = 100;
/// Number of requests for a file in each of two ways.
const FILES: usize = 2_000;

/// Measures the protocols with an app password of the user with the most data.
pub(crate) fn measure(library: &Library) {
    let app = App::new(library);
    songs(library, &app);
    for method in [
        "getArtists".to_owned(),
        format!("getAlbumList2?type=alphabeticalByName&size={STEP}"),
        format!("getAlbumList2?type=alphabeticalByArtist&size={STEP}&offset=10000"),
        format!("getAlbumList2?type=newest&size={STEP}"),
        format!("getAlbumList2?type=recent&size={STEP}"),
        format!("getAlbumList2?type=frequent&size={STEP}"),
        format!("getAlbumList2?type=starred&size={STEP}"),
        format!("getAlbumList2?type=highest&size={STEP}"),
        format!("getAlbumList2?type=byYear&fromYear=1900&toYear=2030&size={STEP}"),
        "getAlbumList2?type=random&size=50".to_owned(),
        "getStarred2".to_owned(),
    ] {
        let times = latency::of(&app.client, ROUNDS, |_| app.method(&method));
        figure(&method, &times.show(), "p50 / p99; budget p99 100 ms");
    }
    for path in [
        "/opds/v1.2/publications",
        "/opds/v1.2/publications?page=1000",
        "/opds/v1.2/authors",
        "/opds/v1.2/series",
        "/opds/v2/publications",
        "/opds/v2/authors",
    ] {
        let times = app.feed(path);
        figure(path, &times.show(), "p50 / p99; budget p99 30 ms");
    }
    streams(library, &app);
}

/// Reads all songs in steps, and shows the first and the last steps, and the memory.
fn songs(library: &Library, app: &App) {
    let pid = library.server.pid();
    let before = machine::status_mb(pid, "VmRSS");
    let (mut steps, mut count, mut most) = (Vec::new(), 0, before);
    loop {
        let path = app.method(&format!(
            "search3?query=&artistCount=0&albumCount=0&songCount={STEP}&songOffset={count}"
        ));
        let begin = std::time::Instant::now();
        let answer = app.client.get(&path).expect(200).json();
        steps.push(begin.elapsed());
        let found = answer["subsonic-response"]["searchResult3"]["song"].as_array();
        let found = found.map_or(0, Vec::len);
        count += found;
        most = most.max(machine::status_mb(pid, "VmRSS"));
        if found < STEP {
            break;
        }
    }
    let tenth = (steps.len() / 10).max(1);
    let [mut first, mut last] = [Times::default(), Times::default()];
    first.extend(steps[..tenth].to_vec());
    last.extend(steps[steps.len() - tenth..].to_vec());
    figure(
        &format!("search3 \"\" over {count} songs in steps of {STEP}"),
        &format!("{} first, {} last", first.show(), last.show()),
        &format!(
            "p50 / p99 of a tenth of the steps; {:.2} × by the median; {before:.0} MB before, at \
             most {most:.0} MB",
            last.at(50) / first.at(50)
        ),
    );
}

/// Compares a stream of OpenSubsonic with the content of the same file.
fn streams(library: &Library, app: &App) {
    let songs = app.method("search3?query=&artistCount=0&albumCount=0&songCount=1");
    let answer = app.client.get(&songs).expect(200).json();
    let song = &answer["subsonic-response"]["searchResult3"]["song"][0]["id"];
    let song = song.as_str().expect("a song");
    let file = song.trim_start_matches(|c: char| !c.is_ascii_digit());
    let stream = app.method(&format!("stream?id={song}"));
    let content = format!("/files/{file}/content");
    let cost = |client: &Client, path: &str| {
        let before = machine::cpu(library.server.pid());
        let times = latency::of(client, FILES, |_| path.to_owned());
        let cpu = machine::cpu_since(library.server.pid(), before);
        (cpu.as_secs_f64() * 1e6 / FILES as f64, times)
    };
    let (ours, own_times) = cost(&library.heavy, &content);
    let (theirs, times) = cost(&app.client, &stream);
    figure(
        "/rest/stream of a small file",
        &times.show(),
        &format!(
            "p50 / p99; {theirs:.0} µs CPU; /files/{{id}}/content {}, {ours:.0} µs CPU: {:.2} ×",
            own_times.show(),
            theirs / ours
        ),
    );
}

/// App with an app password for all protocols.
struct App {
    client: Client,
    secret: String,
    authorization: String,
}

impl App {
    fn new(library: &Library) -> Self {
        let me: Value = library.heavy.get("/auth/me").expect(200).json();
        let name = me["username"].as_str().expect("a name");
        let body = json!({ "name": "Benchmark", "scopes": ["publications", "recordings"] });
        let issued = library
            .heavy
            .post("/app-passwords", &body)
            .expect(201)
            .json();
        let secret = issued["secret"].as_str().expect("a secret").to_owned();
        Self {
            client: library.server.client().anonymous(),
            authorization: format!("Basic {}", STANDARD.encode(format!("{name}:{secret}"))),
            secret,
        }
    }

    /// Returns the path of a method with its parameters.
    fn method(&self, method: &str) -> String {
        let joint = if method.contains('?') { '&' } else { '?' };
        format!("//rest/{method}{joint}f=json&apiKey={}", self.secret)
    }

    /// Measures a feed.
    fn feed(&self, path: &str) -> Times {
        let headers = [("Authorization", self.authorization.as_str())];
        let mut times = Times::default();
        for _ in 0..ROUNDS {
            let begin = std::time::Instant::now();
            let answer = self.client.send("GET", &format!("/{path}"), &headers, None);
            times.add(begin.elapsed());
            answer.expect(200);
        }
        times
    }
}
