//! Names of books and comics as they are found on disk, and what is read from them.

use ledge_core::registry::naming::{FileName, FolderListing, Group};
use ledge_kind_books::KIND;

fn group(path: &str, names: &[&str]) -> Vec<Group> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let files: Vec<FileName> = names.iter().map(|name| FileName::new(name)).collect();
    (KIND.group)(&FolderListing {
        library: "Library",
        path,
        files: &files,
        folders: &[],
    })
}

/// Path, title, authors, year, series with number.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    Option<i32>,
    &'static str,
);

const BOOKS: &[Row] = &[
    // calibre
    (
        "Frank Herbert/Dune (1234)/Dune - Frank Herbert.epub",
        "Dune",
        "Frank Herbert",
        None,
        "",
    ),
    (
        "Frank Herbert/Dune Messiah (1969)/Dune Messiah - Frank Herbert.epub",
        "Dune Messiah",
        "Frank Herbert",
        None,
        "",
    ),
    (
        "Homer/The Odyssey (7)/The Odyssey - Homer.epub",
        "The Odyssey",
        "Homer",
        None,
        "",
    ),
    (
        "Neil Gaiman & Terry Pratchett/Good Omens_ The Nice Book (3)/Good Omens_ The Nice Book - Neil Gaiman & Terry Pratchett.epub",
        "Good Omens: The Nice Book",
        "Neil Gaiman, Terry Pratchett",
        None,
        "",
    ),
    (
        "Dune/Dune - Frank Herbert.epub",
        "Dune",
        "Frank Herbert",
        None,
        "",
    ),
    (
        "Homer/Homer - The Odyssey.epub",
        "The Odyssey",
        "Homer",
        None,
        "",
    ),
    (
        "Unknown/Manual (9)/Manual - Unknown.epub",
        "Manual",
        "",
        None,
        "",
    ),
    // Author and title
    (
        "Thomas Cole - The Voyage of Life.epub",
        "The Voyage of Life",
        "Thomas Cole",
        None,
        "",
    ),
    (
        "T. S. Eliot - The Waste Land.epub",
        "The Waste Land",
        "T. S. Eliot",
        None,
        "",
    ),
    (
        "The Incomplete Theft - Ralph Burke.epub",
        "The Incomplete Theft",
        "Ralph Burke",
        None,
        "",
    ),
    (
        "Abram's Childrens Literature - Charles Madison Curry.epub",
        "Abram's Childrens Literature",
        "Charles Madison Curry",
        None,
        "",
    ),
    (
        "books/Júlia Yoon/The Burning Valley - Júlia Yoon.epub",
        "The Burning Valley",
        "Júlia Yoon",
        None,
        "",
    ),
    (
        "Olga Silva/Secret Valley - Olga Silva.epub",
        "Secret Valley",
        "Olga Silva",
        None,
        "",
    ),
    (
        "Frances Lachance/Crooked Circus - Frances Lachance.epub",
        "Crooked Circus",
        "Frances Lachance",
        None,
        "",
    ),
    (
        "Herman Melville - Moby Dick (1851).epub",
        "Moby Dick",
        "Herman Melville",
        Some(1851),
        "",
    ),
    (
        "Herbert, Frank - Dune.mobi",
        "Dune",
        "Frank Herbert",
        None,
        "",
    ),
    (
        "Le Guin, Ursula K. - The Dispossessed [1974].epub",
        "The Dispossessed",
        "Ursula K. Le Guin",
        Some(1974),
        "",
    ),
    (
        "J.R.R. Tolkien - The Hobbit.epub",
        "The Hobbit",
        "J.R.R. Tolkien",
        None,
        "",
    ),
    (
        "1984 - George Orwell.epub",
        "1984",
        "George Orwell",
        None,
        "",
    ),
    (
        "George Orwell - 1984.epub",
        "1984",
        "George Orwell",
        None,
        "",
    ),
    (
        "Catch 22 - Joseph Heller.epub",
        "Catch 22",
        "Joseph Heller",
        None,
        "",
    ),
    (
        "Fahrenheit 451 - Ray Bradbury.epub",
        "Fahrenheit 451",
        "Ray Bradbury",
        None,
        "",
    ),
    (
        "Kurt Vonnegut - Slaughterhouse 5.epub",
        "Slaughterhouse 5",
        "Kurt Vonnegut",
        None,
        "",
    ),
    (
        "Лев Толстой - Война и мир.fb2",
        "Война и мир",
        "Лев Толстой",
        None,
        "",
    ),
    (
        "The Martian by Andy Weir.epub",
        "The Martian",
        "Andy Weir",
        None,
        "",
    ),
    (
        "The Martian (Andy Weir) (Z-Library).epub",
        "The Martian",
        "Andy Weir",
        None,
        "",
    ),
    (
        "Martian, The - Andy Weir.epub",
        "The Martian",
        "Andy Weir",
        None,
        "",
    ),
    (
        "Andy_Weir_-_The_Martian_(2014)_(retail)_(epub).epub",
        "The Martian",
        "Andy Weir",
        Some(2014),
        "",
    ),
    (
        "Andy Weir - The Martian (v5.0) [EN].azw3",
        "The Martian",
        "Andy Weir",
        None,
        "",
    ),
    (
        "Sense and Sensibility.epub",
        "Sense and Sensibility",
        "",
        None,
        "",
    ),
    (
        "Dune - The Graphic Novel.pdf",
        "Dune - The Graphic Novel",
        "",
        None,
        "",
    ),
    (
        "2001 - A Space Odyssey.epub",
        "2001 - A Space Odyssey",
        "",
        None,
        "",
    ),
    (
        "Seveneves (and other stories).epub",
        "Seveneves (and other stories)",
        "",
        None,
        "",
    ),
    (
        "Ann Leckie - Ancillary Justice - A Novel.epub",
        "Ancillary Justice - A Novel",
        "Ann Leckie",
        None,
        "",
    ),
    (
        "The.Hobbit.1937.Retail.EPUB.eBook-GRP.epub",
        "The Hobbit",
        "",
        Some(1937),
        "",
    ),
    (
        "The Overstory -- Richard Powers -- New York, Norton, 2018 -- 9780393635522 -- 0f0f -- Anna’s Archive.epub",
        "The Overstory",
        "Richard Powers",
        Some(2018),
        "",
    ),
    // Folders
    (
        "books/Greta Adeyemi/The Hungry House.epub",
        "The Hungry House",
        "Greta Adeyemi",
        None,
        "",
    ),
    (
        "books/Renée Rask/Strange Storm (1816).epub",
        "Strange Storm",
        "Renée Rask",
        Some(1816),
        "",
    ),
    (
        "books/Esra Rask & Amara Barlow/The Silver Night.epub",
        "The Silver Night",
        "Esra Rask, Amara Barlow",
        None,
        "",
    ),
    (
        "Isaac Asimov/1951 - Foundation/Foundation.epub",
        "Foundation",
        "Isaac Asimov",
        Some(1951),
        "",
    ),
    (
        "Isaac Asimov/1951 - Foundation.epub",
        "Foundation",
        "Isaac Asimov",
        Some(1951),
        "",
    ),
    (
        "Ursula K. Le Guin/The Dispossessed (1974)/The Dispossessed.epub",
        "The Dispossessed",
        "Ursula K. Le Guin",
        Some(1974),
        "",
    ),
    ("Science Fiction/Solaris.epub", "Solaris", "", None, ""),
    // Series
    (
        "books/Júlia Yoon/The Velvet House Cycle/01 - Second Giant.pdf",
        "Second Giant",
        "Júlia Yoon",
        None,
        "The Velvet House Cycle 1",
    ),
    (
        "books/Kwame Asante/The Ancient Tower Cycle/09 - Secret Coast - Volume Two.epub",
        "Secret Coast - Volume Two",
        "Kwame Asante",
        None,
        "The Ancient Tower Cycle 9",
    ),
    (
        "L. Frank Baum/Oz/02 - The Marvelous Land of Oz.epub",
        "The Marvelous Land of Oz",
        "L. Frank Baum",
        None,
        "Oz 2",
    ),
    (
        "Mistborn #1 - The Final Empire.epub",
        "The Final Empire",
        "",
        None,
        "Mistborn 1",
    ),
    (
        "Mistborn 01 - The Final Empire.epub",
        "The Final Empire",
        "",
        None,
        "Mistborn 1",
    ),
    (
        "Harry Potter - 01 - The Stone.epub",
        "The Stone",
        "",
        None,
        "Harry Potter 1",
    ),
    (
        "Brandon Sanderson - [Mistborn 01] - The Final Empire.epub",
        "The Final Empire",
        "Brandon Sanderson",
        None,
        "Mistborn 1",
    ),
    (
        "Brandon Sanderson - Mistborn 01 - The Final Empire (2006).epub",
        "The Final Empire",
        "Brandon Sanderson",
        Some(2006),
        "Mistborn 1",
    ),
    (
        "Brandon Sanderson - Mistborn - 01 - The Final Empire.epub",
        "The Final Empire",
        "Brandon Sanderson",
        None,
        "Mistborn 1",
    ),
    (
        "The Final Empire (Mistborn, #1) - Brandon Sanderson.epub",
        "The Final Empire",
        "Brandon Sanderson",
        None,
        "Mistborn 1",
    ),
    (
        "The Final Empire (Mistborn Book 1).epub",
        "The Final Empire",
        "",
        None,
        "Mistborn 1",
    ),
    (
        "[Discworld 08] Terry Pratchett - Guards! Guards!.epub",
        "Guards! Guards!",
        "Terry Pratchett",
        None,
        "Discworld 8",
    ),
    (
        "Terry Pratchett/Discworld/Discworld 01 - The Colour of Magic.epub",
        "The Colour of Magic",
        "Terry Pratchett",
        None,
        "Discworld 1",
    ),
    (
        "Some Author/Side Stories Cycle/1.5 - Between.epub",
        "Between",
        "Some Author",
        None,
        "Side Stories Cycle 1.5",
    ),
    ("Overlord v03.epub", "Overlord v03", "", None, "Overlord 3"),
    (
        "Light Novels/Overlord/Vol. 3.epub",
        "Overlord Vol. 3",
        "",
        None,
        "Overlord 3",
    ),
    // Nasty ones
    ("two\n\nlines\n.epub", "two lines", "", None, ""),
    ("-.epub", "-", "", None, ""),
    ("--help.epub", "help", "", None, ""),
    ("(1999).epub", "(1999)", "", Some(1999), ""),
    (
        "$(touch pwned) ; rm -rf * & | > x.epub",
        "$(touch pwned) ; rm -rf * & | > x",
        "",
        None,
        "",
    ),
    ("9780306406157.epub", "9780306406157", "", None, ""),
    (
        "<img src=x onerror=alert(1)>.epub",
        "<img src=x onerror=alert(1)>",
        "",
        None,
        "",
    ),
];

const COMICS: &[Row] = &[
    (
        "Batman 001 (2011) (Digital) (Zone-Empire).cbz",
        "Batman #1",
        "",
        Some(2011),
        "Batman 1",
    ),
    (
        "Batman #012 (of 50) (2012).cbr",
        "Batman #12",
        "",
        Some(2012),
        "Batman 12",
    ),
    (
        "Batman v2 012 - The Court of Owls.cbz",
        "Batman Vol. 2 #12 - The Court of Owls",
        "",
        None,
        "Batman 12",
    ),
    (
        "Batman (2016) 050.cbz",
        "Batman #50",
        "",
        Some(2016),
        "Batman 50",
    ),
    ("Batman v2016 #001.cbz", "Batman #1", "", None, "Batman 1"),
    (
        "Batman Annual 2 (2013).cbz",
        "Batman Annual #2",
        "",
        Some(2013),
        "Batman Annual 2",
    ),
    (
        "Amazing Spider-Man 129.1 (March 1974).cbz",
        "Amazing Spider-Man #129.1",
        "",
        Some(1974),
        "Amazing Spider-Man 129.1",
    ),
    (
        "Saga v01 (2012) (digital) (Minutemen-Faessla).cbz",
        "Saga Vol. 1",
        "",
        Some(2012),
        "Saga 1",
    ),
    (
        "One Piece v001 c001-008.cbz",
        "One Piece Vol. 1 Ch. 1-8",
        "",
        None,
        "One Piece 1",
    ),
    (
        "manga/One Piece/Vol. 3.cbz",
        "One Piece Vol. 3",
        "",
        None,
        "One Piece 3",
    ),
    (
        "manga/Berserk/Ch. 12.cbz",
        "Berserk Ch. 12",
        "",
        None,
        "Berserk 12",
    ),
    (
        "manga/Berserk (1989)/003.cbz",
        "Berserk #3",
        "",
        None,
        "Berserk 3",
    ),
    (
        "One Piece/Volume 02/Chapter 009.cbz",
        "One Piece Vol. 2 Ch. 9",
        "",
        None,
        "One Piece 9",
    ),
    (
        "Test Patrol (2019)/Test Patrol 001 (2019) (Digital).cbz",
        "Test Patrol #1",
        "",
        Some(2019),
        "Test Patrol 1",
    ),
    (
        "100 Bullets 001.cbz",
        "100 Bullets #1",
        "",
        None,
        "100 Bullets 1",
    ),
    ("52 001 (2006).cbz", "52 #1", "", Some(2006), "52 1"),
    (
        "2000 AD 1234 (2001).cbz",
        "2000 AD #1234",
        "",
        Some(2001),
        "2000 AD 1234",
    ),
    ("Blade Runner 2049.cbz", "Blade Runner 2049", "", None, ""),
    ("Watchmen (1987).cbz", "Watchmen", "", Some(1987), ""),
    (
        "Asterix T01 - Asterix le Gaulois.cbz",
        "Asterix Vol. 1 - Asterix le Gaulois",
        "",
        None,
        "Asterix 1",
    ),
    (
        "[Group] Yotsuba&! v05 [EN].cbz",
        "Yotsuba&! Vol. 5",
        "",
        None,
        "Yotsuba&! 5",
    ),
    (
        "Sandman, The 008.cbz",
        "The Sandman #8",
        "",
        None,
        "The Sandman 8",
    ),
    (
        "Neko_Test_v01.cbz",
        "Neko Test Vol. 1",
        "",
        None,
        "Neko Test 1",
    ),
    ("Seven Up 01.cb7", "Seven Up #1", "", None, "Seven Up 1"),
    ("#1.cbz", "#1", "", None, ""),
];

#[test]
fn names_tell_title_authors_year_and_series() {
    let mut wrong = Vec::new();
    for (path, title, authors, year, series) in BOOKS.iter().chain(COMICS) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let groups = group(folder, &[name]);
        let names = &groups[0].names;
        let credits: Vec<&str> = names
            .credits
            .iter()
            .map(|credit| credit.name.as_str())
            .collect();
        let in_series = names.series.as_ref().map_or_else(String::new, |series| {
            let index = series
                .index
                .map_or_else(String::new, |index| format!(" {index}"));
            format!("{}{index}", series.name)
        });
        let found = (
            names.title.as_str(),
            credits.join(", "),
            names.year,
            in_series,
        );
        let expected = (*title, (*authors).to_owned(), *year, (*series).to_owned());
        if found != expected {
            wrong.push(format!(
                "{path}\n  found    {found:?}\n  expected {expected:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formats_of_one_name_are_one_book() {
    let groups = group(
        "Ann Lee",
        &[
            "Dune.epub",
            "Dune.kepub.epub",
            "Dune.mobi",
            "Dune.pdf",
            "dune.epub",
        ],
    );
    let sizes: Vec<usize> = groups.iter().map(|group| group.members.len()).collect();
    assert_eq!(sizes, [4, 1]);
    assert_eq!(groups[0].key, "Ann Lee/Dune");
    assert!(
        groups[0]
            .members
            .iter()
            .all(|member| member.sequence.is_none())
    );
}

#[test]
fn facts_hold_isbn_language_and_numbers() {
    let facts = |name: &str| group("", &[name]).remove(0).names.facts;
    assert_eq!(
        facts("Dune [German] 978-0-306-40615-7.epub")["isbn"],
        "9780306406157"
    );
    assert_eq!(facts("Dune [German].epub")["language"], "de");
    let comic = facts("One Piece v001 c001-008 (of 9).cbz");
    assert_eq!(
        (&comic["volume"], &comic["chapter"]),
        (&"1".into(), &"1-8".into())
    );
    assert_eq!(comic["issue_count"], "9");
    assert_eq!(facts("Batman 001.cbz")["issue"], "1");
}

#[test]
fn a_search_title_has_no_brackets() {
    assert_eq!(
        (KIND.search_title)("Seveneves (and other stories)"),
        "Seveneves"
    );
    assert_eq!((KIND.search_title)("(1999)"), "(1999)");
}
