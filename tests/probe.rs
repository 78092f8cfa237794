//! What the probe prints, line by line.

#[allow(dead_code, reason = "its `main` prints what is compared here")]
#[path = "../examples/probe.rs"]
mod probe;

#[test]
fn the_probe_shows_the_whole_idea() {
    let lines = probe::lines().unwrap();
    let expected = [
        "moved: Some(GlobalPosition { x: 0.5, y: 0.0 }) Some(GlobalPosition { x: 0.75, y: 0.0 })",
        "changed since the frame began: 1",
        "settled: Some(Position { x: 0.5, y: 0.0 }), halved: Some(Velocity { x: 0.5, y: 0.0 })",
        "after the despawn: 1, in the snapshot: 2",
        "after the rollback: 2",
        r#"tree: ["ship", "hull", "turret"]"#,
        r#"one frame: ["ship at 0.5", "free frame 1 at 0.25"]"#,
    ];
    assert_eq!(lines, expected);
}
