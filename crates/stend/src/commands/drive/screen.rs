//! The screen of `stend drive monitor`.

use std::collections::VecDeque;
use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Stylize;
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Sparkline};
use ratatui::{DefaultTerminal, Frame};
use stend_load::target::Reading;

use super::readings::{Watched, directions, latency, temperature, used};
use crate::failure::Failure;
use crate::signals;

/// Time that one poll waits for a key.
const KEY_POLL: Duration = Duration::from_millis(50);

/// Number of readings kept for the curves: more than any terminal has columns.
const HISTORY: usize = 1000;

/// Shows readings until q, Ctrl-C, their end, or after `count` of them; restores the terminal.
pub fn show(watched: &Watched, count: u64) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init().map_err(|error| terminal_error(&error))?;
    signals::restore_terminal_by(Some(restore));
    let result = watch(&mut terminal, watched, count);
    restore();
    signals::restore_terminal_by(None);
    result
}

/// Restores the terminal. Drawing hides the cursor; ratatui shows it again only when a terminal is
/// dropped, which does not happen at a signal.
fn restore() {
    ratatui::restore();
    let _ = execute!(std::io::stdout(), Show);
}

fn terminal_error(error: &std::io::Error) -> Failure {
    Failure::Io(format!(
        "the terminal cannot show a screen: {error}; --once --count N prints lines"
    ))
}

fn watch(terminal: &mut DefaultTerminal, watched: &Watched, count: u64) -> Result<(), Failure> {
    let mut view = View {
        title: watched.title.clone(),
        clock: watched.clock,
        history: VecDeque::new(),
        ended: false,
    };
    let mut left = count;
    loop {
        // A signal restores the terminal, after which nothing may be drawn.
        signals::undisturbed(|| terminal.draw(|frame| draw(frame, &view)).map(drop))
            .map_err(|error| terminal_error(&error))?;
        if left == 0 {
            return Ok(());
        }
        if event::poll(KEY_POLL).map_err(|error| terminal_error(&error))?
            && let Event::Key(key) = event::read().map_err(|error| terminal_error(&error))?
            && ends(&key)
        {
            return Ok(());
        }
        // When a simulation ends, its last readings stay on the screen.
        while !view.ended && left > 0 {
            match watched.readings.try_recv() {
                Ok(reading) => view.add(reading?),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => view.ended = true,
            }
            left = left.saturating_sub(u64::from(!view.ended));
        }
    }
}

/// True if a key ends the display. In raw mode, Ctrl-C is an ordinary key.
fn ends(key: &KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    key.kind == KeyEventKind::Press
        && match key.code {
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => true,
            KeyCode::Char('c' | 'C') => control,
            _ => false,
        }
}

/// State of the screen.
struct View {
    title: String,
    clock: &'static str,
    history: VecDeque<Reading>,
    ended: bool,
}

impl View {
    fn add(&mut self, reading: Reading) {
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        self.history.push_back(reading);
    }

    fn rows(&self) -> Vec<Line<'static>> {
        let Some(now) = self.history.back() else {
            return vec![Line::from("waiting for the first reading")];
        };
        let [reads, writes] = directions(now).map(|(name, iops, bw, ns)| {
            Line::from(format!(
                "{name:<12}{iops:>10.0} IOPS {:>9.1} MB/s   mean latency {}",
                bw / 1e6,
                latency(ns)
            ))
        });
        vec![
            reads,
            writes,
            Line::from(format!(
                "queue depth {:>10.1} mean {:>9} now",
                now.queue_depth_mean, now.in_flight
            )),
            Line::from(format!("{}   {}", temperature(now), used(now))),
        ]
    }

    /// Speeds that fit into the columns, the last one on the right.
    fn speeds(&self, columns: u16, of: fn(&Reading) -> f64) -> Vec<u64> {
        let skip = self.history.len().saturating_sub(usize::from(columns));
        let shown = self.history.iter().skip(skip);
        shown.map(|reading| of(reading) as u64).collect()
    }
}

fn draw(frame: &mut Frame<'_>, view: &View) {
    let [head, now, reads, writes, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(6),
        Constraint::Fill(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let t_s = view.history.back().map_or(0.0, |reading| reading.t_s);
    let time = match view.ended {
        true => format!("the job ended after {t_s:.1} {}", view.clock),
        false => format!("{t_s:.1} {}", view.clock),
    };
    frame.render_widget(Line::from(format!("{}   {time}", view.title)).bold(), head);
    let block = Block::bordered().title("now");
    frame.render_widget(Paragraph::new(view.rows()).block(block), now);
    curve(frame, reads, "reads", view, |r| r.read_bw_bytes_per_s);
    curve(frame, writes, "writes", view, |r| r.write_bw_bytes_per_s);
    frame.render_widget(Line::from("q or Ctrl-C ends it").dim(), foot);
}

/// Draws speeds over time, scaled to the highest of those shown.
fn curve(frame: &mut Frame<'_>, area: Rect, name: &str, view: &View, of: fn(&Reading) -> f64) {
    let speeds = view.speeds(area.width.saturating_sub(2), of);
    let most = speeds.iter().max().copied().unwrap_or(0);
    let title = format!("{name}, MB/s (top: {:.1})", most as f64 / 1e6);
    let curve = Sparkline::default()
        .block(Block::bordered().title(title))
        .data(&speeds);
    frame.render_widget(curve, area);
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn drawn(view: &View, columns: u16, rows: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|frame| draw(frame, view)).unwrap();
        let buffer = terminal.backend().buffer();
        let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
        cells
            .chunks(usize::from(columns))
            .map(|row| row.concat().trim_end().to_owned())
            .collect()
    }

    fn view(readings: impl IntoIterator<Item = Reading>) -> View {
        let mut view = View {
            title: "A drive (/dev/sdz)".to_owned(),
            clock: "s",
            history: VecDeque::new(),
            ended: false,
        };
        readings.into_iter().for_each(|reading| view.add(reading));
        view
    }

    fn reading(t_s: f64, read_mb_per_s: f64) -> Reading {
        Reading {
            t_s,
            read_iops: 61_234.0,
            read_bw_bytes_per_s: read_mb_per_s * 1e6,
            queue_depth_mean: 31.9,
            in_flight: 32,
            read_latency_ns_mean: Some(521_300.0),
            temperature_c: Some(41.0),
            used_percent: Some(3),
            ..Reading::default()
        }
    }

    #[test]
    fn every_figure_stands_on_the_screen() {
        let rows = drawn(&view([reading(1.0, 10.0), reading(2.5, 250.8)]), 80, 16);
        let text = rows.join("\n");
        for part in [
            "A drive (/dev/sdz)   2.5 s",
            "61234 IOPS     250.8 MB/s   mean latency 521.3 µs",
            "0 IOPS       0.0 MB/s   mean latency no latency",
            "31.9 mean        32 now",
            "41 °C   3 % of its life used",
            "reads, MB/s (top: 250.8)",
            "q or Ctrl-C ends it",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let ended = View {
            ended: true,
            clock: "virtual s",
            ..view([reading(2.5, 1.0)])
        };
        let text = drawn(&ended, 80, 16).join("\n");
        assert!(text.contains("the job ended after 2.5 virtual s"), "{text}");
    }

    #[test]
    fn curves_end_on_the_right_and_small_terminals_do_no_harm() {
        let rising = (0..200).map(|n| reading(f64::from(n), f64::from(n)));
        let view = view(rising);
        assert_eq!(
            view.speeds(3, |r| r.read_bw_bytes_per_s),
            [197_000_000, 198_000_000, 199_000_000]
        );
        let rows = drawn(&view, 30, 16);
        let top = rows.iter().find(|row| row.contains('█')).unwrap();
        assert!(top.trim_end_matches('│').ends_with('█'), "{rows:#?}");
        for (columns, lines) in [(1, 1), (2, 2), (10, 3), (200, 60)] {
            drawn(&view, columns, lines);
        }
        let many = (0..2 * HISTORY).map(|n| reading(n as f64, 1.0));
        assert_eq!(super::tests::view(many).history.len(), HISTORY);
    }

    #[test]
    fn q_and_ctrl_c_end_it() {
        let key = |code, modifiers| ends(&KeyEvent::new(code, modifiers));
        assert!(key(KeyCode::Char('q'), KeyModifiers::NONE));
        assert!(key(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert!(!key(KeyCode::Char('c'), KeyModifiers::NONE));
        assert!(!key(KeyCode::Enter, KeyModifiers::NONE));
    }
}
