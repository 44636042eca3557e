//! Reports of any data, read back.

mod any_data;
mod markdown;
mod page;
