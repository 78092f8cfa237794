//! A UDP socket that knows a process which was there before from one that came later.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::rc::Rc;

use ggrs::{Message, NonBlockingSocket};

/// Larger packets are not sent by a session.
const LONGEST: usize = 4_096;

/// In front of each message: the process that sends it, and the one that it is meant for or 0.
const HEADER: usize = 16;

/// A UDP socket for a [`P2PSession`](crate::P2PSession), for the addresses of
/// [`RollbackConfig`](crate::RollbackConfig).
///
/// Each packet says which process sent it and which one it is meant for. A session cannot take in a process
/// that was started again in the middle of a game; without this, `ggrs` would let it connect and then fail
/// on inputs that it cannot place. [`strangers`](Self::strangers) tells both sides what is going on.
///
/// Both ends have to use it.
#[derive(Debug)]
pub struct PeerSocket {
    socket: UdpSocket,
    own: u64,
    peers: BTreeMap<SocketAddr, Peer>,
    strangers: Strangers,
}

#[derive(Clone, Copy, Debug)]
struct Peer {
    process: u64,
    /// Whether it has sent something that was meant for this process.
    knows_us: bool,
}

/// What a [`PeerSocket`] refused, to ask after the socket has gone into a session.
#[derive(Clone, Debug, Default)]
pub struct Strangers(Rc<RefCell<BTreeMap<SocketAddr, Stranger>>>);

/// Why packets of an address are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stranger {
    /// It plays with a process that was here before this one.
    PlaysWithAnother,
    /// It is another process than the one that plays with this one.
    CameBack,
}

impl Strangers {
    /// The addresses from which packets were refused so far, and why.
    pub fn all(&self) -> Vec<(SocketAddr, Stranger)> {
        self.0.borrow().iter().map(|(&address, &stranger)| (address, stranger)).collect()
    }
}

impl PeerSocket {
    /// Takes a port on all interfaces; 0 for any that is free.
    ///
    /// # Errors
    ///
    /// If the port is in use, or may not be used.
    pub fn bind_to_port(port: u16) -> io::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port))?;
        socket.set_nonblocking(true)?;
        // Different in each process, and never part of a world.
        let own = RandomState::new().build_hasher().finish() | 1;
        Ok(Self { socket, own, peers: BTreeMap::new(), strangers: Strangers::default() })
    }

    /// The port and address that it has.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What is refused, now and later.
    pub fn strangers(&self) -> Strangers {
        self.strangers.clone()
    }

    /// The message in a packet, unless it is none or from a stranger.
    fn accept(&mut self, from: SocketAddr, packet: &[u8]) -> Option<Message> {
        let (&process, rest) = packet.split_first_chunk::<8>()?;
        let (&meant_for, message) = rest.split_first_chunk::<8>()?;
        let (process, meant_for) = (u64::from_le_bytes(process), u64::from_le_bytes(meant_for));
        let refused = match self.peers.get(&from) {
            _ if meant_for != 0 && meant_for != self.own => Some(Stranger::PlaysWithAnother),
            Some(peer) if peer.knows_us && peer.process != process => Some(Stranger::CameBack),
            _ => None,
        };
        if let Some(stranger) = refused {
            self.strangers.0.borrow_mut().insert(from, stranger);
            return None;
        }
        let message = postcard::from_bytes(message).ok()?;
        self.peers.insert(from, Peer { process, knows_us: meant_for == self.own });
        Some(message)
    }
}

impl NonBlockingSocket<SocketAddr> for PeerSocket {
    fn send_to(&mut self, message: &Message, address: &SocketAddr) {
        let meant_for = self.peers.get(address).map_or(0, |peer| peer.process);
        let mut packet = Vec::with_capacity(HEADER + 64);
        packet.extend_from_slice(&self.own.to_le_bytes());
        packet.extend_from_slice(&meant_for.to_le_bytes());
        // What cannot be written or sent is lost, as any packet may be; the session sends it again.
        if let Ok(packet) = postcard::to_extend(message, packet) {
            let _ = self.socket.send_to(&packet, address);
        }
    }

    fn receive_all_messages(&mut self) -> Vec<(SocketAddr, Message)> {
        let mut messages = Vec::new();
        let mut packet = [0; LONGEST];
        loop {
            match self.socket.recv_from(&mut packet) {
                Ok((length, from)) => {
                    messages.extend(self.accept(from, &packet[..length]).map(|message| (from, message)));
                }
                // An earlier packet found nobody there.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
                Err(_) => return messages,
            }
        }
    }
}
