//! Questions for which several works are offered.

use super::{HERBERT, KISHIMOTO, Work, work};

/// A question, what is offered for it, and which of it is right.
pub(super) const CHOICES: &[(Work, &[Work], Option<usize>)] = &[
    // Two authors, nobody asked for by name: no guess.
    (
        work("The Gift").in_year(1990),
        &[
            work("The Gift").by(&["Vladimir Nabokov"]).in_year(1990),
            work("The Gift").by(&["Danielle Steel"]).in_year(1991),
        ],
        None,
    ),
    // Records of one work: the provider's first.
    (
        work("Dune").by(HERBERT),
        &[
            work("Dune").by(HERBERT),
            work("Dune (Penguin Classics)").by(&["Herbert, Frank"]),
        ],
        Some(0),
    ),
    // The exact title stands before the longer ones.
    (
        work("Dune").by(HERBERT),
        &[
            work("Dune: The Graphic Novel").by(HERBERT),
            work("Dune Messiah").by(HERBERT),
            work("Dune").by(HERBERT),
        ],
        Some(2),
    ),
    // Two books that begin with the title asked for.
    (
        work("Mistborn").by(&["Brandon Sanderson"]),
        &[
            work("Mistborn: The Final Empire").by(&["Brandon Sanderson"]),
            work("Mistborn: Secret History").by(&["Brandon Sanderson"]),
        ],
        None,
    ),
    // One initial, two people.
    (
        work("Collected Essays on Everything").by(&["J. Smith"]),
        &[
            work("Collected Essays on Everything").by(&["John Smith"]),
            work("Collected Essays on Everything").by(&["Jane Smith"]),
        ],
        None,
    ),
    // Two games of one title on one platform: the year decides, or nothing does.
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
    // The ISBN stands before a title that is written alike.
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
    // The ISBN says which of the two it is.
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
];
