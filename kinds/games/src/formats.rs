//! File formats of games.

pub mod platforms;
pub(crate) mod subkind;

use ledge_core::registry::{Format, Unit};

use Unit::Second;

/// Viewer of formats that a browser core may run.
const GAME: &str = "game";

/// Extensions of ROMs, discs and archives of them. Media types are the registered ones if there are
/// any, otherwise those of freedesktop.org's shared MIME-info database.
pub const FORMATS: &[Format] = &[
    // Nintendo
    Format::new("nes", "application/x-nes-rom", GAME, Second),
    Format::new("unf", "application/x-nes-rom", GAME, Second),
    Format::new("unif", "application/x-nes-rom", GAME, Second),
    Format::new("fds", "application/x-fds-disk", GAME, Second),
    Format::new("sfc", "application/vnd.nintendo.snes.rom", GAME, Second),
    Format::new("smc", "application/vnd.nintendo.snes.rom", GAME, Second),
    Format::untyped("fig", GAME, Second),
    Format::untyped("swc", GAME, Second),
    Format::new("gb", "application/x-gameboy-rom", GAME, Second),
    Format::new("gbc", "application/x-gameboy-color-rom", GAME, Second),
    Format::new("gba", "application/x-gba-rom", GAME, Second),
    Format::new("n64", "application/x-n64-rom", GAME, Second),
    Format::new("z64", "application/x-n64-rom", GAME, Second),
    Format::new("v64", "application/x-n64-rom", GAME, Second),
    Format::new("nds", "application/x-nintendo-ds-rom", GAME, Second),
    Format::new("vb", "application/x-virtual-boy-rom", GAME, Second),
    Format::new("vboy", "application/x-virtual-boy-rom", GAME, Second),
    // Sega
    Format::new("md", "application/x-genesis-rom", GAME, Second),
    Format::new("gen", "application/x-genesis-rom", GAME, Second),
    Format::new("smd", "application/x-genesis-rom", GAME, Second),
    Format::new("32x", "application/x-genesis-32x-rom", GAME, Second),
    Format::new("sms", "application/x-sms-rom", GAME, Second),
    Format::new("gg", "application/x-gamegear-rom", GAME, Second),
    Format::new("sg", "application/x-sg1000-rom", GAME, Second),
    // NEC, SNK, Bandai
    Format::new("pce", "application/x-pc-engine-rom", GAME, Second),
    Format::new("sgx", "application/x-pc-engine-rom", GAME, Second),
    Format::new("ngp", "application/x-neo-geo-pocket-rom", GAME, Second),
    Format::new(
        "ngc",
        "application/x-neo-geo-pocket-color-rom",
        GAME,
        Second,
    ),
    Format::new("ws", "application/x-wonderswan-rom", GAME, Second),
    Format::new("wsc", "application/x-wonderswan-color-rom", GAME, Second),
    // Atari, Coleco, Mattel
    Format::new("a26", "application/x-atari-2600-rom", GAME, Second),
    Format::untyped("a52", GAME, Second),
    Format::new("a78", "application/x-atari-7800-rom", GAME, Second),
    Format::new("lnx", "application/x-atari-lynx-rom", GAME, Second),
    Format::untyped("j64", GAME, Second),
    Format::untyped("jag", GAME, Second),
    Format::untyped("col", GAME, Second),
    // Without a browser core, the format is offered as a download.
    Format::untyped("int", "download", Second),
    // Discs
    Format::new("cue", "application/x-cue", GAME, Second),
    Format::untyped("bin", GAME, Second),
    Format::new("iso", "application/vnd.efi.iso", GAME, Second),
    Format::new("chd", "application/x-mame-chd", GAME, Second),
    // No browser core runs this console, so the format is a download as well.
    Format::untyped("gdi", "download", Second),
    Format::untyped("pbp", GAME, Second),
    Format::untyped("ecm", GAME, Second),
    Format::new("m3u", "audio/x-mpegurl", GAME, Second),
    // Archives
    Format::new("zip", "application/zip", GAME, Second),
    Format::new("7z", "application/x-7z-compressed", GAME, Second),
];

/// Extensions of saves, patches and data in a game's folder.
pub const SIDECARS: &[&str] = &[
    "sav", "srm", "state", "rtc", "eep", "fla", "mcr", "mcd", "cht", "ips", "bps", "ups", "xdelta",
    "sbi", "sub", "ccd", "mds", "toc",
];

/// Names of pictures in a game's folder, the preferred first: box art before screenshots, with the
/// names that collections and scrapers use.
pub const COVERS: &[&str] = &[
    "cover",
    "boxart",
    "boxfront",
    "box2dfront",
    "box",
    "front",
    "folder",
    "image",
    "thumb",
    "screenshot",
    "title",
];
