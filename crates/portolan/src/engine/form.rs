//! What an engine consists of, as a value.

use std::any::Any;
use std::fmt;

/// What an engine consists of and, if there are several forms, which was chosen and why. `Display`
/// describes it; [`downcast_ref`](#method.downcast_ref) gives the engine's own type.
///
/// ```
/// use portolan::atlas::{Atlas, AtlasConfig, AtlasForm, AtlasLabels, FormReason};
/// use portolan::{Build, Engine, Grid, Map};
/// let atlas = Atlas::build(&Map::from(Grid::new(9, 9)?), &AtlasConfig::default())?;
/// let engine: &dyn Engine = &atlas;
/// let form = engine.form().expect("an atlas has a form");
/// assert!(form.to_string().starts_with("labels of "));
/// let form = form.downcast_ref::<AtlasForm>().expect("the form of an atlas");
/// assert!(matches!(form.labels, AtlasLabels::Subgoals { .. }));
/// assert_eq!(form.reason, FormReason::Fastest);
/// # Ok::<(), portolan::Error>(())
/// ```
pub trait EngineForm: Any + fmt::Debug + fmt::Display + Send + Sync {}

impl<F: Any + fmt::Debug + fmt::Display + Send + Sync> EngineForm for F {}

impl dyn EngineForm {
    /// The form as the type of its engine, such as [`AtlasForm`](crate::atlas::AtlasForm).
    pub fn downcast_ref<F: EngineForm>(&self) -> Option<&F> {
        (self as &dyn Any).downcast_ref()
    }
}

/// Equal types and equal contents, as `Debug` shows them.
impl PartialEq for dyn EngineForm {
    fn eq(&self, other: &Self) -> bool {
        self.type_id() == other.type_id() && format!("{self:?}") == format!("{other:?}")
    }
}
