use std::time::Duration;

use ledge_core::registry::reading::ReadTools;

use super::*;

const FILM: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<movie>
  <title>Colour &amp; Bars</title><originaltitle>Farbbalken</originaltitle>
  <ratings><rating name="imdb"><value>7</value></rating></ratings>
  <plot>One.

Two.</plot>
  <premiered>1978-05-01</premiered>
  <genre>Drama / War</genre><genre>Comedy</genre>
  <uniqueid type="imdb" default="true">tt0000001</uniqueid>
  <uniqueid type="home">../../etc</uniqueid>
  <set><name>Bars Collection</name><overview>All</overview></set>
  <director>Ann Lee</director><credits>Bo Kim</credits>
  <actor><name>Cy Day</name><role>Herself</role><thumb>http://192.0.2.1/a.jpg</thumb></actor>
  <fileinfo><streamdetails><video><title>No</title></video></streamdetails></fileinfo>
</movie>
https://www.themoviedb.org/movie/1"#;

#[test]
fn film_nfo_is_read() {
    let nfo = read(FILM.as_bytes()).expect("no error").expect("a note");
    assert_eq!(nfo.title.as_deref(), Some("Colour & Bars"));
    assert_eq!(nfo.year, Some(1978));
    assert_eq!(nfo.plot.as_deref(), Some("One.\n\nTwo."));
    let people: Vec<_> = nfo
        .people
        .iter()
        .map(|c| (c.name.as_str(), c.role.as_str()))
        .collect();
    assert_eq!(
        people,
        [
            ("Ann Lee", "author"),
            ("Bo Kim", "writer"),
            ("Cy Day", "actor")
        ]
    );
    assert_eq!(nfo.series.expect("a set").name, "Bars Collection");
    assert_eq!(nfo.facts["original_title"], "Farbbalken");
    assert_eq!(nfo.facts["genres"], json!(["Drama", "War", "Comedy"]));
    assert_eq!(nfo.facts["imdb"], "tt0000001");
    assert_eq!(nfo.facts.len(), 3, "{:?}", nfo.facts);
}

#[test]
fn first_of_several_episodes_is_read_with_the_titles_of_the_others() {
    let several = "<episodedetails><title>A</title><aired>2001-02-03</aired></episodedetails>\
               <episodedetails><actor><title>Dr</title></actor><title>B</title></episodedetails>\
               <episodedetails><plot>C</plot></episodedetails><episodedetails><title>D <x";
    let nfo = read(several.as_bytes()).expect("no error").expect("a note");
    assert_eq!(nfo.title.as_deref(), Some("A / B"));
    assert_eq!(nfo.year, Some(2001));
    assert_eq!(nfo.aired.as_deref(), Some("2001-02-03"));
}

#[test]
fn joined_title_of_many_episodes_is_limited() {
    let one = format!(
        "<episodedetails><title>{}</title></episodedetails>",
        "x".repeat(900)
    );
    let nfo = read(one.repeat(60).as_bytes())
        .expect("no error")
        .expect("a note");
    assert_eq!(nfo.title.expect("a title").chars().count(), 1_000);
}

#[test]
fn release_texts_and_urls_are_ignored() {
    for text in [
        "",
        "https://www.themoviedb.org/movie/1",
        "░▒▓ GROUP presents ▓▒░",
        "<html></html>",
    ] {
        assert_eq!(read(text.as_bytes()).expect("no error"), None, "{text}");
    }
}

#[test]
fn external_entities_are_not_expanded() {
    let hostile = "<!DOCTYPE movie [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY a 'lol'>\
                   <!ENTITY b '&a;&a;&a;'>]><movie><title>&x;T&b;</title></movie>";
    let nfo = read(hostile.as_bytes()).expect("no error").expect("a note");
    assert_eq!(nfo.title.as_deref(), Some("T"));
}

#[test]
fn content_before_a_syntax_error_is_kept() {
    let broken = "<movie><title>T</title><plot>P</plot><year>1999</year><x <y></movie>";
    let nfo = read(broken.as_bytes()).expect("no error").expect("a note");
    assert_eq!((nfo.title.as_deref(), nfo.year), (Some("T"), Some(1999)));
    let deep = format!("<movie><title>T</title>{}", "<a>".repeat(100_000));
    let _ = read(deep.as_bytes());
}

#[test]
fn nfo_files_are_found_next_to_files_and_above_seasons() {
    let tree = tempfile::tempdir().expect("a folder");
    let season = tree.path().join("Show/Season 01");
    std::fs::create_dir_all(&season).expect("folders");
    let write =
        |name: &str, text: &str| std::fs::write(tree.path().join(name), text).expect("a file");
    write(
        "Show/tvshow.nfo",
        "<tvshow><title>The Show</title></tvshow>",
    );
    write(
        "Show/Season 01/S01E01.nfo",
        "<episodedetails><title>One</title></episodedetails>",
    );
    write("movie.nfo", "<movie><title>Film</title></movie>");
    std::os::unix::fs::symlink("movie.nfo", tree.path().join("Linked.nfo")).expect("a link");
    let title = |nfo: Option<Nfo>| nfo.and_then(|nfo| nfo.title);
    let tools = ReadTools {
        root: tree.path(),
        ffprobe: None,
        time_limit: Duration::from_secs(1),
    };
    let linked = tree.path().join("Linked.mkv");
    let episode = season.join("S01E01.mkv");
    assert_eq!(
        title(read_for_file(&episode, true, &tools)).as_deref(),
        Some("One")
    );
    assert_eq!(
        title(read_for_show(&episode, &tools)).as_deref(),
        Some("The Show")
    );
    let film = tree.path().join("Film.mkv");
    assert_eq!(
        title(read_for_file(&film, false, &tools)).as_deref(),
        Some("Film")
    );
    assert_eq!(title(read_for_file(&linked, true, &tools)), None);
    assert_eq!(title(read_for_show(&film, &tools)), None);
}
