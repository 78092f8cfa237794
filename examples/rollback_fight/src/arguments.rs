//! What is written behind the name of the program.

use std::path::PathBuf;

use crate::failure::Failure;

/// The text of `--help`.
pub(crate) const HELP: &str = "\
rollback_fight: two to four processes fight over UDP, with rollback

  --peers N        how many processes, 2 to 4 (2)
  --frames N       how long (3600)
  --fps N          frames a second (60)
  --seed N         of the bots and the arena (1)
  --delay MS       how long each packet takes (40)
  --jitter MS      up to how much longer, at random (30)
  --loss PERCENT   how many packets get lost (5)
  --reorder PERCENT  how many packets are held back for 50 ms (5)
  --port N         the peers take ports from N on instead of free ones
  --restart FRAME  kill the last peer there and start it again
  --watch          draw the arena as the first peer sees it
  --record FILE    write a replay
  --play FILE      play a replay instead
  --seek FRAME     with --play: show the world at this frame
";

/// All settings.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    pub(crate) peers: usize,
    pub(crate) frames: u32,
    pub(crate) fps: u32,
    pub(crate) seed: u64,
    pub(crate) delay: u64,
    pub(crate) jitter: u64,
    pub(crate) loss: u32,
    pub(crate) reorder: u32,
    pub(crate) port: Option<u16>,
    pub(crate) restart: Option<u32>,
    pub(crate) watch: bool,
    pub(crate) record: Option<PathBuf>,
    pub(crate) play: Option<PathBuf>,
    pub(crate) seek: Option<u32>,
    pub(crate) help: bool,
    /// Given to the processes that the first one starts: which peer this is, and where the others are.
    pub(crate) peer: Option<usize>,
    pub(crate) remotes: Vec<(usize, u16)>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            peers: 2,
            frames: 3_600,
            fps: 60,
            seed: 1,
            delay: 40,
            jitter: 30,
            loss: 5,
            reorder: 5,
            port: None,
            restart: None,
            watch: false,
            record: None,
            play: None,
            seek: None,
            help: false,
            peer: None,
            remotes: Vec::new(),
        }
    }
}

impl Arguments {
    /// Reads them.
    pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Self, Failure> {
        let mut read = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut next = || words.next().ok_or_else(|| Failure::Usage(format!("`{word}` needs a value")));
            match word.as_str() {
                "--peers" => read.peers = number(&word, &next()?)?,
                "--frames" => read.frames = number(&word, &next()?)?,
                "--fps" => read.fps = number(&word, &next()?)?,
                "--seed" => read.seed = number(&word, &next()?)?,
                "--delay" => read.delay = number(&word, &next()?)?,
                "--jitter" => read.jitter = number(&word, &next()?)?,
                "--loss" => read.loss = number(&word, &next()?)?,
                "--reorder" => read.reorder = number(&word, &next()?)?,
                "--port" => read.port = Some(number(&word, &next()?)?),
                "--restart" => read.restart = Some(number(&word, &next()?)?),
                "--watch" => read.watch = true,
                "--record" => read.record = Some(next()?.into()),
                "--play" => read.play = Some(next()?.into()),
                "--seek" => read.seek = Some(number(&word, &next()?)?),
                "--help" | "-h" => read.help = true,
                "--peer" => read.peer = Some(number(&word, &next()?)?),
                "--remote" => {
                    let (peer, port) = (number(&word, &next()?)?, number(&word, &next()?)?);
                    read.remotes.push((peer, port));
                }
                _ => return Err(Failure::Usage(format!("`{word}` is not known"))),
            }
        }
        read.check()?;
        Ok(read)
    }

    fn check(&self) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::Usage(text.to_owned()));
        match self {
            Self { peers: 0 | 1 | 5.., .. } => wrong("--peers is 2, 3 or 4"),
            Self { frames: 0, .. } => wrong("--frames is at least 1"),
            Self { fps: 0 | 1_001.., .. } => wrong("--fps is 1 to 1000"),
            Self { loss: 91.., .. } | Self { reorder: 91.., .. } => {
                wrong("--loss and --reorder are at most 90 percent")
            }
            _ => Ok(()),
        }
    }
}

fn number<N: std::str::FromStr>(word: &str, text: &str) -> Result<N, Failure> {
    text.parse().map_err(|_| Failure::Usage(format!("`{word}` needs a number, and `{text}` is none")))
}
