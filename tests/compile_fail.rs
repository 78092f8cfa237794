//! What the compiler says to mistakes with groups and worlds: each message says what to write instead.

#[test]
fn mistakes_are_refused_with_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
