//! OpenSearch description of the catalogue.

use axum::http::{HeaderValue, header};
use axum::response::Response;
use ledge_core::access::Visible;
use ledge_core::http::protocol::Origin;

use crate::addresses::Addresses;
use crate::atom::{self, FeedKind};

/// Media type of the description.
pub(crate) const MIME: &str = "application/opensearchdescription+xml";

/// Time of the last change of the description.
const CHANGED: &str = "Thu, 26 Nov 2026 00:00:00 GMT";

/// Returns the address of the description.
pub(crate) fn address(addresses: &Addresses) -> String {
    addresses.feed("search.xml", &[])
}

/// Returns the description. The template is absolute, with a literal `{searchTerms}`, because some
/// apps resolve nothing else.
pub(crate) async fn description(_: Visible, origin: Origin) -> Response {
    let addresses = Addresses::new(origin);
    let publications = addresses.feed("publications", &[]);
    let template = format!("{publications}?q={{searchTerms}}");
    let body = atom::document(|xml| {
        xml.create_element("OpenSearchDescription")
            .with_attribute(("xmlns", "http://a9.com/-/spec/opensearch/1.1/"))
            .write_inner_content(|xml| {
                atom::text(xml, "ShortName", "Ledge")?;
                atom::text(xml, "Description", "Publications of this library")?;
                atom::text(xml, "InputEncoding", "UTF-8")?;
                atom::text(xml, "OutputEncoding", "UTF-8")?;
                xml.create_element("Url")
                    .with_attributes([
                        ("type", FeedKind::Acquisition.mime()),
                        ("template", template.as_str()),
                    ])
                    .write_empty()?;
                Ok(())
            })?;
        Ok(())
    });
    let mut response = atom::response(MIME, body);
    let changed = HeaderValue::from_static(CHANGED);
    response
        .headers_mut()
        .insert(header::LAST_MODIFIED, changed);
    response
}
