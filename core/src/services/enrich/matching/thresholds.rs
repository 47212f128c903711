//! Thresholds, weights and tolerances of the comparison, the same for all kinds.
//!
//! Similarities and confidences are numbers from 0 to 1, and a score is their product plus a bonus.
//! `docs/matching.md` lists the pairs of the test data that bound each value below and above.

/// Minimum score of a match.
pub(super) const FLOOR: f64 = 0.8;
/// Maximum score difference of two works that count as equally good.
pub(super) const MARGIN: f64 = 0.02;
/// Base score of candidates with an ISBN of the query. It exceeds all other scores.
pub(super) const ISBN: f64 = 2.0;
/// Weight of the title among candidates with an ISBN of the query.
pub(super) const ISBN_TITLE: f64 = 0.05;
/// Score bonus for equal years.
pub(super) const YEAR_BONUS: f64 = 0.04;
/// Score bonus for equal episodes or tracks. It exceeds that for equal years, because a remaster has
/// another year.
pub(super) const PARTS_BONUS: f64 = 0.08;

/// Maximum difference of two years of one release.
pub(super) const NEAR_YEARS: u32 = 1;
/// Maximum difference of the years of two works without people that have one distinctive title.
pub(super) const DISTINCTIVE_YEARS: u32 = 3;

/// Confidence in equal titles without people on one platform.
pub(super) const PLATFORM: f64 = 0.95;
/// Confidence in equal titles without people of one year.
pub(super) const YEAR: f64 = 0.9;
/// Confidence in equal distinctive titles without people.
pub(super) const DISTINCTIVE: f64 = 0.85;
/// Minimum similarity of the titles without evidence by people.
pub(super) const TITLE_WITHOUT_PEOPLE: f64 = 0.9;
/// Minimum number of words of a distinctive title.
pub(super) const DISTINCTIVE_WORDS: usize = 4;
/// Minimum number of letters of a distinctive title.
pub(super) const DISTINCTIVE_LETTERS: usize = 16;

/// Similarity of equal titles.
pub(super) const SAME: f64 = 1.0;
/// Similarity of a title with an equal alternative title.
pub(super) const ALTERNATIVE: f64 = 0.98;
/// Similarity if one title also has the number of a first volume.
pub(super) const FIRST: f64 = 0.95;
/// Similarity if the parts of the titles are in another order or in brackets, one subtitle is the
/// beginning of the other, or one title has a series or author in front.
pub(super) const REARRANGED: f64 = 0.93;
/// Similarity if only one title has a subtitle.
pub(super) const BARE: f64 = 0.9;
/// Similarity if the titles differ by a typing error.
pub(super) const MISSPELT: f64 = 0.88;
/// Similarity if one title has an unknown prefix.
pub(super) const PREFIXED: f64 = 0.86;
/// Minimum number of letters after an unknown prefix.
pub(super) const PREFIXED_LETTERS: usize = 7;
/// Maximum number of digits of a number in brackets that is part of the title. Longer ones are
/// years.
pub(super) const BRACKET_DIGITS: usize = 3;
/// Minimum number of letters of a title with a typing error.
pub(super) const MISSPELT_LETTERS: usize = 9;
/// Minimum number of letters of a word with a typing error.
pub(super) const MISSPELT_WORD_LETTERS: usize = 5;
/// Maximum number of typing errors of a title.
pub(super) const MISSPELT_EDITS: usize = 1;
/// Maximum number of words of a subtitle that ends with a genre and only describes the work.
pub(super) const GENRE_WORDS: usize = 6;

/// Similarity of names above which two authors are the same person.
pub(super) const SAME_PERSON: f64 = 0.9;
/// Similarity of a surname with a full name.
pub(super) const SURNAME_ALONE: f64 = 0.9;
/// Minimum number of letters of a surname without a given name.
pub(super) const SURNAME_ALONE_LETTERS: usize = 3;
/// Similarity of two spellings of a surname.
pub(super) const SPELT_SURNAME: f64 = 0.97;
/// Similarity of two spellings of a given name, or of a name and its initial.
pub(super) const SPELT_GIVEN_NAME: f64 = 0.98;
/// Minimum number of letters of a surname with [`SURNAME_EDITS`].
pub(super) const SURNAME_LETTERS: usize = 6;
/// Maximum number of different letters in two spellings of a surname.
pub(super) const SURNAME_EDITS: usize = 1;
/// Minimum number of letters of a surname with [`LONG_SURNAME_EDITS`].
pub(super) const LONG_SURNAME_LETTERS: usize = 9;
/// Maximum number of different letters in two spellings of a long surname, and of its given names.
pub(super) const LONG_SURNAME_EDITS: usize = 2;
/// Maximum number of different letters in two transliterations of a long surname.
pub(super) const TRANSLITERATION_EDITS: usize = 1;
/// Maximum number of initials without separators: `JRR`.
pub(super) const INITIALS: usize = 3;

/// Maximum difference of two lengths of one track, in seconds. Rips and tags round differently.
pub(super) const SAME_LENGTH: f64 = 4.0;
/// Difference above which two lengths belong to different recordings, in seconds.
pub(super) const OTHER_LENGTH: f64 = 10.0;
/// Maximum share of tracks that differ by more than [`SAME_LENGTH`] on one album, in percent.
pub(super) const UNEQUAL_TRACKS: usize = 10;
/// Share of tracks that differ by more than [`OTHER_LENGTH`], in percent. Albums above it are
/// different.
pub(super) const OTHER_TRACKS: usize = 50;
/// Minimum number of tracks for a decision. Single tracks often have equal lengths.
pub(super) const TRACKS: usize = 3;
/// Minimum number of equal episode titles of one series. Series are different if more titles were
/// compared and none is equal.
pub(super) const EPISODES: usize = 2;
/// Minimum share of equal episode titles of one series, in percent.
pub(super) const EQUAL_EPISODES: usize = 60;
