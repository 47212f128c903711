//! Pairs of two different works.

use super::{AUSTEN, HERBERT, KING, KISHIMOTO, TOLKIEN, Work, work};

/// Different works that look alike.
pub(super) const OTHER: &[(Work, Work)] = &[
    // One title, two authors.
    (
        work("The Gift").by(&["Vladimir Nabokov"]),
        work("The Gift").by(&["Danielle Steel"]),
    ),
    (
        work("Twilight").by(&["Stephenie Meyer"]),
        work("Twilight").by(&["Elie Wiesel"]),
    ),
    (
        work("Dune").by(HERBERT),
        work("Dune").by(&["Brian Herbert"]),
    ),
    (
        work("The Outsider").by(KING),
        work("The Outsider").by(&["Albert Camus"]),
    ),
    (
        work("Cloud Atlas").by(&["David Mitchell"]),
        work("Cloud Atlas").by(&["Liam Callanan"]),
    ),
    (
        work("Inferno"),
        work("Inferno").by(&["Dan Brown"]).in_year(2013),
    ),
    // Numbers of sequels and volumes.
    (
        work("Naruto, Vol. 3").by(KISHIMOTO),
        work("Naruto, Vol. 5").by(KISHIMOTO),
    ),
    (
        work("Naruto v03").by(KISHIMOTO),
        work("Naruto").by(KISHIMOTO),
    ),
    (
        work("Naruto").by(KISHIMOTO).of("Naruto", 3.0),
        work("Naruto").by(KISHIMOTO),
    ),
    (
        work("Naruto").by(KISHIMOTO).of("Naruto", 3.0),
        work("Naruto, Vol. 13").by(KISHIMOTO),
    ),
    (
        work("Saga #1").by(&["Brian K. Vaughan"]),
        work("Saga, Vol. 1").by(&["Brian K. Vaughan"]),
    ),
    (
        work("Saga #001").by(&["Brian K. Vaughan"]),
        work("Saga").by(&["Brian K. Vaughan"]),
    ),
    (
        work("Henry IV, Part 1").by(&["William Shakespeare"]),
        work("Henry IV, Part 2").by(&["William Shakespeare"]),
    ),
    (
        work("Henry V").by(&["William Shakespeare"]),
        work("Henry VI").by(&["William Shakespeare"]),
    ),
    (
        work("三体").by(&["刘慈欣"]),
        work("三体Ⅱ：黑暗森林").by(&["刘慈欣"]),
    ),
    (
        work("ワンピース 第1巻").by(&["尾田栄一郎"]),
        work("ワンピース 第2巻").by(&["尾田栄一郎"]),
    ),
    (
        work("The Art of Computer Programming, Volume 1").by(&["Donald Knuth"]),
        work("The Art of Computer Programming, Volume 2").by(&["Donald Knuth"]),
    ),
    (
        work("2001: A Space Odyssey").by(&["Arthur C. Clarke"]),
        work("2010: Odyssey Two").by(&["Arthur C. Clarke"]),
    ),
    // Other books of the series.
    (work("Dune").by(HERBERT), work("Dune Messiah").by(HERBERT)),
    (
        work("Dune").by(HERBERT),
        work("Children of Dune").by(HERBERT),
    ),
    (
        work("Foundation").by(&["Isaac Asimov"]),
        work("Foundation and Empire").by(&["Isaac Asimov"]),
    ),
    (
        work("Mistborn").by(&["Brandon Sanderson"]),
        work("Mistborn: Secret History")
            .by(&["Brandon Sanderson"])
            .of("Mistborn", 3.5),
    ),
    (
        work("Star Wars: Thrawn").by(&["Timothy Zahn"]),
        work("Star Wars: Heir to the Empire").by(&["Timothy Zahn"]),
    ),
    (
        work("The Sandman: Preludes and Nocturnes").by(&["Neil Gaiman"]),
        work("The Sandman: The Doll's House").by(&["Neil Gaiman"]),
    ),
    (
        work("A Game of Thrones").by(&["George R. R. Martin"]),
        work("A Clash of Kings").by(&["George R. R. Martin"]),
    ),
    // Bundles.
    (
        work("The Fellowship of the Ring").by(TOLKIEN),
        work("The Lord of the Rings").by(TOLKIEN),
    ),
    (
        work("A Game of Thrones").by(&["George R. R. Martin"]),
        work("A Game of Thrones 4-Book Boxed Set").by(&["George R. R. Martin"]),
    ),
    (
        work("A Game of Thrones")
            .by(&["George R. R. Martin"])
            .isbn(&["9780345529053"]),
        work("George R. R. Martin's A Game of Thrones 4-Book Boxed Set")
            .by(&["George R. R. Martin"])
            .isbn(&["9780345529053"]),
    ),
    (work("Emma").by(AUSTEN), work("Emma; Persuasion").by(AUSTEN)),
    (
        work("Emma").by(AUSTEN),
        work("Emma / Persuasion").by(AUSTEN),
    ),
    (
        work("Hyperion").by(&["Dan Simmons"]),
        work("Hyperion: Omnibus").by(&["Dan Simmons"]),
    ),
    (
        work("Foundation").by(&["Isaac Asimov"]),
        work("The Foundation Trilogy").by(&["Isaac Asimov"]),
    ),
    (
        work("The Hitchhiker's Guide to the Galaxy").by(&["Douglas Adams"]),
        work("The Ultimate Hitchhiker's Guide to the Galaxy").by(&["Douglas Adams"]),
    ),
    (
        work("Mistborn: The Final Empire").by(&["Brandon Sanderson"]),
        work("Mistborn")
            .sub("The Complete Trilogy Box Set")
            .by(&["Brandon Sanderson"]),
    ),
    // Products about the book.
    (
        work("Pride and Prejudice").by(AUSTEN),
        work("CliffsNotes on Austen's Pride and Prejudice").by(&["Marie Kalil", "Jane Austen"]),
    ),
    (
        work("Sapiens").by(&["Yuval Noah Harari"]),
        work("Summary: Sapiens").by(&["Yuval Noah Harari"]),
    ),
    (
        work("Sapiens").by(&["Yuval Noah Harari"]),
        work("Sapiens")
            .sub("Summary and Analysis")
            .by(&["Yuval Noah Harari", "Instaread"]),
    ),
    (
        work("Night").by(&["Elie Wiesel"]),
        work("Night: A Study Guide").by(&["Elie Wiesel"]),
    ),
    (
        work("Dune").by(HERBERT),
        work("The Dune Encyclopedia").by(&["Willis E. McNelly", "Frank Herbert"]),
    ),
    (
        work("The Silmarillion").by(TOLKIEN),
        work("The Silmarillion: A Companion").by(TOLKIEN),
    ),
    (
        work("Becoming").by(&["Michelle Obama"]),
        work("Becoming: A Guided Journal").by(&["Michelle Obama"]),
    ),
    // Derived products.
    (
        work("Dune").by(HERBERT),
        work("Dune: The Graphic Novel, Book 1").by(HERBERT),
    ),
    (
        work("The Hobbit").by(TOLKIEN),
        work("The Hobbit (Graphic Novel)").by(TOLKIEN),
    ),
    (
        work("Oliver Twist").by(&["Charles Dickens"]),
        work("Oliver Twist (Abridged)").by(&["Charles Dickens"]),
    ),
    (
        work("Oliver Twist").by(&["Charles Dickens"]),
        work("Oliver Twist: Penguin Readers Level 4").by(&["Charles Dickens"]),
    ),
    (
        work("The Da Vinci Code").by(&["Dan Brown"]),
        work("The Da Vinci Code (Adapted for Young Adults)").by(&["Dan Brown"]),
    ),
    (
        work("Good Omens").by(&["Terry Pratchett"]),
        work("Good Omens: The Script Book")
            .sub("The Script")
            .by(&["Neil Gaiman", "Terry Pratchett"]),
    ),
    (
        work("Project Hail Mary").by(&["Andy Weir"]),
        work("Project Hail Mary: Free Sampler").by(&["Andy Weir"]),
    ),
    // Similar words.
    (work("The Stand").by(KING), work("The Sand").by(KING)),
    (
        work("The Witches").by(&["Roald Dahl"]),
        work("The Witch").by(&["Roald Dahl"]),
    ),
    (work("Carrie").by(KING), work("Carrier").by(KING)),
    // ISBN of another book.
    (
        work("The Stand").by(KING).isbn(&["0306406152"]),
        work("Cooking for Two")
            .by(&["Somebody Else"])
            .isbn(&["9780306406157"]),
    ),
    // Games.
    (
        work("Streets of Rage").on(&["megadrive"]),
        work("Streets of Rage 2").on(&["megadrive"]),
    ),
    (
        work("Final Fantasy II").on(&["snes"]),
        work("Final Fantasy III").on(&["snes"]),
    ),
    (
        work("Mega Man 10").on(&["snes"]),
        work("Mega Man X").on(&["snes"]),
    ),
    (
        work("Sonic the Hedgehog 2").on(&["gamegear"]),
        work("Sonic the Hedgehog 2").on(&["megadrive"]),
    ),
    (
        work("Castlevania").on(&["psx"]),
        work("Castlevania: Symphony of the Night").on(&["psx"]),
    ),
    (
        work("Metroid").on(&["nes"]),
        work("Metroid: Zero Mission").on(&["gba"]),
    ),
    (
        work("Legend of Zelda, The - Link's Awakening").on(&["gbc"]),
        work("The Legend of Zelda: Link's Awakening DX").on(&["gbc"]),
    ),
    (work("Doom").on(&["snes"]), work("Doom (2016)").on(&["ps4"])),
    (
        work("Super Mario Bros.").on(&["nes"]),
        work("Super Mario Bros. / Duck Hunt").on(&["nes"]),
    ),
    (
        work("Pokemon - Red Version").on(&["gb"]),
        work("Pokémon Blue Version").on(&["gb"]),
    ),
    (work("Shinobi").on(&["psx"]), work("Shinobi").on(&["ps2"])),
    (
        work("Tomb Raider").on(&["psx"]),
        work("Tomb Raider: Original Soundtrack").on(&["psx"]),
    ),
    (
        work("Contra").on(&["nes"]),
        work("Super C").on(&["nes"]).also(&["Super Contra"]),
    ),
];
