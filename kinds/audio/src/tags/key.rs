//! Keys of tag values, and the names that free-form tags use for them.

/// Meaning of a tag value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Title,
    Subtitle,
    Album,
    Artist,
    AlbumArtist,
    Author,
    Composer,
    Narrator,
    Conductor,
    Lyricist,
    Translator,
    Track,
    Tracks,
    Disc,
    Discs,
    Date,
    OriginalDate,
    Genre,
    Comment,
    Description,
    Publisher,
    Language,
    Series,
    SeriesPart,
    Grouping,
    Movement,
    MovementNumber,
    Compilation,
    Bpm,
    MediaType,
    Isbn,
    Asin,
    MusicBrainzRelease,
    MusicBrainzReleaseGroup,
    MusicBrainzRecording,
    MusicBrainzAlbumArtist,
    Copyright,
    TrackGain,
    TrackPeak,
    AlbumGain,
    AlbumPeak,
    R128Track,
    R128Album,
    SoundCheck,
    Gapless,
    Lyrics,
    CueSheet,
}

/// Names in lower case without spaces and punctuation, sorted for binary search.
const NAMES: &[(&str, Key)] = &[
    ("album", Key::Album),
    ("albumartist", Key::AlbumArtist),
    ("albumartists", Key::AlbumArtist),
    ("artist", Key::Artist),
    ("asin", Key::Asin),
    ("audibleasin", Key::Asin),
    ("author", Key::Author),
    ("authors", Key::Author),
    ("beatsperminute", Key::Bpm),
    ("bookauthor", Key::Author),
    ("bpm", Key::Bpm),
    ("comment", Key::Comment),
    ("comments", Key::Comment),
    ("compilation", Key::Compilation),
    ("composer", Key::Composer),
    ("conductor", Key::Conductor),
    ("contentgroup", Key::Grouping),
    ("copyright", Key::Copyright),
    ("cuesheet", Key::CueSheet),
    ("date", Key::Date),
    ("description", Key::Description),
    ("disc", Key::Disc),
    ("discnumber", Key::Disc),
    ("discs", Key::Discs),
    ("disctotal", Key::Discs),
    ("disk", Key::Disc),
    ("disknumber", Key::Disc),
    ("ensemble", Key::AlbumArtist),
    ("genre", Key::Genre),
    ("grouping", Key::Grouping),
    ("isbn", Key::Isbn),
    ("isbn13", Key::Isbn),
    ("itunescompilation", Key::Compilation),
    ("itunnorm", Key::SoundCheck),
    ("itunsmpb", Key::Gapless),
    ("label", Key::Publisher),
    ("language", Key::Language),
    ("longdescription", Key::Description),
    ("lyricist", Key::Lyricist),
    ("lyrics", Key::Lyrics),
    ("mediatype", Key::MediaType),
    ("movement", Key::MovementNumber),
    ("movementname", Key::Movement),
    ("musicbrainzalbumartistid", Key::MusicBrainzAlbumArtist),
    // Taggers call a release an album, and a recording a track.
    ("musicbrainzalbumid", Key::MusicBrainzRelease),
    ("musicbrainzreleasegroupid", Key::MusicBrainzReleaseGroup),
    ("musicbrainztrackid", Key::MusicBrainzRecording),
    ("mvin", Key::MovementNumber),
    ("mvnm", Key::Movement),
    ("narratedby", Key::Narrator),
    ("narrator", Key::Narrator),
    ("narrators", Key::Narrator),
    ("organization", Key::Publisher),
    ("originaldate", Key::OriginalDate),
    ("originalyear", Key::OriginalDate),
    ("part", Key::SeriesPart),
    ("publisher", Key::Publisher),
    ("r128albumgain", Key::R128Album),
    ("r128trackgain", Key::R128Track),
    ("readby", Key::Narrator),
    ("reader", Key::Narrator),
    ("replaygainalbumgain", Key::AlbumGain),
    ("replaygainalbumpeak", Key::AlbumPeak),
    ("replaygaintrackgain", Key::TrackGain),
    ("replaygaintrackpeak", Key::TrackPeak),
    ("series", Key::Series),
    ("seriesindex", Key::SeriesPart),
    ("seriesname", Key::Series),
    ("seriesnumber", Key::SeriesPart),
    ("seriespart", Key::SeriesPart),
    ("subtitle", Key::Subtitle),
    ("summary", Key::Description),
    ("syncedlyrics", Key::Lyrics),
    ("synopsis", Key::Description),
    ("title", Key::Title),
    ("totaldiscs", Key::Discs),
    ("totaltracks", Key::Tracks),
    ("track", Key::Track),
    ("tracknumber", Key::Track),
    ("tracktotal", Key::Tracks),
    ("translator", Key::Translator),
    ("unsyncedlyrics", Key::Lyrics),
    ("year", Key::Date),
];

impl Key {
    /// Returns the key for a name in a free-form tag. Case and punctuation are ignored.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if name.len() > 40 {
            return None;
        }
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let index = NAMES
            .binary_search_by(|(known, _)| (*known).cmp(&plain))
            .ok()?;
        NAMES.get(index).map(|(_, key)| *key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn case_and_punctuation_are_ignored() {
        for (name, key) in [
            ("ALBUMARTIST", Key::AlbumArtist),
            ("Album Artist", Key::AlbumArtist),
            ("SERIES-PART", Key::SeriesPart),
            ("replaygain_track_gain", Key::TrackGain),
        ] {
            assert_eq!(Key::named(name), Some(key), "{name}");
        }
        assert_eq!(Key::named("encoder"), None);
        assert_eq!(Key::named(&"a".repeat(100)), None);
    }
}
