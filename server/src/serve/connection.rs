//! One connection of a client: its progress, its stream and the bodies that pass through it.

mod activity;
mod capacity;
mod request_body;
mod response_body;
mod stream;

pub(crate) use activity::{Activity, Exchange, Limits};
pub(crate) use capacity::{capacity, per_client};
pub(crate) use request_body::RequestBody;
pub(crate) use response_body::ResponseBody;
pub(crate) use stream::ActivityStream;
