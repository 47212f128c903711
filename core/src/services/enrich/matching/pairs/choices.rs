//! Queries with several candidates.

use super::{HERBERT, KISHIMOTO, Work, work};

/// Query, its candidates, and the index of the right candidate.
pub(super) const CHOICES: &[(Work, &[Work], Option<usize>)] = &[
    // Two authors, and the query has no author: no match.
    (
        work("The Gift").in_year(1990),
        &[
            work("The Gift").by(&["Vladimir Nabokov"]).in_year(1990),
            work("The Gift").by(&["Danielle Steel"]).in_year(1991),
        ],
        None,
    ),
    // Records of one work: the provider's first one.
    (
        work("Dune").by(HERBERT),
        &[
            work("Dune").by(HERBERT),
            work("Dune (Penguin Classics)").by(&["Herbert, Frank"]),
        ],
        Some(0),
    ),
    // The exact title precedes longer titles.
    (
        work("Dune").by(HERBERT),
        &[
            work("Dune: The Graphic Novel").by(HERBERT),
            work("Dune Messiah").by(HERBERT),
            work("Dune").by(HERBERT),
        ],
        Some(2),
    ),
    // Two books begin with the wanted title.
    (
        work("Mistborn").by(&["Brandon Sanderson"]),
        &[
            work("Mistborn: The Final Empire").by(&["Brandon Sanderson"]),
            work("Mistborn: Secret History").by(&["Brandon Sanderson"]),
        ],
        None,
    ),
    // One initial fits two people.
    (
        work("Collected Essays on Everything").by(&["J. Smith"]),
        &[
            work("Collected Essays on Everything").by(&["John Smith"]),
            work("Collected Essays on Everything").by(&["Jane Smith"]),
        ],
        None,
    ),
    // Two games with one title on one platform: only the year can decide.
    (
        work("Shinobi").on(&["megadrive"]).in_year(1994),
        &[
            work("Shinobi").on(&["megadrive"]).in_year(1987),
            work("Shinobi").on(&["megadrive"]).in_year(1994),
        ],
        Some(1),
    ),
    (
        work("Shinobi").on(&["megadrive"]),
        &[
            work("Shinobi").on(&["megadrive"]).in_year(1987),
            work("Shinobi").on(&["megadrive"]).in_year(1994),
        ],
        None,
    ),
    (
        work("Naruto v03").by(KISHIMOTO),
        &[
            work("Naruto").by(KISHIMOTO),
            work("Naruto, Vol. 1").by(KISHIMOTO),
            work("Naruto, Vol. 3").by(KISHIMOTO),
            work("Naruto (3-in-1 Edition), Vol. 3").by(KISHIMOTO),
        ],
        Some(2),
    ),
    // The ISBN precedes an equal title.
    (
        work("The Gift")
            .by(&["Vladimir Nabokov"])
            .in_year(1990)
            .isbn(&["0306406152"]),
        &[
            work("The Gift").by(&["Vladimir Nabokov"]).in_year(1990),
            work("Dar")
                .by(&["Vladimir Nabokov"])
                .isbn(&["9780306406157"]),
        ],
        Some(1),
    ),
    // The ISBN decides between two works.
    (
        work("The Gift").isbn(&["0306406152"]),
        &[
            work("The Gift")
                .by(&["Vladimir Nabokov"])
                .isbn(&["9780679727255"]),
            work("The Gift")
                .by(&["Danielle Steel"])
                .isbn(&["9780306406157"]),
        ],
        Some(1),
    ),
    // Publishers reuse ISBNs: the title decides among records with the same one.
    (
        work("The Final Empire")
            .by(&["Brandon Sanderson"])
            .isbn(&["0306406152"]),
        &[
            work("Elantris")
                .by(&["Brandon Sanderson"])
                .isbn(&["9780306406157"]),
            work("The Final Empire")
                .by(&["Brandon Sanderson"])
                .isbn(&["9780306406157"]),
        ],
        Some(1),
    ),
    // The title without a number precedes that of the first volume.
    (
        work("Saga").by(&["Brian K. Vaughan"]).of("Saga", 1.0),
        &[
            work("Saga, Vol. 1").by(&["Brian K. Vaughan"]),
            work("Saga").by(&["Brian K. Vaughan"]),
        ],
        Some(1),
    ),
];
