//! Atlas in all of its forms.

mod answers;
mod edits;
mod file;
mod limits;
mod reweigh;
mod rules;
mod validate;
