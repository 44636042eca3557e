//! The colours of pictures.
//!
//! Path, start and goal are vermilion, green and purple-blue of the palette by Okabe and Ito, which
//! people tell apart with any kind of colour vision; what was searched is a light blue on a warm
//! ground, so it differs in hue and in lightness, and what a second search needed of it is a darker
//! blue. Landmarks are their yellow.

/// The number of shades from cheap to expensive ground.
pub(super) const SHADES: u8 = 8;

/// What something is painted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Ink {
    /// Where there is nothing.
    Paper,
    Blocked,
    Path,
    Start,
    Goal,
    /// Separates the path and the marks from what is below them.
    Halo,
    Road,
    /// Passable ground, from 0 for cheap to `SHADES - 1` for expensive.
    Ground(u8),
    /// The same, searched.
    Searched(u8),
    /// The same, searched by the second search too.
    Inner(u8),
    Landmark,
}

impl Ink {
    /// Every ink, in the order of their numbers.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use Ink::{
            Blocked, Goal, Ground, Halo, Inner, Landmark, Paper, Path, Road, Searched, Start,
        };
        let shades = 0..SHADES;
        let shaded = shades.clone().map(Ground).chain(shades.clone().map(Searched));
        let shaded = shaded.chain(shades.map(Inner)).chain([Landmark]);
        [Paper, Blocked, Path, Start, Goal, Halo, Road].into_iter().chain(shaded)
    }

    /// Its place in [`all`](Self::all).
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Paper => 0,
            Self::Blocked => 1,
            Self::Path => 2,
            Self::Start => 3,
            Self::Goal => 4,
            Self::Halo => 5,
            Self::Road => 6,
            Self::Ground(shade) => 7 + shade.min(SHADES - 1),
            Self::Searched(shade) => 7 + SHADES + shade.min(SHADES - 1),
            Self::Inner(shade) => 7 + 2 * SHADES + shade.min(SHADES - 1),
            Self::Landmark => 7 + 3 * SHADES,
        }
    }

    /// Red, green and blue.
    pub(super) fn colour(self) -> [u8; 3] {
        match self {
            Self::Paper => [0xff, 0xff, 0xff],
            Self::Blocked => [0x2b, 0x36, 0x45],
            Self::Path => [0xd5, 0x5e, 0x00],
            Self::Start => [0x00, 0x9e, 0x73],
            Self::Goal => [0x7a, 0x3e, 0x9d],
            Self::Halo => [0xff, 0xff, 0xff],
            Self::Road => [0x8a, 0x93, 0x9e],
            Self::Ground(shade) => between([0xf9, 0xf7, 0xf1], [0xb9, 0x9c, 0x6b], shade),
            Self::Searched(shade) => between([0xb5, 0xdb, 0xf3], [0x4f, 0x83, 0xa8], shade),
            Self::Inner(shade) => between([0x3f, 0x7f, 0xbf], [0x1d, 0x4e, 0x80], shade),
            Self::Landmark => [0xf0, 0xe4, 0x42],
        }
    }

    /// As SVG writes it.
    pub(super) fn hex(self) -> String {
        let [red, green, blue] = self.colour();
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A colour that is partly one and partly the other; `part` of `parts` is the other.
pub(super) fn mix(one: [u8; 3], other: [u8; 3], part: u32, parts: u32) -> [u8; 3] {
    std::array::from_fn(|channel| {
        let (a, b) = (u32::from(one[channel]), u32::from(other[channel]));
        ((a * (parts - part) + b * part + parts / 2) / parts) as u8
    })
}

fn between(cheap: [u8; 3], dear: [u8; 3], shade: u8) -> [u8; 3] {
    mix(cheap, dear, u32::from(shade.min(SHADES - 1)), u32::from(SHADES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_list() {
        for (place, ink) in Ink::all().enumerate() {
            assert_eq!(usize::from(ink.number()), place);
        }
    }

    #[test]
    fn mixing_goes_from_one_to_the_other() {
        assert_eq!(mix([0, 10, 255], [100, 20, 0], 0, 4), [0, 10, 255]);
        assert_eq!(mix([0, 10, 255], [100, 20, 0], 4, 4), [100, 20, 0]);
        assert_eq!(mix([0, 0, 0], [100, 20, 8], 2, 4), [50, 10, 4]);
    }
}
