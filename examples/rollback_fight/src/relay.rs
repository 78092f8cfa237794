//! A bad network: everything the peers send to each other goes through here.
//!
//! Each peer knows each other peer by a port of its own here. What arrives at the port by which peer 0 knows
//! peer 1 leaves from the port by which peer 1 knows peer 0.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// A packet that a reordered one lets pass.
const HELD_BACK: Duration = Duration::from_millis(50);

/// What the network did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) sent: u64,
    pub(crate) lost: u64,
    pub(crate) held_back: u64,
}

/// The network, running in a thread of its own.
pub(crate) struct Relay {
    ports: BTreeMap<(usize, usize), u16>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Traffic>>,
}

struct Wire {
    from: usize,
    to: usize,
    socket: UdpSocket,
    /// Where the peer is that sends here, known from its first packet.
    peer: Option<SocketAddr>,
}

struct Packet {
    due: Instant,
    number: u64,
    /// The wire that it leaves from.
    wire: usize,
    bytes: Vec<u8>,
}

impl Relay {
    /// Opens the ports and starts to pass packets on.
    pub(crate) fn start(arguments: &Arguments) -> Result<Self, Failure> {
        let mut wires = Vec::new();
        let mut ports = BTreeMap::new();
        for from in 0..arguments.peers {
            for to in (0..arguments.peers).filter(|&to| to != from) {
                let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Failure::Network)?;
                socket.set_nonblocking(true).map_err(Failure::Network)?;
                ports.insert((from, to), socket.local_addr().map_err(Failure::Network)?.port());
                wires.push(Wire { from, to, socket, peer: None });
            }
        }
        let over = Arc::new(AtomicBool::new(false));
        let (stop, faults) = (over.clone(), Faults::new(arguments));
        let thread = thread::spawn(move || pass_on(wires, faults, &stop));
        Ok(Self { ports, over, thread: Some(thread) })
    }

    /// The port by which one peer knows another.
    pub(crate) fn port(&self, own: usize, other: usize) -> u16 {
        self.ports[&(own, other)]
    }

    /// Stops, and tells what happened.
    pub(crate) fn stop(mut self) -> Traffic {
        self.over.store(true, Ordering::Relaxed);
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

struct Faults {
    random: u64,
    delay: Duration,
    jitter: u64,
    loss: u64,
    reorder: u64,
}

impl Faults {
    fn new(arguments: &Arguments) -> Self {
        Self {
            random: arguments.seed,
            delay: Duration::from_millis(arguments.delay),
            jitter: arguments.jitter * 1_000,
            loss: arguments.loss.into(),
            reorder: arguments.reorder.into(),
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % limit.max(1)
    }

    /// How long a packet takes; `None` if it gets lost.
    fn fate(&mut self, traffic: &mut Traffic) -> Option<Duration> {
        traffic.sent += 1;
        if self.below(100) < self.loss {
            traffic.lost += 1;
            return None;
        }
        let mut time = self.delay + Duration::from_micros(self.below(self.jitter + 1));
        if self.below(100) < self.reorder {
            traffic.held_back += 1;
            time += HELD_BACK;
        }
        Some(time)
    }
}

fn pass_on(mut wires: Vec<Wire>, mut faults: Faults, over: &AtomicBool) -> Traffic {
    let mut traffic = Traffic::default();
    let mut flying: Vec<Packet> = Vec::new();
    let mut buffer = [0; 4_096];
    let back: Vec<usize> = wires
        .iter()
        .map(|wire| {
            wires.iter().position(|other| (other.from, other.to) == (wire.to, wire.from)).unwrap_or(0)
        })
        .collect();
    while !over.load(Ordering::Relaxed) {
        for (wire, &back) in wires.iter_mut().zip(&back) {
            loop {
                match wire.socket.recv_from(&mut buffer) {
                    Ok((length, peer)) => {
                        wire.peer = Some(peer);
                        if let Some(time) = faults.fate(&mut traffic) {
                            let bytes = buffer[..length].to_vec();
                            let due = Instant::now() + time;
                            flying.push(Packet { due, number: traffic.sent, wire: back, bytes });
                        }
                    }
                    // The peer at the other end is gone: its packets get lost.
                    Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
                    Err(_) => break,
                }
            }
        }
        let now = Instant::now();
        let (mut due, rest): (Vec<Packet>, Vec<Packet>) =
            flying.into_iter().partition(|packet| packet.due <= now);
        flying = rest;
        due.sort_by_key(|packet| (packet.due, packet.number));
        for packet in due {
            let wire = &wires[packet.wire];
            if let Some(peer) = wire.peer {
                // What cannot be sent is lost, as on any network.
                let _ = wire.socket.send_to(&packet.bytes, peer);
            }
        }
        thread::sleep(Duration::from_micros(300));
    }
    traffic
}
