//! Comparison of `web/openapi.json` with the document of the server.

use std::fs;
use std::path::Path;

use ledge_tests::Server;
use ledge_tests::server::program;

#[test]
fn web_openapi_document_matches_server() {
    let server = Server::with(&program("ledge"), &[]);
    let document = server.admin().get("/openapi.json").expect(200).json();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/openapi.json");
    let text = fs::read_to_string(path).expect("web/openapi.json");
    let kept: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for part in ["paths", "components"] {
        // The documents are too long to be printed.
        assert!(
            kept[part] == document[part],
            "{part} differ: run `make types`"
        );
    }
}
