//! Spans and events for `tracing`, or nothing without the feature.

/// Enters a span until the end of the block.
macro_rules! span {
    ($name:literal $($fields:tt)*) => {
        #[cfg(feature = "tracing")]
        let _span = tracing::info_span!(target: "portolan", $name $($fields)*).entered();
    };
}

/// Reports an event.
macro_rules! event {
    ($($fields:tt)*) => {
        #[cfg(feature = "tracing")]
        tracing::debug!(target: "portolan", $($fields)*);
    };
}

pub(crate) use {event, span};
