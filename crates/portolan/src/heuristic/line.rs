//! A multiple of the straight-line distance, rounded down exactly.
//!
//! A bound with a rounding error could be reduced until it is admissible, but it would no longer be
//! *consistent*, and bidirectional searches rely on consistency. The product of a factor and a
//! square root is therefore rounded down as if it were computed exactly: in floating point if the
//! product is not close to a whole number, otherwise in integers.

use crate::cost::{Cost, UNREACHABLE};

/// The factor `numerator / 2^shift`, with a numerator below 2^30.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineFactor {
    numerator: u64,
    shift: u32,
    approximate: f64,
}

/// Upper limit of numerators. The square of numerator times length then fits into 128 bits.
const LIMIT: f64 = (1u64 << 30) as f64;

/// Upper limit of the error of the floating-point product: four roundings of a number below 2^33.
const DOUBT: f64 = 1e-5;

impl LineFactor {
    /// The largest representable factor that is not above this one. At most 2^29; `None` for
    /// factors below 1e-12.
    pub(super) fn at_most(factor: f64) -> Option<Self> {
        if factor.is_nan() || factor < 1e-12 {
            return None;
        }
        // Larger factors would need left shifts. No real map has them.
        let mut scaled = factor.min(LIMIT / 2.0);
        let mut shift = 0;
        let mut power = 1.0;
        while scaled * 2.0 < LIMIT {
            scaled *= 2.0;
            shift += 1;
            power *= 2.0;
        }
        let numerator = scaled as u64;
        Some(Self { numerator, shift, approximate: numerator as f64 / power })
    }

    pub(super) fn approximate(self) -> f64 {
        self.approximate
    }

    /// The factor times the length of (dx, dy), rounded down. `dx` and `dy` have at most 33 bits.
    #[inline(always)]
    pub(super) fn times_length(self, dx: u64, dy: u64) -> Cost {
        let (x, y) = (dx as f64, dy as f64);
        self.round_down((x * x + y * y).sqrt(), || {
            u128::from(dx) * u128::from(dx) + u128::from(dy) * u128::from(dy)
        })
    }

    /// The factor times a root, which is given approximately, and exactly as its square.
    #[inline(always)]
    pub(super) fn round_down(self, root: f64, square: impl FnOnce() -> u128) -> Cost {
        let product = root * self.approximate;
        if (product - product.round()).abs() > DOUBT {
            return if product < f64::from(UNREACHABLE) { product as Cost } else { UNREACHABLE };
        }
        self.round_down_exactly(square())
    }

    #[cold]
    fn round_down_exactly(self, square: u128) -> Cost {
        let numerator = u128::from(self.numerator);
        let product = (square * (numerator * numerator)).isqrt() >> self.shift;
        Cost::try_from(product).unwrap_or(UNREACHABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn factors_are_never_rounded_up() {
        for factor in [1e-9, 0.3, 1.0, 7.25, 33461.0, 5e8, 5e12] {
            let line = LineFactor::at_most(factor).unwrap();
            assert!(line.approximate <= factor);
            assert!(line.approximate >= factor.min(5e8) * (1.0 - 4e-9), "{factor}");
        }
        for nothing in [0.0, -1.0, f64::NAN] {
            assert_eq!(LineFactor::at_most(nothing), None);
        }
    }

    /// Floating point may round whole products to the wrong side.
    #[test]
    fn whole_products_are_rounded_by_integers() {
        let mut doubtful = 0;
        for (dx, dy, length) in [(3u64, 4u64, 5u64), (5, 12, 13), (8, 15, 17), (20, 21, 29)] {
            for scale in [1, 7, 1000, 1 << 20, (1 << 28) + 1] {
                for factor in [0.125, 0.5, 1.0, 3.0, 1000.25] {
                    let line = LineFactor::at_most(factor).unwrap();
                    assert_eq!(line.approximate, factor, "the factor is exact");
                    let whole = (length * scale) as f64 * factor;
                    let expected =
                        if whole < f64::from(UNREACHABLE) { whole as Cost } else { UNREACHABLE };
                    assert_eq!(line.times_length(dx * scale, dy * scale), expected);
                    doubtful += usize::from((whole - whole.round()).abs() <= DOUBT);
                }
            }
        }
        assert!(doubtful > 50, "only {doubtful} products are close to whole numbers");
    }

    #[test]
    fn both_ways_of_rounding_agree() {
        let mut random = Random::new(8);
        for _ in 0..20_000 {
            let line = LineFactor::at_most(random.unit() * 50_000.0 + 1e-3).unwrap();
            let size = 1 << random.below(34);
            let (dx, dy) = (random.below(size), random.below(size));
            let square = u128::from(dx).pow(2) + u128::from(dy).pow(2);
            let exact = line.round_down_exactly(square);
            assert_eq!(line.times_length(dx, dy), exact, "{line:?} {dx} {dy}");
        }
    }
}
