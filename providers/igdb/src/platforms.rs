//! Mapping between Ledge's platform identifiers and IGDB's platform numbers.

/// IGDB has several numbers for some platforms, one per regional name.
const PLATFORMS: &[(&str, &[i64])] = &[
    ("nes", &[18, 99]),
    ("fds", &[51]),
    ("snes", &[19, 58]),
    ("n64", &[4]),
    ("gb", &[33]),
    ("gbc", &[22]),
    ("gba", &[24]),
    ("nds", &[20]),
    ("virtualboy", &[87]),
    ("megadrive", &[29]),
    ("sega32x", &[30]),
    ("mastersystem", &[64]),
    ("gamegear", &[35]),
    ("sg1000", &[84]),
    ("pcengine", &[86]),
    ("supergrafx", &[128]),
    ("ngp", &[119]),
    ("ngpc", &[120]),
    ("wonderswan", &[57]),
    ("wonderswancolor", &[123]),
    ("atari2600", &[59]),
    ("atari5200", &[66]),
    ("atari7800", &[60]),
    ("lynx", &[61]),
    ("jaguar", &[62]),
    ("colecovision", &[68]),
    ("intellivision", &[67]),
    ("psx", &[7]),
    ("segacd", &[78]),
    ("pcenginecd", &[150]),
    ("saturn", &[32]),
    ("dreamcast", &[23]),
    ("ps2", &[8]),
    ("psp", &[38]),
    ("3do", &[50]),
    ("neogeocd", &[136]),
];

/// Returns IGDB's numbers of a platform; empty if IGDB has no number of its own for it.
pub(crate) fn numbers(platform: &str) -> &'static [i64] {
    let found = PLATFORMS.iter().find(|(id, _)| *id == platform);
    found.map_or(&[], |(_, numbers)| numbers)
}

/// Returns the platform of an IGDB number.
pub(crate) fn by_number(number: i64) -> Option<&'static str> {
    let found = PLATFORMS
        .iter()
        .find(|(_, numbers)| numbers.contains(&number));
    found.map(|(id, _)| *id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platform_numbers_map_to_exactly_one_platform() {
        let mut seen = Vec::new();
        for (id, numbers) in PLATFORMS {
            for number in *numbers {
                assert_eq!(by_number(*number), Some(*id));
                assert!(!seen.contains(number), "{number} is listed twice");
                seen.push(*number);
            }
        }
        assert!(numbers("amiga").is_empty());
        assert_eq!(by_number(6), None);
    }
}
