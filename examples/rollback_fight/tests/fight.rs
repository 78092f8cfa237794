//! The fight over real sockets: what separate processes end with, and what they say when something is wrong.

use std::net::UdpSocket;
use std::process::{Command, Output};

fn fight(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rollback_fight")).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

/// The digests that the peers print, in the order of the peers.
fn digests(text: &str) -> Vec<String> {
    let mut lines: Vec<&str> = text.lines().filter(|line| line.contains("| digest ")).collect();
    lines.sort_unstable();
    lines.iter().map(|line| line.split(" digest ").nth(1).unwrap().to_owned()).collect()
}

/// Twelve hundred frames with five percent of the packets lost and up to 60 ms of jitter, in separate
/// processes; then the recorded replay comes out the same again.
#[test]
fn separate_processes_end_with_equal_digests_whatever_the_network_does() {
    let file = std::env::temp_dir().join(format!("rollback_fight_{}.replay", std::process::id()));
    let path = file.to_str().unwrap();
    let bad = fight(&["--frames", "1200", "--loss", "5", "--jitter", "60", "--peers", "2", "--record", path]);
    let text = said(&bad);
    assert!(bad.status.success(), "{text}");
    let found = digests(&text);
    assert!(found.len() == 2 && found[0] == found[1], "{text}");
    assert!(text.contains("2 peers agree"), "{text}");
    assert!(!text.contains("| 0 rollbacks"), "nothing was rolled back: {text}");

    let played = fight(&["--play", path, "--seek", "1200"]);
    let digest = found[0].split(' ').next().unwrap();
    assert!(said(&played).contains(digest), "{text}{}", said(&played));

    let mut bytes = std::fs::read(&file).unwrap();
    let half = bytes.len() / 2;
    bytes[half] ^= 4;
    std::fs::write(&file, &bytes).unwrap();
    let damaged = said(&fight(&["--play", path]));
    assert!(
        damaged.contains("the replay is damaged at byte") && damaged.contains("digests as recorded"),
        "{damaged}"
    );
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn three_peers_on_a_good_network_agree_as_well() {
    let good = fight(&["--frames", "240", "--loss", "0", "--jitter", "0", "--delay", "5", "--peers", "3"]);
    let found = digests(&said(&good));
    assert!(found.len() == 3 && found.iter().all(|digest| *digest == found[0]), "{}", said(&good));
}

#[test]
fn a_process_that_was_killed_and_comes_back_is_told_why_it_cannot() {
    let text = said(&fight(&["--frames", "300", "--peers", "2", "--restart", "120"]));
    assert!(text.contains("peer 1  | killed, and started again"), "{text}");
    assert!(text.contains("is in a fight that began before this process did"), "{text}");
    assert!(text.contains("peer 1 left: its fighter stands still from here on"), "{text}");
    let found = digests(&text);
    assert_eq!(found.len(), 1, "the other goes on: {text}");
}

#[test]
fn a_port_in_use_is_named() {
    let taken = UdpSocket::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let text = said(&fight(&["--frames", "60", "--port", &port]));
    assert!(text.contains(&format!("port {port} is in use: stop the program that has it")), "{text}");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, message) in [
        (&["--peers", "7"][..], "--peers is 2, 3 or 4"),
        (&["--frames", "many"], "`--frames` needs a number, and `many` is none"),
        (&["--loss"], "`--loss` needs a value"),
        (&["--fly"], "`--fly` is not known"),
        (&["--play", "/nowhere/at.all"], "/nowhere/at.all: "),
    ] {
        let output = fight(arguments);
        assert!(!output.status.success() && said(&output).contains(message), "{}", said(&output));
    }
}
