//! The range of an axis and its ticks.
//!
//! Linear axes have steps of 1, 2 or 5 times a power of ten. Logarithmic axes have labels at the
//! decades and small ticks between them, or labels at 1, 2 and 5 where there are fewer than two
//! decades. Positions are kept as exponents, so that no range is too large to be drawn.

use crate::report::Scale;
use crate::report::number::{grouped, power_of_ten, trim_zeros};

/// Larger values count as not finite and smaller ones as zero, which keeps all arithmetic on
/// ranges well inside `f64`.
const LARGEST: f64 = 1e250;
const SMALLEST: f64 = 1e-250;
/// Ranges narrower than this, relative to their ends, are rounding errors around one value.
const NARROW: f64 = 1e-9;
/// Slack in multiples of a step, against rounding.
const SLACK: f64 = 1e-6;

/// Why a value has no place on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unplaced {
    NotFinite,
    NotPositive,
}

/// The value as it can be drawn.
pub(crate) fn place(value: f64, scale: Scale) -> Result<f64, Unplaced> {
    if !value.is_finite() || value.abs() > LARGEST {
        return Err(Unplaced::NotFinite);
    }
    let value = if value.abs() < SMALLEST { 0.0 } else { value };
    match scale {
        Scale::Logarithmic if value <= 0.0 => Err(Unplaced::NotPositive),
        _ => Ok(value),
    }
}

/// A mark on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Where, from 0 (start of the axis) to 1 (end).
    pub(crate) at: f64,
    /// The number beside it; small ticks have none.
    pub(crate) label: Option<String>,
}

/// The range of an axis, with round ends. `lo < hi`; exponents of ten on a logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    scale: Scale,
    lo: f64,
    hi: f64,
}

impl Span {
    /// A range around values that [`place`] let pass. A linear one starts at zero if that is not
    /// far off.
    pub(crate) fn around(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let ends = |(lo, hi): (f64, f64), value: f64| (lo.min(value), hi.max(value));
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        match scale {
            Scale::Linear if lo > hi => Self::linear(0.0, 1.0),
            Scale::Linear => Self::linear(lo, hi),
            Scale::Logarithmic if lo > hi => Self::logarithmic(1.0, 10.0),
            Scale::Logarithmic => Self::logarithmic(lo, hi),
        }
    }

    /// The position of a value, from 0 to 1.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Logarithmic { value.log10() } else { value };
        ((value - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0)
    }

    /// Ticks from start to end, of which at most `most` have labels (but never fewer than the
    /// axis needs to be read).
    pub(crate) fn ticks(&self, most: usize) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(most.max(2)),
            Scale::Logarithmic => self.logarithmic_ticks(most.max(2)),
        }
    }

    fn linear(mut lo: f64, mut hi: f64) -> Self {
        let size = lo.abs().max(hi.abs());
        if hi - lo <= size * NARROW {
            let pad = if size == 0.0 { 1.0 } else { size / 2.0 };
            (lo, hi) = (lo - pad, hi + pad);
        }
        if (lo > 0.0 && lo <= hi / 2.0) || (hi < 0.0 && hi >= lo / 2.0) {
            (lo, hi) = (lo.min(0.0), hi.max(0.0));
        }
        let step = Step::at_least((hi - lo) / 6.0).size();
        let (first, last) = ((lo / step + SLACK).floor(), (hi / step - SLACK).ceil());
        Self { scale: Scale::Linear, lo: first * step, hi: last * step }
    }

    fn logarithmic(lo: f64, hi: f64) -> Self {
        let (mut first, mut last) = (round_at_most(lo), round_at_least(hi));
        if first == last {
            (first, last) = (first - 1, last + 1);
        }
        Self { scale: Scale::Logarithmic, lo: exponent_of(first), hi: exponent_of(last) }
    }

    fn linear_ticks(&self, most: usize) -> Vec<Tick> {
        let step = Step::at_least((self.hi - self.lo) / (most - 1) as f64);
        let size = step.size();
        let first = (self.lo / size - SLACK).ceil() as i64;
        let last = (self.hi / size + SLACK).floor() as i64;
        let largest = self.lo.abs().max(self.hi.abs());
        let tick = |index: i64| Tick {
            at: ((index as f64 * size - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0),
            label: Some(step.label(index, largest)),
        };
        (first..=last).map(tick).collect()
    }

    fn logarithmic_ticks(&self, most: usize) -> Vec<Tick> {
        let decades = (self.lo - SLACK).ceil() as i32..=(self.hi + SLACK).floor() as i32;
        let within = |exponent: f64| exponent > self.lo - SLACK && exponent < self.hi + SLACK;
        let full = self.hi - self.lo >= 2.0 - SLACK;
        let stride = stride(decades.clone().count(), most);
        let plain = self.lo >= -4.0 && self.hi <= 6.0 + SLACK;
        let mut ticks = Vec::new();
        for decade in decades.start() - 1..=*decades.end() {
            for digit in 1..=9 {
                let exponent = f64::from(decade) + f64::from(digit).log10();
                let labelled = match full {
                    true => digit == 1 && decade.rem_euclid(stride) == 0,
                    false => matches!(digit, 1 | 2 | 5),
                };
                let small = stride == 1 && decades.clone().count() <= 7;
                if within(exponent) && (labelled || small || digit == 1) {
                    let at = ((exponent - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0);
                    let label = labelled.then(|| decade_label(digit, decade, plain));
                    ticks.push(Tick { at, label });
                }
            }
        }
        if !full {
            thin(&mut ticks, most);
        }
        ticks
    }
}

/// A step of 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy)]
struct Step {
    digit: i64,
    exponent: i32,
}

impl Step {
    /// The smallest such step that is not below `size`.
    fn at_least(size: f64) -> Self {
        let exponent = size.log10().floor() as i32;
        let head = size / power(1, exponent) - SLACK;
        match [1, 2, 5].into_iter().find(|&digit| head <= digit as f64) {
            Some(digit) => Self { digit, exponent },
            None => Self { digit: 1, exponent: exponent + 1 },
        }
    }

    fn size(self) -> f64 {
        power(self.digit, self.exponent)
    }

    /// The number at a multiple of the step, on an axis whose largest number is given.
    fn label(self, index: i64, largest: f64) -> String {
        let top = largest.log10().floor() as i32;
        if index == 0 {
            "0".into()
        } else if (-4..7).contains(&top) && self.exponent >= -7 {
            let decimals = (-self.exponent).max(0) as usize;
            grouped(&format!("{:.decimals$}", index as f64 * self.size()))
        } else {
            let decimals = (top - self.exponent).max(0) as usize;
            let head = (index * self.digit) as f64 / power(1, top - self.exponent);
            format!("{}×{}", trim_zeros(&format!("{head:.decimals$}")), power_of_ten(top))
        }
    }
}

/// `digit` times ten to `exponent`, to the last bit, which `powi` does not promise.
fn power(digit: i64, exponent: i32) -> f64 {
    format!("{digit}e{exponent}").parse().unwrap_or(f64::MAX)
}

/// The exponent of the `index`-th number of the row ... 1, 2, 5, 10, 20, 50 ...
fn exponent_of(index: i32) -> f64 {
    let digit: f64 = [1.0, 2.0, 5.0][index.rem_euclid(3) as usize];
    f64::from(index.div_euclid(3)) + digit.log10()
}

fn round_at_most(value: f64) -> i32 {
    let start = value.log10().floor() as i32 * 3 + 3;
    (start - 5..=start).rev().find(|&i| exponent_of(i) <= value.log10() + SLACK).unwrap_or(start)
}

fn round_at_least(value: f64) -> i32 {
    let start = value.log10().floor() as i32 * 3;
    (start..=start + 5).find(|&i| exponent_of(i) >= value.log10() - SLACK).unwrap_or(start)
}

/// Every how many decades there is a label.
fn stride(decades: usize, most: usize) -> i32 {
    let strides = [1, 2, 3, 5, 10, 20, 50, 100, 200];
    strides.into_iter().find(|&stride| decades.div_ceil(stride) <= most).unwrap_or(500) as i32
}

fn decade_label(digit: i32, decade: i32, plain: bool) -> String {
    match (plain, digit) {
        (true, _) => {
            let decimals = (-decade).max(0) as usize;
            grouped(&format!("{:.decimals$}", power(i64::from(digit), decade)))
        }
        (false, 1) => power_of_ten(decade),
        (false, _) => format!("{digit}×{}", power_of_ten(decade)),
    }
}

/// Takes labels away until `most` are left, at both ends and evenly between them.
fn thin(ticks: &mut [Tick], most: usize) {
    let labelled: Vec<usize> = (0..ticks.len()).filter(|&i| ticks[i].label.is_some()).collect();
    if labelled.len() <= most {
        return;
    }
    let kept: Vec<usize> = (0..most).map(|i| i * (labelled.len() - 1) / (most - 1)).collect();
    for order in (0..labelled.len()).filter(|order| !kept.contains(order)) {
        ticks[labelled[order]].label = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scale: Scale, values: &[f64], most: usize, labels: &str) {
        let ticks = Span::around(values.iter().copied(), scale).ticks(most);
        let found: Vec<String> = ticks.iter().filter_map(|tick| tick.label.clone()).collect();
        assert_eq!(found.join(" "), labels, "{values:?}");
        assert!(ticks.is_sorted_by(|a, b| a.at < b.at), "{ticks:?}");
    }

    #[test]
    fn linear_axes() {
        let check = |values: &[f64], labels| check(Scale::Linear, values, 7, labels);
        check(&[], "0 0.2 0.4 0.6 0.8 1.0");
        check(&[0.0, 10.0], "0 2 4 6 8 10");
        check(&[0.0, 469.0], "0 100 200 300 400 500");
        check(&[11_383.0, 200_284.0], "0 50,000 100,000 150,000 200,000 250,000");
        check(&[95.0, 105.0], "94 96 98 100 102 104 106");
        check(&[-3.0, 4.0], "-4 -2 0 2 4");
        check(&[-105.0, -95.0], "-106 -104 -102 -100 -98 -96 -94");
        check(&[-1.0, -0.2], "-1.0 -0.8 -0.6 -0.4 -0.2 0");
        check(&[0.0, 0.0014], "0 0.0005 0.0010 0.0015");
        check(&[0.0], "-1.0 -0.5 0 0.5 1.0");
        check(&[7.0, 7.0], "0 2 4 6 8 10 12");
        check(&[1.0, 1.0 + 1e-15], "0 0.5 1.0 1.5");
        check(&[0.0, 3e9], "0 0.5×10⁹ 1×10⁹ 1.5×10⁹ 2×10⁹ 2.5×10⁹ 3×10⁹");
        check(&[0.0, 1e-8], "0 0.2×10⁻⁸ 0.4×10⁻⁸ 0.6×10⁻⁸ 0.8×10⁻⁸ 1×10⁻⁸");
        check(&[-1e250, 1e250], "-1×10²⁵⁰ -0.5×10²⁵⁰ 0 0.5×10²⁵⁰ 1×10²⁵⁰");
    }

    #[test]
    fn logarithmic_axes() {
        let check = |values: &[f64], labels| check(Scale::Logarithmic, values, 6, labels);
        check(&[], "1 2 5 10");
        check(&[1.0, 1000.0], "1 10 100 1,000");
        check(&[0.0014, 0.054], "0.001 0.01 0.1");
        check(&[11_383.0, 200_284.0], "10,000 20,000 50,000 100,000 200,000 500,000");
        check(&[1.4, 3479.0], "1 10 100 1,000");
        check(&[3.0, 3.0], "2 5");
        check(&[2.0, 2.0], "1 2 5");
        check(&[1e-3, 1e8], "10⁻² 10⁰ 10² 10⁴ 10⁶ 10⁸");
        check(&[1e-250, 1e250], "10⁻²⁰⁰ 10⁻¹⁰⁰ 10⁰ 10¹⁰⁰ 10²⁰⁰");
        check(&[3e9, 4e9], "2×10⁹ 5×10⁹");
    }

    #[test]
    fn fewer_labels_where_there_is_little_room() {
        check(Scale::Linear, &[0.0, 10.0], 3, "0 5 10");
        check(Scale::Logarithmic, &[1.0, 50.0], 3, "1 5 50");
        check(Scale::Logarithmic, &[1.0, 50.0], 2, "1 50");
        check(Scale::Logarithmic, &[1.0, 1e6], 4, "1 100 10,000 1,000,000");
    }

    #[test]
    fn small_ticks_stand_between_decades() {
        let ticks = Span::around([1.0, 100.0].into_iter(), Scale::Logarithmic).ticks(5);
        assert_eq!(ticks.len(), 19);
        let wide = Span::around([1.0, 1e30].into_iter(), Scale::Logarithmic).ticks(5);
        assert_eq!(wide.len(), 31, "decades only");
    }

    #[test]
    fn fractions_go_from_end_to_end() {
        let log = Span::around([1.0, 100.0].into_iter(), Scale::Logarithmic);
        assert_eq!([1.0, 10.0, 100.0, 1000.0].map(|v| log.fraction(v)), [0.0, 0.5, 1.0, 1.0]);
    }

    #[test]
    fn values_without_a_place() {
        assert_eq!(place(f64::NAN, Scale::Linear), Err(Unplaced::NotFinite));
        assert_eq!(place(1e251, Scale::Linear), Err(Unplaced::NotFinite));
        assert_eq!(place(0.0, Scale::Logarithmic), Err(Unplaced::NotPositive));
        assert_eq!(place(1e-300, Scale::Logarithmic), Err(Unplaced::NotPositive));
        assert_eq!(place(-1.0, Scale::Linear), Ok(-1.0));
    }
}
