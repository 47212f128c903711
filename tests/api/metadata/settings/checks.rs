//! Tests of providers by administrators, and pauses that outlive a restart.

use ledge_tests::After;

use super::*;

#[test]
fn test_reports_the_answer_of_the_provider() {
    let house = House::new();
    house.store_key(KEY);
    let accepted = house.test("vault");
    assert_eq!(
        (&accepted["ok"], &accepted["outcome"]),
        (&json!(true), &json!("accepted"))
    );
    assert_eq!(house.vault.asked().len(), 2, "a token, and one query");
    let query = &house.vault.asked()[1].path;
    assert!(
        !query.contains("Carolan") && !query.contains("Bheag"),
        "{query}"
    );
    for (status, outcome) in [(401, "rejected"), (403, "rejected"), (500, "failed")] {
        house.vault.answer(move |_| Reply::status(status));
        let test = house.test("vault");
        assert_eq!(
            (&test["ok"], &test["outcome"]),
            (&json!(false), &json!(outcome))
        );
        assert!(!test.to_string().contains(KEY), "{test}");
    }
    house
        .vault
        .answer(|_| Reply::bytes("text/html", "<p>Hello"));
    assert_eq!(house.test("vault")["outcome"], "failed");
    house
        .vault
        .answer(|_| Reply::status(429).header("Retry-After", "3600"));
    let limited = house.test("vault");
    assert_eq!(limited["outcome"], "limited");
    let wait = limited["retry_after"].as_u64().expect("a wait");
    assert!((3500..=3601).contains(&wait), "{limited}");
    let before = house.vault.asked().len();
    assert_eq!(house.test("vault")["outcome"], "limited");
    assert_eq!(house.vault.asked().len(), before, "the pause is respected");
    let path = "/metadata/providers/nobody/test";
    house.admin.send("POST", path, &[], None).expect(404);
}

#[test]
fn disabled_provider_can_be_tested() {
    let house = House::new();
    house.change(&json!({ "providers": { "tunebook": { "enabled": false } } }));
    assert_eq!(house.test("tunebook")["ok"], true);
    assert_eq!(house.asked(), [0, 1, 0]);
}

#[test]
fn silent_provider_ends_the_test_with_a_timeout() {
    let house = House::new();
    house
        .sheetcat
        .answer(|_| Reply::bytes("application/json", "{").then(After::Hang));
    let test = house.test("sheetcat");
    assert_eq!(
        (&test["ok"], &test["outcome"]),
        (&json!(false), &json!("timeout"))
    );
}

#[test]
fn demanded_pause_survives_a_restart() {
    let mut house = House::new();
    house
        .sheetcat
        .answer(|_| Reply::status(429).header("Retry-After", "3600"));
    assert_eq!(house.enrich()["matched"], 1, "by the second one");
    assert_eq!(house.asked()[..2], [1, 1]);
    house.server.kill();
    house.restart();
    house.sheetcat.answer(catalogue("SC1"));
    assert_eq!(house.test("sheetcat")["outcome"], "limited");
    house.enrich();
    assert_eq!(house.sheetcat.asked().len(), 1, "the host gets no request");
}
