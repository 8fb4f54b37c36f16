//! Formats statements as sentences of the current language.

use stend_language::{say, text};
use stend_record::load::Load;
use stend_record::review::Link;

use super::lasting::{Back, Fall, Rank};
use super::link::limit_bytes_per_s;
use super::rules::DESKTOP_DAY_BYTES;
use super::statement::{Beware, Caution, SpeedClass, Standing, Statement, Suits};
use crate::headline::Group;
use crate::shortened;
use crate::words;

fn key(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

pub(super) fn statement(statement: &Statement) -> String {
    match statement {
        Statement::Sequential { .. } => sequential(statement),
        Statement::Standing { rivals, standing } => standing_words(rivals, *standing),
        Statement::Outlier { rival, area, ratio } => {
            let (area, times) = (area_key(*area), words::times(*ratio));
            text!("verdict-outlier", rival = rival, area = area, times = times)
        }
        Statement::Lasting { .. } => lasting(statement),
        Statement::Rest { idle, trim } => rest(*idle, *trim),
        Statement::Suits(suits) => suits_words(*suits),
        Statement::Beware(beware) => beware_words(*beware),
    }
}

fn sequential(statement: &Statement) -> String {
    let Statement::Sequential {
        drive,
        is_model,
        read_bytes_per_s,
        write_bytes_per_s,
        loads,
        class,
    } = statement
    else {
        return String::new();
    };
    let model = key(*is_model);
    let [read, write] = [*read_bytes_per_s, *write_bytes_per_s].map(words::speed);
    let load = loads_words(loads);
    let (id, link, full, slow) = match class {
        SpeedClass::AtLimit { link, full } => {
            ("verdict-sequential-at-limit", Some(*link), *full, false)
        }
        SpeedClass::ReadsAtLimit {
            link,
            full,
            writes_slowly,
        } => (
            "verdict-sequential-reads-at-limit",
            Some(*link),
            *full,
            *writes_slowly,
        ),
        SpeedClass::BelowLimit(link) => {
            ("verdict-sequential-below-limit", Some(*link), false, false)
        }
        SpeedClass::OneAtATime => ("verdict-sequential-one-at-a-time", None, false, false),
        _ => ("verdict-sequential-unknown-link", None, false, false),
    };
    let class = match class {
        SpeedClass::HardDisk => "hard-disk",
        SpeedClass::Sata => "sata",
        _ => "beyond",
    };
    let limit = link.map(|link| words::speed(limit_bytes_per_s(link)));
    text!(
        id,
        drive = drive,
        model = model,
        read = read,
        write = write,
        load = load,
        link = link.map(Link::bus).unwrap_or_default(),
        limit = limit.unwrap_or_default(),
        full = key(full),
        slow = key(slow),
        class = class
    )
}

/// Names the loads of the two speeds, for use in brackets.
fn loads_words([read, write]: &[Load; 2]) -> String {
    let of = |load: &Load| {
        let (block, depth) = (
            words::block(load.block_bytes),
            load.queue_depth * load.threads,
        );
        text!("verdict-load", block = block, depth = depth)
    };
    match (of(read), of(write)) {
        (read, write) if read == write => read,
        (read, write) => text!("verdict-loads", read = read, write = write),
    }
}

fn area_key(area: Group) -> &'static str {
    match area {
        Group::Reads => "reads",
        Group::Writes => "writes",
        Group::Sustained => "sustained",
        Group::Mixed => "mixed",
        Group::Applications => "applications",
    }
}

/// Formats a lead: the form and the figure.
fn lead(ratio: f64) -> (&'static str, String) {
    match ratio {
        ratio if ratio >= 2.0 => ("times", words::times(ratio)),
        ratio => ("share", words::percent(ratio - 1.0)),
    }
}

fn standing_words(rivals: &[String], standing: Standing) -> String {
    let (count, names) = (rivals.len(), words::list(rivals));
    match standing {
        Standing::Level => text!("verdict-standing-level", rivals = count, names = names),
        Standing::Ahead { throughout, most } => {
            let (form, lead) = lead(most.1);
            text!(
                "verdict-standing-ahead",
                rivals = count,
                names = names,
                throughout = key(throughout),
                area = area_key(most.0),
                form = form,
                lead = lead
            )
        }
        Standing::Behind { throughout, most } => text!(
            "verdict-standing-behind",
            rivals = count,
            names = names,
            throughout = key(throughout),
            behind = area_key(most.0),
            share = words::percent(most.1)
        ),
        Standing::Mixed { ahead, behind } => {
            let (form, lead) = lead(ahead.1);
            text!(
                "verdict-standing-mixed",
                rivals = count,
                names = names,
                area = area_key(ahead.0),
                form = form,
                lead = lead,
                behind = area_key(behind.0),
                share = words::percent(behind.1)
            )
        }
    }
}

fn lasting(statement: &Statement) -> String {
    let Statement::Lasting {
        pattern,
        unit,
        start,
        end,
        written_bytes,
        fall,
        rank,
    } = statement
    else {
        return String::new();
    };
    let rank = match rank {
        Rank::Strong => "strong",
        Rank::Usual => "usual",
        Rank::Weak => "weak",
    };
    let pattern = pattern.words();
    let [start, end] = [*start, *end].map(|speed| unit.words(speed));
    match fall {
        None => text!(
            "verdict-lasting-holds",
            rank = rank,
            pattern = pattern,
            start = start,
            end = end,
            written = words::bytes(*written_bytes)
        ),
        Some(Fall::Kept { bytes }) => text!(
            "verdict-lasting-falls",
            rank = rank,
            pattern = pattern,
            start = start,
            end = end,
            bytes = words::bytes(*bytes)
        ),
        Some(Fall::Gradual { bytes }) => text!(
            "verdict-lasting-declines",
            rank = rank,
            pattern = pattern,
            start = start,
            end = end,
            bytes = words::bytes(*bytes)
        ),
        Some(Fall::Steps { bytes, middle }) => text!(
            "verdict-lasting-steps",
            rank = rank,
            pattern = pattern,
            start = start,
            middle = unit.words(*middle),
            end = end,
            bytes = words::bytes(*bytes)
        ),
    }
}

fn rest(idle: Back, trim: Option<Back>) -> String {
    let (trim, trimmed) = match trim {
        None => ("unknown", 0),
        Some(Back::Nothing) => ("nothing", 0),
        Some(Back::Part { bytes, .. }) => ("part", bytes),
        Some(Back::Whole) => ("whole", 0),
    };
    match idle {
        Back::Nothing => {
            let trimmed = words::bytes(trimmed);
            text!("verdict-rest-nothing", trim = trim, trimmed = trimmed)
        }
        Back::Part { bytes, little } => text!(
            "verdict-rest-part",
            trim = trim,
            little = key(little),
            bytes = words::bytes(bytes)
        ),
        Back::Whole => say("verdict-rest-whole"),
    }
}

fn suits_words(suits: Suits) -> String {
    match suits {
        Suits::Desktop {
            latency_ns,
            quick,
            day,
            games,
        } => {
            let id = match games {
                true => "verdict-suits-desktop-and-games",
                false => "verdict-suits-desktop",
            };
            text!(
                id,
                quick = key(quick),
                day = key(day),
                latency = words::latency(latency_ns),
                volume = words::bytes(DESKTOP_DAY_BYTES)
            )
        }
        Suits::Database { commit_ns } => {
            let latency = words::latency(commit_ns);
            text!("verdict-suits-database", latency = latency)
        }
        Suits::ReadServer { iops, depth } => {
            let reads = words::number(iops);
            text!("verdict-suits-read-server", depth = depth, reads = reads)
        }
    }
}

fn beware_words(beware: Beware) -> String {
    match beware {
        Beware::EarlyEnd {
            written_bytes,
            rated_bytes,
        } => {
            let [written, rated] = [written_bytes, rated_bytes].map(words::bytes);
            text!("verdict-early-end", written = written, rated = rated)
        }
        Beware::Stalls {
            total_s,
            longest_s,
            slowest_ns,
        } => {
            let id = match (total_s, slowest_ns) {
                (0.0, _) => "verdict-stalls-request",
                (_, 0) => "verdict-stalls-seconds",
                _ => "verdict-stalls",
            };
            text!(
                id,
                total = words::time(total_s),
                longest = words::time(longest_s),
                slowest = words::latency(slowest_ns as f64)
            )
        }
        Beware::SlowCommits { commit_ns } => {
            let latency = words::latency(commit_ns);
            text!("verdict-slow-commits", latency = latency)
        }
        Beware::SlowReads { latency_ns } => {
            let latency = words::latency(latency_ns);
            text!("verdict-slow-reads", latency = latency)
        }
        Beware::Mix {
            pattern,
            read_percent,
            unit,
            slowest,
            reads,
            writes,
        } => text!(
            "verdict-mix",
            pattern = pattern.words(),
            percent = read_percent,
            slowest = unit.words(slowest),
            reads = unit.words(reads),
            writes = unit.words(writes)
        ),
        Beware::Uneven { unit, low, high } => {
            let [low, high] = [low, high].map(|speed| unit.words(speed));
            text!("verdict-uneven", low = low, high = high)
        }
        Beware::Deletion {
            slowest_ns,
            file_bytes,
        } => {
            let file = words::bytes(file_bytes);
            let slowest = words::latency(slowest_ns);
            text!("verdict-deletion", file = file, slowest = slowest)
        }
    }
}

pub(super) fn caution(caution: &Caution) -> String {
    match caution {
        Caution::NoTest => say("verdict-no-test"),
        Caution::Scaled(scale) => {
            let scale = words::number(*scale);
            text!("verdict-scaled", scale = scale)
        }
        Caution::Spoiled(tests) => shortened::sentence(tests),
        Caution::Doubted(tests) => {
            let (count, tests) = (tests.len(), words::list(tests));
            text!("verdict-doubted", count = count, tests = tests)
        }
        Caution::SlowLink(drive, link) => {
            text!("verdict-slow-link", drive = drive, link = link.to_string())
        }
        Caution::Unfinished(failed) if failed.is_empty() => say("verdict-unfinished"),
        Caution::Unfinished(failed) => {
            let failed = words::list(failed);
            text!("verdict-unfinished-failed", failed = failed)
        }
        Caution::UnlikeRivals(drives) => {
            let drives = words::list(drives);
            text!("verdict-unlike", drives = drives)
        }
    }
}
