//! When and where an experiment runs.

use std::{fs, thread};

/// Today's date in UTC, as `2026-01-31`.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%F").to_string()
}

/// The processor and how many of its cores this process may use.
pub fn machine() -> String {
    let described = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let cores = if cores == 1 { "1 core".into() } else { format!("{cores} cores") };
    let system = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
    match processor(&described) {
        Some(processor) => format!("{processor}, {cores}, {system}"),
        None => format!("{cores}, {system}"),
    }
}

/// How many processes wanted a core in the last minute, if the system reports it.
pub fn load() -> Option<String> {
    let averages = fs::read_to_string("/proc/loadavg").ok()?;
    averages.split_whitespace().next().map(str::to_owned)
}

/// The processor's name in the text of `/proc/cpuinfo`.
fn processor(described: &str) -> Option<&str> {
    let line = described.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_processors() {
        let date = today();
        assert!(date.len() == 10 && date.starts_with("20") && &date[4..5] == "-", "{date}");
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.6 GHz\nmodel name\t: Other\n";
        assert_eq!(processor(text), Some("Some CPU @ 2.6 GHz"));
        assert_eq!(processor(""), None);
        assert!(machine().contains("core"));
    }
}
