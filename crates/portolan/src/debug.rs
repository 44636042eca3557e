//! `Debug` for types with large or opaque contents.

/// Implements `Debug` with the name of a type and selected fields.
///
/// `debug_by_name!("Reversed", [G] Reversed<'_, G>)`, or with fields
/// `debug_by_name!("World", [] World, |world| "config" = world.config)`.
macro_rules! debug_by_name {
    (
        $name:literal, [$($generics:tt)*] $type:ty
        $(, |$value:ident| $($field:literal = $shown:expr),+)?
    ) => {
        impl<$($generics)*> std::fmt::Debug for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = out.debug_struct($name);
                $(
                    let $value = self;
                    $(shown.field($field, &$shown);)+
                )?
                shown.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug_by_name;
