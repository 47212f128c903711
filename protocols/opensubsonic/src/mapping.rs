//! Songs, albums and artists as the protocol describes them.

use ledge_core::http::recordings::{Form, Part, Recordings};
use ledge_core::registry::{OCTET_STREAM, Registry};
use ledge_core::store::file::recording::{
    PersonalState, RecordedItem, RecordedPart, RecordedPerson,
};
use ledge_core::store::item::PersonCredit;

use crate::ids;
use crate::node::{Node, Value};

/// Genre of all books.
const AUDIOBOOK: &str = "Audiobook";
const AUTHOR: &str = "author";

/// Name of an artist that is not known. An app hides songs without an artist.
const UNKNOWN: &str = "[Unknown Artist]";

/// Returns the element of a song, or `None` if its kind has no recordings. Apps expect the facts
/// that every song has, so that unknown ones are empty or 0.
pub(crate) fn child(registry: &Registry, song: &RecordedPart) -> Option<Node> {
    let item = &song.item;
    let recordings = Recordings::of_kind(&item.kind)?;
    let form = (recordings.form)(item.subkind.as_deref());
    let part = song.kind_data.as_deref().map(recordings.part);
    let part = part.unwrap_or_default();
    let genres = genres(form, &part.genres, &item.credits.genres);
    let artists = artists_of_song(form, &part, item);
    let is_single = form == Form::Single && item.files == 1;
    let title = title(song, &part, is_single);
    let (_, suffix) = song.name.rsplit_once('.').unwrap_or_default();
    let mime = registry
        .format_of(recordings.kind, &song.name)
        .and_then(|format| format.mime);
    let node = Node::new()
        .with("id", ids::song(song.id))
        .with("parent", ids::album(item.id))
        .with("isDir", false)
        .with("title", title)
        .with("album", item.title.as_str())
        .with("albumId", ids::album(item.id))
        .with(
            "artist",
            line(&artists, &item.authors).unwrap_or_else(|| UNKNOWN.to_owned()),
        )
        .with(
            "artistId",
            lead(&artists)
                .or_else(|| lead(&authors(item)))
                .unwrap_or_default(),
        )
        .with("track", part.track.or(song.number).unwrap_or(0))
        .with("discNumber", part.disc.unwrap_or(1))
        .with("year", part.year.or(item.year).unwrap_or(0))
        .with("genre", genres.first().cloned().unwrap_or_default())
        .with(
            "coverArt",
            cover(item).unwrap_or_else(|| ids::album(item.id)),
        )
        .with("size", song.size)
        .with("contentType", mime.unwrap_or(OCTET_STREAM))
        .with("suffix", suffix.to_lowercase())
        .with("duration", song.duration.map_or(0, seconds))
        .with("bitRate", bit_rate(song, &part).unwrap_or(0))
        .with("path", song.path.as_str())
        .with("created", song.added_at)
        .with("isVideo", false)
        .with(
            "type",
            if form == Form::Book {
                "audiobook"
            } else {
                "music"
            },
        );
    let node = personal(node, &song.personal);
    Some(additions_of_song(node, song, &part, &artists, &genres))
}

/// Title and artist of a song as texts.
#[derive(Debug)]
pub(crate) struct SongNames {
    pub(crate) title: String,
    pub(crate) artist: Option<String>,
}

/// Returns title and artist of a song, or `None` if its kind has no recordings.
pub(crate) fn names(song: &RecordedPart) -> Option<SongNames> {
    let recordings = Recordings::of_kind(&song.item.kind)?;
    let form = (recordings.form)(song.item.subkind.as_deref());
    let part = song.kind_data.as_deref().map(recordings.part);
    let part = part.unwrap_or_default();
    let artists = artists_of_song(form, &part, &song.item);
    Some(SongNames {
        title: title(song, &part, form == Form::Single && song.item.files == 1),
        artist: line(&artists, &song.item.authors),
    })
}

fn title(song: &RecordedPart, part: &Part, is_single: bool) -> String {
    let own = || song.title.clone().or_else(|| part.title.clone());
    let stem = || {
        song.name
            .rsplit_once('.')
            .map_or(song.name.as_str(), |(stem, _)| stem)
    };
    let titles = if is_single {
        Some(song.item.title.clone())
    } else {
        own()
    };
    titles
        .filter(|title| !title.trim().is_empty())
        .unwrap_or_else(|| stem().to_owned())
}

/// Returns the additions of OpenSubsonic to a song.
fn additions_of_song(
    node: Node,
    song: &RecordedPart,
    part: &Part,
    artists: &[Name],
    genres: &[String],
) -> Node {
    let item = &song.item;
    let authors = authors(item);
    let composers = part.composers.iter().map(|name| Name::credited(name, item));
    let composers: Vec<Name> = composers.collect();
    let contributor = |name: &Name| {
        let artist = name.node()?;
        Some(Node::new().with("role", "composer").with("artist", artist))
    };
    let contributors: Vec<Node> = composers.iter().filter_map(contributor).collect();
    let gain = Node::new()
        .with_some("trackGain", part.gain)
        .with_some("albumGain", part.item_gain)
        .with_some("trackPeak", part.peak)
        .with_some("albumPeak", part.item_peak);
    let gain = (!gain.fields.is_empty()).then_some(gain);
    node.plus("mediaType", "song")
        .plus_some("bpm", part.bpm)
        .plus_some("samplingRate", part.sample_rate)
        .plus_some("channelCount", part.channels)
        .plus_some("bitDepth", part.bit_depth)
        .plus("genres", names_of_genres(genres))
        .plus("artists", nodes(artists))
        .plus_some("displayArtist", line(artists, &item.authors))
        .plus("albumArtists", nodes(&authors))
        .plus_some("displayAlbumArtist", line(&authors, &item.authors))
        .plus("contributors", contributors)
        .plus_some("displayComposer", line(&composers, ""))
        .plus_some("replayGain", gain)
}

/// Elements of artists and albums. Each method has one of two forms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements {
    pub(crate) artist: fn(&RecordedPerson) -> Node,
    pub(crate) album: fn(&RecordedItem) -> Option<Node>,
}

/// Elements of the methods that organise recordings by tags.
pub(crate) const TAGS: Elements = Elements { artist, album };

/// Elements of the methods that organise recordings by folders.
pub(crate) const FOLDERS: Elements = Elements {
    artist: folder_artist,
    album: directory,
};

/// Returns the element of an album (`AlbumID3`), or `None` if its kind has no recordings.
pub(crate) fn album(item: &RecordedItem) -> Option<Node> {
    Some(album_fields(item)?.with_additions(&["userRating"]))
}

fn album_fields(item: &RecordedItem) -> Option<Node> {
    let form = form(item)?;
    let genres = genres(form, &[], &item.credits.genres);
    let authors = authors(item);
    let types = match form {
        Form::Album => "Album",
        Form::Book => AUDIOBOOK,
        Form::Single => "Single",
    };
    let node = Node::new()
        .with("id", ids::album(item.id))
        .with("name", item.title.as_str())
        .with_some("artist", line(&authors, &item.authors))
        .with_some("artistId", lead(&authors))
        .with_some("coverArt", cover(item))
        .with("songCount", item.files)
        .with("duration", seconds(item.duration))
        .with("created", item.added_at)
        .with_some("year", item.year)
        .with_some("genre", genres.first().cloned());
    let node = personal(node, &item.personal);
    Some(
        node.plus("genres", names_of_genres(&genres))
            .plus("artists", nodes(&authors))
            .plus_some("displayArtist", line(&authors, &item.authors))
            .plus("releaseTypes", vec![types.to_owned()])
            .plus_some("releaseDate", item.released.map(date)),
    )
}

/// Returns the element of an album in a directory (`Child`), or `None` if its kind has no
/// recordings.
pub(crate) fn directory(item: &RecordedItem) -> Option<Node> {
    let album = album_fields(item)?.with_additions(&["name", "songCount"]);
    let authors = authors(item);
    let node = Node::new()
        .with_some("parent", lead(&authors))
        .with("isDir", true)
        .with("title", item.title.as_str())
        .with("album", item.title.as_str());
    let mut node = node.plus("mediaType", "album");
    node.fields.extend(album.fields);
    Some(node)
}

/// Returns the element of an artist (`ArtistID3`).
pub(crate) fn artist(person: &RecordedPerson) -> Node {
    artist_fields(person).with_additions(&["userRating"])
}

/// Returns the element of an artist in a list of folders (`Artist`).
fn folder_artist(person: &RecordedPerson) -> Node {
    artist_fields(person).with_additions(&["albumCount"])
}

fn artist_fields(person: &RecordedPerson) -> Node {
    let node = Node::new()
        .with("id", ids::artist(person.id))
        .with("name", person.name.as_str())
        .with("albumCount", person.items);
    let PersonalState {
        favourite_at,
        rating,
        ..
    } = person.personal;
    node.with_some("starred", favourite_at)
        .with_some("userRating", rating.map(stars))
}

/// Adds the user's data.
fn personal(node: Node, state: &PersonalState) -> Node {
    let plays = (state.plays > 0).then_some(state.plays);
    node.with_some("starred", state.favourite_at)
        .with_some("userRating", state.rating.map(stars))
        .with_some("playCount", plays)
        .plus_some("played", state.played_at)
}

/// Converts a rating from 1 to 10 into stars from 1 to 5.
pub(crate) fn stars(rating: u8) -> i64 {
    i64::from(rating.div_ceil(2))
}

/// Returns the form of an item, or `None` if its kind has no recordings.
pub(crate) fn form(item: &RecordedItem) -> Option<Form> {
    let recordings = Recordings::of_kind(&item.kind)?;
    Some((recordings.form)(item.subkind.as_deref()))
}

/// Returns the id of an item's cover.
pub(crate) fn cover(item: &RecordedItem) -> Option<String> {
    let hash = item.cover.as_ref()?;
    Some(ids::cover(item.id, hash))
}

/// Rounds a duration up to whole seconds.
pub(crate) fn seconds(duration: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "the conversion saturates")]
    let seconds = duration.max(0.0).ceil() as i64;
    seconds
}

/// Returns the bit rate in thousands of bits per second: that of the tags, else the average.
fn bit_rate(song: &RecordedPart, part: &Part) -> Option<i64> {
    let average = || {
        let seconds = song.duration.map(seconds).filter(|seconds| *seconds > 0)?;
        Some(song.size.saturating_mul(8) / seconds)
    };
    part.bit_rate.or_else(average).map(|rate| rate / 1_000)
}

/// Converts the number YYYYMMDD.
fn date(number: i64) -> Node {
    let known = |value: i64| (value > 0).then_some(value);
    Node::new()
        .with("year", number / 10_000)
        .with_some("month", known(number / 100 % 100))
        .with_some("day", known(number % 100))
}

/// A name with the id of its person, if the item credits one.
#[derive(Debug)]
struct Name {
    name: String,
    id: Option<String>,
}

impl Name {
    fn of(credit: &PersonCredit) -> Self {
        Self {
            name: credit.name.clone(),
            id: Some(ids::artist(credit.id)),
        }
    }

    fn credited(name: &str, item: &RecordedItem) -> Self {
        let mut people = item.credits.people.iter();
        match people.find(|credit| credit.name == name) {
            Some(credit) => Self::of(credit),
            None => Self {
                name: name.to_owned(),
                id: None,
            },
        }
    }

    fn node(&self) -> Option<Node> {
        let id = self.id.clone()?;
        Some(Node::new().with("id", id).with("name", self.name.as_str()))
    }
}

fn nodes(names: &[Name]) -> Vec<Node> {
    names.iter().filter_map(Name::node).collect()
}

/// Returns the names as one text, or the fallback. Empty texts are absent.
fn line(names: &[Name], fallback: &str) -> Option<String> {
    let names: Vec<&str> = names.iter().map(|name| name.name.as_str()).collect();
    let line = if names.is_empty() {
        fallback.to_owned()
    } else {
        names.join(", ")
    };
    Some(line).filter(|line| !line.is_empty())
}

/// Returns the id of the first person.
fn lead(names: &[Name]) -> Option<String> {
    names.iter().find_map(|name| name.id.clone())
}

fn authors(item: &RecordedItem) -> Vec<Name> {
    let people = item.credits.people.iter();
    people
        .filter(|credit| credit.role == AUTHOR)
        .map(Name::of)
        .collect()
}

/// Returns the artists of a song: those of its tags, else the authors. The artist of a book is its
/// author.
fn artists_of_song(form: Form, part: &Part, item: &RecordedItem) -> Vec<Name> {
    if form == Form::Book || part.artists.is_empty() {
        return authors(item);
    }
    let artists = part.artists.iter();
    artists.map(|name| Name::credited(name, item)).collect()
}

/// Returns the genres: those of the file, else those of the item. Books have a genre of their own,
/// by which apps find them.
fn genres(form: Form, file: &[String], item: &[String]) -> Vec<String> {
    let own = if file.is_empty() { item } else { file };
    let book = (form == Form::Book).then(|| AUDIOBOOK.to_owned());
    let others = own.iter().filter(|name| book.as_ref() != Some(name));
    let others: Vec<String> = others.cloned().collect();
    book.into_iter().chain(others).collect()
}

fn names_of_genres(genres: &[String]) -> Value {
    let genres = genres.iter();
    let nodes: Vec<Node> = genres
        .map(|name| Node::new().with("name", name.as_str()))
        .collect();
    nodes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_converted() {
        assert_eq!(
            [0.0, 0.1, 1.0, -1.0, f64::NAN].map(seconds),
            [0, 1, 1, 0, 0]
        );
        assert_eq!([1, 2, 3, 9, 10].map(stars), [1, 1, 2, 5, 5]);
        let known = ["Fantasy".to_owned(), AUDIOBOOK.to_owned()];
        assert_eq!(genres(Form::Book, &[], &known), [AUDIOBOOK, "Fantasy"]);
        assert_eq!(genres(Form::Album, &known[..1], &known), ["Fantasy"]);
    }
}
