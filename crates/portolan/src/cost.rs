//! Costs: integers that order like the square root of two.
//!
//! A [`Cost`] is a `u32`, and [`UNREACHABLE`] (`u32::MAX`) means "no path". On grids of one terrain
//! a straight step costs [`STRAIGHT`] = q = 33461 and a diagonal step [`DIAGONAL`] = p = 47321.
//!
//! # Why integers can be exact here
//!
//! A grid path with `a` straight and `b` diagonal steps has the real length `a + b sqrt 2` and the
//! integer cost `a q + b p`. Take two paths and let A and B be the differences of their step
//! counts. **If |B| < q, the integer difference `A q + B p` has the same sign as the real
//! difference `A + B sqrt 2`, and is zero only when A = B = 0.**
//!
//! Proof. p² - 2 q² = -1, so p/q is below sqrt 2 by e = 1 / (q² (p/q + sqrt 2)) < 1 / (2.8 q²). The
//! case B = 0 is trivial; otherwise swap the paths so that B > 0. The integer difference divided by
//! q is `A + B p/q`, which is less than the real one. So the signs can only disagree when
//! `A + B p/q <= 0 < A + B sqrt 2`, that is, when the fraction -A/B is in [p/q, sqrt 2). It is not
//! p/q itself, because p/q is in lowest terms and its denominator is q > B. So it exceeds p/q by at
//! least 1 / (q B). It is below sqrt 2, hence 1 / (q B) < e < 1 / (2.8 q²) and B > 2.8 q: a
//! contradiction. (`A + B sqrt 2` is never zero, because sqrt 2 is irrational.)
//!
//! The bound is sharp: 33461 diagonals and 47321 straight steps cost the same integer. Paths of up
//! to 128,357 straight or 90,762 diagonal steps fit below [`UNREACHABLE`].
//!
//! # Terrain
//!
//! With terrain factors f and g in 1..=255 a straight step costs `(f + g) x 408` and a diagonal one
//! `(f + g) x 577` (a smaller convergent of sqrt 2, so that long paths over expensive ground fit).
//! Answers are exact in these integers.
//!
//! # Overflow
//!
//! No sum wraps around. A path whose cost would reach `u32::MAX` is reported as
//! [`EndpointError::CostOverflow`](crate::EndpointError::CostOverflow), never as "unreachable".

/// The length of an edge or a path, in integer units of the map.
pub type Cost = u32;

/// The cost that means "no path".
pub const UNREACHABLE: Cost = Cost::MAX;

/// A straight step on a grid of one terrain; also every step on four-connected and hex grids.
pub const STRAIGHT: Cost = 33461;

/// A diagonal step on a grid of one terrain.
pub const DIAGONAL: Cost = 47321;

/// A straight step on a grid with terrain, per unit of the two cells' summed factors.
pub const TERRAIN_STRAIGHT: Cost = 408;

/// A diagonal step on a grid with terrain, per unit of the two cells' summed factors.
pub const TERRAIN_DIAGONAL: Cost = 577;

/// The straight step between two cells of factor one: the unit of length on grids with terrain.
pub const TERRAIN_UNIT: Cost = 2 * TERRAIN_STRAIGHT;

/// The sum of two finite costs; `None` if it is not a finite cost.
#[inline(always)]
pub(crate) fn plus(a: Cost, b: Cost) -> Option<Cost> {
    match a.checked_add(b) {
        Some(UNREACHABLE) | None => None,
        sum => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cmp::Ordering;

    /// The sign of a + b sqrt 2, computed by squaring in 128-bit integers.
    fn real_order(a: i64, b: i64) -> Ordering {
        let (a2, b2) = (i128::from(a) * i128::from(a), 2 * i128::from(b) * i128::from(b));
        match (a.signum(), b.signum()) {
            (0, sign) | (sign, 0) => sign.cmp(&0),
            (1, 1) => Ordering::Greater,
            (-1, -1) => Ordering::Less,
            (1, _) => a2.cmp(&b2),
            _ => b2.cmp(&a2),
        }
    }

    fn integer_order(a: i64, b: i64) -> Ordering {
        (a * i64::from(STRAIGHT) + b * i64::from(DIAGONAL)).cmp(&0)
    }

    #[test]
    fn orders_all_small_step_counts_as_the_real_lengths() {
        for a in -600..=600 {
            for b in -600..=600 {
                assert_eq!(integer_order(a, b), real_order(a, b), "{a} + {b} sqrt 2");
            }
        }
    }

    /// For every number of diagonals below the bound, the hardest cases are the two straight counts
    /// that come closest to balancing it.
    #[test]
    fn orders_the_closest_lengths_up_to_the_bound() {
        for b in 1..i64::from(STRAIGHT) {
            let below = (2 * b * b).isqrt();
            for a in [below, below + 1] {
                assert_eq!(integer_order(-a, b), real_order(-a, b), "{b} sqrt 2 - {a}");
                assert_eq!(integer_order(a, -b), real_order(a, -b), "{a} - {b} sqrt 2");
            }
        }
    }

    #[test]
    fn the_first_disagreement_is_where_the_proof_says() {
        let (straight, diagonal) = (i64::from(DIAGONAL), i64::from(STRAIGHT));
        assert_eq!(integer_order(-straight, diagonal), Ordering::Equal);
        assert_eq!(real_order(-straight, diagonal), Ordering::Greater);
    }

    #[test]
    fn convergents_are_what_the_proof_uses() {
        let gap = |p: Cost, q: Cost| i64::from(p) * i64::from(p) - 2 * i64::from(q) * i64::from(q);
        assert_eq!(gap(DIAGONAL, STRAIGHT), -1);
        assert_eq!(gap(TERRAIN_DIAGONAL, TERRAIN_STRAIGHT), 1);
        assert_eq!(UNREACHABLE / STRAIGHT, 128_357);
        assert_eq!(UNREACHABLE / DIAGONAL, 90_762);
    }

    #[test]
    fn sums_stop_short_of_unreachable() {
        assert_eq!(plus(UNREACHABLE - 2, 1), Some(UNREACHABLE - 1));
        assert_eq!(plus(UNREACHABLE - 1, 1), None);
        assert_eq!(plus(UNREACHABLE - 1, 2), None);
    }
}
