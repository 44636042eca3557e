//! Powers fitted to measurements.

use std::fmt;

/// The power of x that y grows with: y is about a constant times x to the exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub(super) exponent: f64,
    /// The standard error of the exponent; not a number for two points, which fit any power.
    pub(super) error: f64,
}

impl Fit {
    /// By least squares on logarithms. `None` unless there are two different x, and all values are
    /// positive.
    pub(super) fn of(points: &[(f64, f64)]) -> Option<Self> {
        let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
        let count = logs.len() as f64;
        let mean_x = logs.iter().map(|log| log.0).sum::<f64>() / count;
        let mean_y = logs.iter().map(|log| log.1).sum::<f64>() / count;
        let sum = |of: &dyn Fn(f64, f64) -> f64| {
            logs.iter().map(|&(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>()
        };
        let spread = sum(&|x, _| x * x);
        let exponent = sum(&|x, y| x * y) / spread;
        let rest = sum(&|x, y| (y - exponent * x).powi(2));
        let error = match logs.len() {
            0..=2 => f64::NAN,
            _ => (rest / (count - 2.0) / spread).sqrt(),
        };
        (spread > 0.0 && exponent.is_finite()).then_some(Self { exponent, error })
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.2}", self.exponent)?;
        if self.error.is_finite() { write!(out, " ± {:.2}", self.error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_found() {
        for exponent in [-1.0, 0.0, 0.5, 1.2] {
            let points = [1e3, 2e3, 5e3, 1e6].map(|x: f64| (x, 7.0 * x.powf(exponent)));
            let fit = Fit::of(&points).unwrap();
            assert!((fit.exponent - exponent).abs() < 1e-9 && fit.error < 1e-9, "{fit:?}");
        }
    }

    /// By hand: the logarithms 0, 1, 2 against 0, 2, 1 have the slope 1/2, and leave squares of
    /// 3/2.
    #[test]
    fn the_error_is_that_of_a_slope() {
        let at = |x: f64, y: f64| (x.exp(), y.exp());
        let fit = Fit::of(&[at(0.0, 0.0), at(1.0, 2.0), at(2.0, 1.0)]).unwrap();
        assert!((fit.exponent - 0.5).abs() < 1e-12, "{fit:?}");
        assert!((fit.error - 0.75f64.sqrt()).abs() < 1e-12, "{fit:?}");
        assert_eq!(fit.to_string(), "0.50 ± 0.87");
    }

    #[test]
    fn too_little_has_no_power() {
        assert_eq!(Fit::of(&[]), None);
        assert_eq!(Fit::of(&[(2.0, 3.0)]), None);
        assert_eq!(Fit::of(&[(2.0, 3.0), (2.0, 4.0)]), None);
        assert_eq!(Fit::of(&[(2.0, 0.0), (3.0, 4.0)]), None);
        assert_eq!(Fit::of(&[(1.0, 3.0), (10.0, 30.0)]).unwrap().to_string(), "1.00");
    }
}
