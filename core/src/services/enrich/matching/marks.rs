//! Markers in titles of products that are about a work, derived from it, or a part of it, but are
//! not the work itself.

/// Categories of such products with their phrases, in the form that [`super::words()`] returns.
const MARKS: &[(Marks, &[&str])] = &[
    (
        Marks(1),
        &[
            "study guide",
            "study guides",
            "summary",
            "summaries",
            "cliffsnotes",
            "cliffs notes",
            "cliff notes",
            "cliffnotes",
            "sparknotes",
            "spark notes",
            "york notes",
            "monarch notes",
            "notes on",
            "supersummary",
            "super summary",
            "bookrags",
            "litcharts",
            "instaread",
            "lesson plan",
            "lesson plans",
            "teachers guide",
            "teaching guide",
            "readers guide",
            "reading guide",
            "companion",
            "analysis",
            "analyses",
            "key takeaways",
            "workbook",
            "trivia",
            "quiz",
            "quizzes",
            "conversation starters",
            "discussion prompts",
            "a guide to",
            "guide to reading",
            "unofficial",
            "unauthorized",
            "critical essays",
            "critical interpretations",
            "casebook",
            "commentary",
            "concordance",
            "encyclopedia",
            "explained",
            "making of",
            "strategy guide",
            "walkthrough",
            "official guide",
            "players guide",
            "hint book",
            "lekturehilfe",
            "lektureschlussel",
            "interpretation",
            "zusammenfassung",
            "resume et analyse",
            "fiche de lecture",
            "profil dune oeuvre",
            "guia de lectura",
        ],
    ),
    (
        Marks(1 << 1),
        &[
            "graphic novel",
            "graphic novels",
            "graphic adaptation",
            "graphic edition",
            "manga",
            "manga edition",
            "comic",
            "comics",
            "comic book",
            "bande dessinee",
            "adaptation",
            "adapted",
            "adapted by",
            "novelization",
            "novelisation",
            "young readers",
            "young readers edition",
            "for kids",
            "for children",
            "retold",
            "retelling",
            "picture book",
            "coloring book",
            "colouring book",
            "activity book",
            "sticker book",
            "pop up",
            "board book",
            "screenplay",
            "the script",
            "shooting script",
            "a play",
            "the musical",
            "vocal score",
            "dramatised",
            "dramatized",
            "dramatisation",
            "dramatization",
            "radio play",
            "radio drama",
            "full cast",
            "primary phase",
            "secondary phase",
            "tertiary phase",
            "quandary phase",
            "quintessential phase",
            "hexagonal phase",
            "horspiel",
            "parody",
            "cookbook",
            "calendar",
            "journal",
            "illustrated classics",
            "classics illustrated",
            "stepping stones",
        ],
    ),
    (
        Marks(1 << 2),
        &[
            "abridged",
            "abridgement",
            "abridgment",
            "condensed",
            "easy reader",
            "easy readers",
            "easy reading",
            "graded reader",
            "graded readers",
            "simplified",
            "penguin readers",
            "oxford bookworms",
            "macmillan readers",
            "readers digest",
            "shortened",
            "gekurzt",
            "gekurzte lesung",
            "abrege",
        ],
    ),
    (
        Marks(1 << 3),
        &[
            "box set",
            "boxed set",
            "boxset",
            "box",
            "gift set",
            "omnibus",
            "bundle",
            "collection",
            "collections",
            "trilogy",
            "trilogie",
            "quartet",
            "tetralogy",
            "duology",
            "collected",
            "complete works",
            "complete novels",
            "complete series",
            "complete set",
            "complete collection",
            "complete books",
            "complete stories",
            "complete saga",
            "books set",
            "book set",
            "novels in",
            "in 1",
            "compilation",
            "gesamtausgabe",
            "sammelband",
            "integrale",
            "lintegrale",
        ],
    ),
    (
        Marks(1 << 4),
        &[
            "sampler",
            "excerpt",
            "excerpts",
            "extract",
            "sneak peek",
            "free preview",
            "leseprobe",
            "demo",
            "trial version",
            "soundtrack",
            "season pass",
            "expansion pack",
            "add on",
            "remaster",
            "remastered",
        ],
    ),
];

/// Phrases that contain a marker but do not indicate such a product.
const INNOCENT: &[&str] = &[
    "a collection of",
    "collection of",
    "collected by",
    "complete and",
];

/// Set of markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u8);

impl Marks {
    /// Bundle of several works.
    pub(super) const BUNDLE: Self = Self(1 << 3);
    /// Product about the work.
    pub(super) const STUDY: Self = Self(1);

    /// Returns the markers in a sequence of words.
    pub(super) fn of(words: &[String]) -> Self {
        let mut text = format!(" {} ", words.join(" "));
        for innocent in INNOCENT {
            text = text.replace(&format!(" {innocent} "), " ");
        }
        let has = |phrase: &&str| text.contains(&format!(" {phrase} "));
        let found = MARKS.iter().filter(|(_, phrases)| phrases.iter().any(has));
        found.fold(Self::default(), |all, (mark, _)| all.and(*mark))
    }

    /// Returns the union of both sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns `true` if exactly one of the sets has a marker of `of`.
    pub(super) fn differ_in(self, other: Self, of: Self) -> bool {
        (self.0 ^ other.0) & of.0 != 0
    }
}
