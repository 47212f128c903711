//! Methods of functions that the server does not have: empty lists, and refusals.

use crate::envelope::{Outcome, reply};
use crate::failure::Failure;
use crate::node::Node;
use crate::params::Call;

/// Returns the handler of a method whose list is always empty.
pub(crate) fn empty_list(
    name: &'static str,
    element: &'static str,
) -> impl Fn(Call) -> std::future::Ready<Outcome> + Clone {
    move |_| {
        let list = Node::new().with(element, Vec::<Node>::new());
        std::future::ready(reply(name, list))
    }
}

/// Handles methods that no user may call.
pub(crate) async fn forbidden(_: Call) -> Outcome {
    Err(Failure::not_allowed())
}
