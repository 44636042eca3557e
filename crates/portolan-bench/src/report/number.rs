//! Numbers for people: grouped thousands, sensible digits, powers of ten for the very large and
//! the very small.

/// How many digits a number is shown with.
#[derive(Clone, Copy)]
pub(crate) enum Digits {
    /// So many after the point, zeros included.
    AfterPoint(usize),
    /// So many in all, without trailing zeros; never cuts whole digits.
    Significant(i32),
}

/// From here on, digits in full say less than a power of ten.
const LARGE: f64 = 1e15;
const SMALL: f64 = 1e-5;
/// More digits after the point than this are noise in an `f64`.
const MOST_DIGITS: usize = 12;

/// Whole numbers in full, others to four significant digits.
pub(crate) fn plain(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < LARGE {
        with_digits(value, Digits::AfterPoint(0))
    } else {
        with_digits(value, Digits::Significant(4))
    }
}

/// A number as text; what is not finite is a dash.
pub(crate) fn with_digits(value: f64, digits: Digits) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    match digits {
        _ if value.abs() >= LARGE => power(value),
        Digits::AfterPoint(digits) => grouped(&format!("{value:.*}", digits.min(MOST_DIGITS))),
        Digits::Significant(_) if value != 0.0 && value.abs() < SMALL => power(value),
        Digits::Significant(digits) => {
            let whole = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 + 1 };
            let fixed = format!("{value:.*}", (digits - whole).max(0) as usize);
            grouped(trim_zeros(&fixed))
        }
    }
}

/// `10⁻³`: ten to a whole power.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let superscript = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

fn power(value: f64) -> String {
    let text = format!("{value:.3e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}×{}", trim_zeros(mantissa), power_of_ten(exponent.parse().unwrap_or(0)))
}

/// Without zeros at the end of a fraction.
pub(crate) fn trim_zeros(fixed: &str) -> &str {
    match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.'),
        false => fixed,
    }
}

/// Commas between thousands, and no minus before zero.
pub(crate) fn grouped(fixed: &str) -> String {
    let negative = fixed.starts_with('-') && fixed.bytes().any(|b| (b'1'..=b'9').contains(&b));
    let digits = fixed.trim_start_matches('-');
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::from(if negative { "-" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (53.0, "53"),
            (53.25, "53.25"),
            (205_373.0, "205,373"),
            (1_234_567.89, "1,234,568"),
            (0.001_423_9, "0.001424"),
            (-0.5, "-0.5"),
            (99.999_9, "100"),
            (1e-7, "1×10⁻⁷"),
            (1.5e20, "1.5×10²⁰"),
            (-1.5e-20, "-1.5×10⁻²⁰"),
            (f64::MAX, "1.798×10³⁰⁸"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(plain(value), text, "{value:e}");
        }
    }

    #[test]
    fn numbers_with_digits() {
        for (value, digits, text) in [
            (1.5, 0, "2"),
            (1.4, 2, "1.40"),
            (-0.001, 2, "0.00"),
            (1234.5, 1, "1,234.5"),
            (-123_456.0, 0, "-123,456"),
            (0.1, 99, "0.100000000000"),
            (1e300, 2, "1×10³⁰⁰"),
            (f64::NEG_INFINITY, 2, "–"),
        ] {
            assert_eq!(with_digits(value, Digits::AfterPoint(digits)), text, "{value:e}");
        }
    }
}
