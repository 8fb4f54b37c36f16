//! Random requests with real data on drives whose power is cut at random moments, compared with a
//! client's expectations: data reported as durable is present, a page is as one of the writes left
//! it, reads between cuts return the last written data, and a drive that ignores flushes is
//! detected.

use std::collections::BTreeMap;

use stend_base::{Device, Nanos, Rng, SimTime};
use stend_serve::engine::{Advanced, Answer, CutAt, Engine};
use stend_serve::nbd::{Ended, Kind, Request};

use crate::common::{demo, engine};

const SECTOR: u64 = 512;
/// Number of sectors in use: few, so that they are overwritten often.
const SECTORS: u64 = 8 * 1024;
/// Maximum length of a request, sectors.
const LONGEST: u64 = 600;

/// Possible contents of a sector: numbers of writes, 0 for nothing.
#[derive(Clone, Default)]
struct Sector {
    settled: u64,
    /// Contents from later completed requests: the number of the write, and the request's position
    /// among the completed ones.
    since: Vec<(u64, u64)>,
}

struct Sent {
    request: Request,
    number: u64,
    /// Number of requests completed when it was sent.
    after: u64,
}

struct Client {
    engine: Engine,
    rng: Rng,
    sectors: Vec<Sector>,
    outstanding: BTreeMap<u64, Sent>,
    number: u64,
    /// Number of completed requests.
    done: u64,
    /// Number of sectors with impossible contents after a cut, because durable data was lost.
    broken_promises: u64,
    undone: u64,
    capacitors: bool,
}

fn filled(number: u64, sectors: u64) -> Vec<u8> {
    let sector = number.to_le_bytes().repeat(SECTOR as usize / 8);
    sector.repeat(sectors as usize)
}

/// Number of the write that filled a sector; all words must be equal.
fn number_in(sector: &[u8]) -> u64 {
    let (words, []) = sector.as_chunks::<8>() else {
        panic!("a sector has whole words");
    };
    assert!(words.iter().all(|word| *word == words[0]), "a torn sector");
    u64::from_le_bytes(words[0])
}

impl Client {
    fn new(seed: u64, capacitors: bool, flush_ignored: bool) -> Client {
        Client {
            engine: engine(demo(capacitors, flush_ignored)),
            rng: Rng::stream(seed, "requests"),
            sectors: vec![Sector::default(); SECTORS as usize],
            outstanding: BTreeMap::new(),
            number: 0,
            done: 0,
            broken_promises: 0,
            undone: 0,
            capacitors,
        }
    }

    fn send(&mut self) {
        let rng = &mut self.rng;
        let most = if rng.ratio(1, 4) { LONGEST } else { 24 };
        let len = 1 + rng.below(most);
        let first = rng.below(SECTORS - len);
        let kind = match rng.below(20) {
            0..12 => Kind::Write,
            12..15 => Kind::Read,
            15 => Kind::Trim,
            16 => Kind::WriteZeroes {
                may_trim: rng.ratio(1, 2),
            },
            _ => Kind::Flush,
        };
        let (first, len) = if kind == Kind::Flush {
            (0, 0)
        } else {
            (first, len)
        };
        let (begin, end) = (first * SECTOR, (first + len) * SECTOR);
        let overlaps = |sent: &Sent| {
            let other = &sent.request;
            begin < other.offset_bytes + other.len_bytes && other.offset_bytes < end
        };
        if kind != Kind::Flush && self.outstanding.values().any(overlaps) {
            return;
        }
        self.number += 1;
        let number = self.number;
        let request = Request {
            cookie: number,
            kind,
            offset_bytes: begin,
            len_bytes: end - begin,
            fua: kind == Kind::Write && rng.ratio(1, 12),
            data: match kind {
                Kind::Write => filled(number, len),
                _ => Vec::new(),
            },
        };
        let after = self.done;
        let sent = Sent {
            request: Request {
                data: Vec::new(),
                ..request.clone()
            },
            number,
            after,
        };
        self.outstanding.insert(number, sent);
        self.engine.submit(1, request);
    }

    fn advance(&mut self, limit: SimTime) -> Advanced {
        let mut answers = Vec::new();
        let advanced = self.engine.advance(limit, &mut answers);
        for answer in answers {
            self.completed(answer);
        }
        advanced
    }

    fn completed(&mut self, answer: Answer) {
        let sent = self
            .outstanding
            .remove(&answer.cookie)
            .expect("it was sent");
        self.done += 1;
        let done = self.done;
        let range = {
            let begin = sent.request.offset_bytes / SECTOR;
            begin as usize..(begin + sent.request.len_bytes / SECTOR) as usize
        };
        match (sent.request.kind, answer.ended) {
            (Kind::Read, Ended::Read { data, .. }) => {
                for (sector, data) in self.sectors[range].iter().zip(data.chunks(SECTOR as usize)) {
                    let last = sector.last();
                    assert_eq!(number_in(data), last);
                }
            }
            (Kind::Write, Ended::Done) => {
                for sector in &mut self.sectors[range] {
                    sector.since.push((sent.number, done));
                    if sent.request.fua {
                        settle(sector, u64::MAX);
                    }
                }
            }
            (Kind::WriteZeroes { .. }, Ended::Done) => {
                for sector in &mut self.sectors[range] {
                    sector.since.push((0, done));
                }
            }
            (Kind::Trim, Ended::Done) => {
                // Whole pages, of 8 sectors each.
                let (begin, end) = (range.start.next_multiple_of(8), range.end / 8 * 8);
                for sector in self.sectors.get_mut(begin..end).into_iter().flatten() {
                    sector.since.push((0, done));
                }
            }
            (Kind::Flush, Ended::Done) => {
                for sector in &mut self.sectors {
                    settle(sector, sent.after);
                }
            }
            (kind, ended) => panic!("{kind:?} ended with {ended:?}"),
        }
    }

    /// After a cut, counts the sectors with impossible contents. From now on, each sector's present
    /// contents are the only possible ones.
    fn check(&mut self) {
        let data = self.engine.data().read(0, SECTORS * SECTOR).unwrap();
        for (at, (sector, data)) in self.sectors.iter_mut().zip(data.chunks(512)).enumerate() {
            let holds = number_in(data);
            let covers = |sent: &Sent| {
                let (begin, len) = (sent.request.offset_bytes, sent.request.len_bytes);
                let byte = at as u64 * SECTOR;
                begin <= byte && byte < begin + len
            };
            let under_way = self.outstanding.values().any(|sent| {
                let writes = match sent.request.kind {
                    Kind::Write => Some(sent.number),
                    Kind::Trim | Kind::WriteZeroes { .. } => Some(0),
                    Kind::Read | Kind::Flush => None,
                };
                covers(sent) && writes == Some(holds)
            });
            let last = sector.last();
            let may = match self.capacitors {
                true => holds == last,
                false => {
                    holds == sector.settled
                        || sector.since.iter().any(|(number, _)| *number == holds)
                }
            };
            if !may && !under_way {
                self.broken_promises += 1;
            }
            self.undone += u64::from(holds != last && !under_way);
            *sector = Sector {
                settled: holds,
                since: Vec::new(),
            };
        }
        self.outstanding.clear();
    }

    /// Some requests, then a power cut, then power on.
    fn live(&mut self) {
        let at = match self.rng.below(3) {
            0 => Some(CutAt::Writes(1 + self.rng.below(60))),
            1 => Some(CutAt::FlashEvents(1 + self.rng.below(400))),
            _ => None,
        };
        if let Some(at) = at {
            self.engine.arm(at);
        }
        for _ in 0..40 + self.rng.below(100) {
            for _ in 0..1 + self.rng.below(8) {
                self.send();
            }
            let limit = self.engine.drive().now() + Nanos(self.rng.below(400_000));
            loop {
                match self.advance(limit) {
                    Advanced::Reached => break,
                    Advanced::More => {}
                    Advanced::Cut => return self.cut(),
                }
            }
            // The data need not be up to date at every answer.
            if self.rng.ratio(1, 3) {
                self.engine.settle();
            }
        }
        self.cut();
    }

    fn cut(&mut self) {
        self.engine.power_cut().unwrap();
        self.check();
        self.engine.power_on();
        if self.rng.ratio(3, 4) {
            // Usually the recovery has finished.
            let recovered = self.engine.drive().now() + Nanos::from_millis(2_000);
            assert_eq!(self.advance(recovered), Advanced::Reached);
        }
    }
}

impl Sector {
    /// Contents if nothing is lost.
    fn last(&self) -> u64 {
        self.since
            .last()
            .map_or(self.settled, |(number, _)| *number)
    }
}

/// The effect of the first `after` completed requests is certain.
fn settle(sector: &mut Sector, after: u64) {
    let certain = sector.since.iter().rposition(|(_, done)| *done <= after);
    if let Some(certain) = certain {
        sector.settled = sector.since[certain].0;
        sector.since.drain(..=certain);
    }
}

fn lives(seed: u64, capacitors: bool, flush_ignored: bool) -> (u64, u64) {
    let mut client = Client::new(seed, capacitors, flush_ignored);
    for _ in 0..25 {
        client.live();
    }
    (client.broken_promises, client.undone)
}

#[test]
fn honest_drives_keep_what_they_promise() {
    let mut undone = 0;
    for seed in 0..6 {
        let (broken, lost) = lives(seed, false, false);
        assert_eq!(broken, 0, "seed {seed}");
        undone += lost;
        assert_eq!(
            lives(seed, true, false),
            (0, 0),
            "seed {seed}, with capacitors"
        );
    }
    // Acknowledged writes without a flush may be undone, and some are.
    assert!(undone > 0);
}

#[test]
fn a_drive_that_ignores_flushes_breaks_promises() {
    let broken: u64 = (0..6).map(|seed| lives(seed, false, true).0).sum();
    assert!(broken > 0);
}
