//! Handlers, one file per resource.

pub(crate) mod account;
pub(crate) mod catalogue;
pub(crate) mod id_list;
pub(crate) mod library;
pub(crate) mod media;
pub(crate) mod operation;
pub(crate) mod organise;
pub(crate) mod text;
pub(crate) mod user_data;
