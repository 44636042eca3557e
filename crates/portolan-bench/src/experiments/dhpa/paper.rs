//! What Kring, Champandard and Samarin report: "DHPA* and SHPA*" (AIIDE 2010).

/// Figure 5: cluster size, clusters, and seconds to build HPA* and DHPA* on all maps.
pub(super) const BUILDS: [(u32, f64, f64, f64); 3] =
    [(5, 32_044.0, 33.826, 37.223), (10, 10_121.0, 30.318, 31.525), (20, 3_338.0, 19.779, 21.087)];

/// On the largest map with clusters of 10: entries of the cache of DHPA*, its bytes at eight and at
/// three an entry, entries of HPA*.
pub(super) const ENTRIES: f64 = 547_441.0;
pub(super) const CACHE_MB: f64 = 4.2;
pub(super) const COMPACT_MB: f64 = 1.6;
pub(super) const WAYS: f64 = 36_488.0;

/// Searches as fast as those of HPA*: on average and at best.
pub(super) const DHPA_SPEED: (f64, f64) = (1.9, 11.0);
pub(super) const SHPA_SPEED: (f64, f64) = (1.3, 5.0);

/// Per cent longer than HPA*, at most.
pub(super) const DHPA_LONGER: f64 = 1.0;
/// Per cent longer than the shortest, on average and at most.
pub(super) const SHPA_LONGER: (f64, f64) = (1.8, 6.7);
/// The same of HPA*, which follows from what is said of SHPA*.
pub(super) const HPA_LONGER: (f64, f64) = (1.3, 2.0);

/// From this many searches per build on DHPA* takes less time in all; the paper has steps of
/// ten.
pub(super) const OVERTAKES: f64 = 30.0;
