//! Commands of the control socket.

use serde_json::Value;
use stend_base::{Device, Op, Request, SimTime};
use stend_drive::SimDrive;
use stend_load::target::{Target, TargetError, input};
use stend_simulated::SimulatedTarget;

use super::control::{Command, Report, done, failed, last_cut, lateness};
use super::{Effect, Server};
use crate::PAGE_BYTES;
use crate::engine::CutAt;

/// Maximum length of a command, bytes.
const LINE_BYTES_MAX: usize = 64 << 10;

/// Maximum of `idle`, s: a year.
pub const IDLE_S_MAX: f64 = 366.0 * 86_400.0;

/// Bytes that the host can write before the pool for new data is full, excluding their parity.
fn free_entry_bytes(drive: &SimDrive) -> u64 {
    let bytes = drive.inspect().free_entry_pages() * PAGE_BYTES;
    match drive.spec().parity_data.map(u64::from) {
        Some(data) => bytes * data / (data + 1),
        None => bytes,
    }
}

impl Server {
    /// State of the server.
    pub(super) fn status(&self) -> Report {
        let drive = self.engine.drive();
        let (health, model) = (drive.health(), self.engine.model());
        Report {
            model: model.name.clone(),
            title: model.title.clone(),
            capacity_bytes: drive.capacity_bytes(),
            power: drive.has_power(),
            clients: self.clients.len() as u64,
            totals: self.engine.totals(),
            write_amplification: drive.counters().write_amplification(),
            free_entry_bytes: free_entry_bytes(drive),
            temperature_c: health.temperature_c().map(|c| c as f64),
            used_percent: health.used_percent,
            undo_pages: self.engine.undo_pages() as u64,
            lateness: lateness(self.clock.map(|_| self.lateness.summary())),
            last_cut: last_cut(self.last_cut),
        }
    }

    /// Reads and runs the commands that have arrived at a control socket.
    pub(super) fn serve_controller(&mut self, id: u64) -> std::io::Result<()> {
        let Some(controller) = self.controllers.get_mut(&id) else {
            return Ok(());
        };
        if !self.pending.is_empty() {
            return Ok(());
        }
        let mut bytes = [0; 4096];
        match controller.connection.read(&mut bytes) {
            Ok(Some(len)) => controller.line.extend_from_slice(&bytes[..len]),
            Ok(None) | Err(_) => {
                self.controllers.remove(&id);
                return Ok(());
            }
        }
        while let Some(controller) = self.controllers.get_mut(&id) {
            let Some(end) = controller.line.iter().position(|byte| *byte == b'\n') else {
                if controller.line.len() > LINE_BYTES_MAX {
                    self.controllers.remove(&id);
                }
                return Ok(());
            };
            let line: Vec<u8> = controller.line.drain(..=end).collect();
            match serde_json::from_slice::<Command>(&line) {
                Ok(command) => self.perform(id, command)?,
                Err(error) => self.tell(id, &failed(&input(format!("no command: {error}")))),
            }
        }
        Ok(())
    }

    fn tell(&mut self, id: u64, answer: &Value) {
        if let Some(controller) = self.controllers.get_mut(&id) {
            let out = controller.connection.out();
            out.extend(answer.to_string().into_bytes());
            out.push(b'\n');
        }
    }

    fn perform(&mut self, id: u64, command: Command) -> std::io::Result<()> {
        let answer = match command {
            Command::Status => done(self.status()),
            Command::Counters => done(self.engine.drive().counters()),
            Command::Health => done(self.engine.smart()),
            Command::Stop => {
                self.stopping = true;
                done("it ends")
            }
            Command::PowerCut {
                at_flash_event,
                after_writes,
            } => match self.power_cut(at_flash_event, after_writes)? {
                Ok(what) => done(what),
                Err(why) => failed(&input(why)),
            },
            Command::PowerOn if self.engine.drive().has_power() => {
                failed(&input("the power is on"))
            }
            Command::PowerOn => {
                self.engine.power_on();
                done("the power is on")
            }
            // Other commands wait until no request is under way.
            later => {
                self.pending.push((id, later));
                return Ok(());
            }
        };
        self.tell(id, &answer);
        Ok(())
    }

    fn power_cut(
        &mut self,
        at_flash_event: Option<u64>,
        after_writes: Option<u64>,
    ) -> std::io::Result<Result<Value, &'static str>> {
        if !self.engine.can_cut() {
            return Ok(Err(
                "the drive's model has no durability ([power_loss]), so that power cuts cannot be \
                 simulated",
            ));
        }
        if !self.engine.drive().has_power() {
            return Ok(Err("the power is off; turn it on by `power-on`"));
        }
        let at = match (at_flash_event, after_writes) {
            (Some(_), Some(_)) => return Ok(Err("at_flash_event or after_writes, not both")),
            (Some(0), None) | (None, Some(0)) => return Ok(Err("at least 1")),
            (Some(events), None) => CutAt::FlashEvents(events),
            (None, Some(writes)) => CutAt::Writes(writes),
            (None, None) => {
                self.cut()?;
                return Ok(Ok(last_cut(self.last_cut)));
            }
        };
        self.engine.arm(at);
        Ok(Ok("the power will be cut".into()))
    }

    /// Runs the waiting commands, if no request is under way.
    pub(super) fn perform_pending(&mut self) -> std::io::Result<()> {
        if self.pending.is_empty() || !self.engine.is_silent() {
            return Ok(());
        }
        for (id, command) in std::mem::take(&mut self.pending) {
            let answer = match self.perform_in_silence(command) {
                Ok(what) => done(what),
                Err(why) => failed(&why),
            };
            self.tell(id, &answer);
        }
        self.reset_clock();
        Ok(())
    }

    fn perform_in_silence(&mut self, command: Command) -> Result<Value, TargetError> {
        if !self.engine.drive().has_power() {
            return Err(input("the power is off; turn it on by `power-on`"));
        }
        match command {
            Command::Snapshot { file } if !file.is_absolute() => {
                let name = file.display();
                Err(input(format!("{name}: name an absolute path")))
            }
            Command::Snapshot { file } => {
                let kept = self.engine.snapshot(&file);
                kept.map(|()| Value::from(file.display().to_string()))
            }
            Command::Idle { seconds } if !(0.0..=IDLE_S_MAX).contains(&seconds) => {
                Err(input(format!("{seconds} s: from 0 to {IDLE_S_MAX}")))
            }
            Command::Idle { seconds } => {
                self.engine.target().idle(seconds)?;
                Ok(Value::from(seconds))
            }
            Command::Drive { arguments } => self.act(&arguments),
            other => unreachable!("{other:?} waits for nothing"),
        }
    }

    fn act(&mut self, arguments: &Value) -> Result<Value, TargetError> {
        let target = self.engine.target();
        recover(target);
        let (answer, effect) = (self.options.act)(target, arguments)?;
        let changes = target.drive().counters().changes;
        let data = self.engine.data();
        let kept = match effect {
            Effect::None => Ok(()),
            Effect::Trimmed(offset, len) => data.trimmed(offset, len, changes),
            Effect::Erased => data.erased(),
        };
        kept.map_err(|error| {
            TargetError::Failed(format!("done, but the data file fails: {error}"))
        })?;
        // Over-provisioning changes the capacity, and clients know the old one.
        let before = self.export.size_bytes;
        self.describe();
        if self.export.size_bytes != before {
            self.send();
            self.clients.clear();
        }
        Ok(answer)
    }
}

/// Waits until a drive has recovered, which other operations on it require.
fn recover(target: &mut SimulatedTarget) {
    let drive = target.drive_mut();
    drive.submit(Request {
        op: Op::Flush,
        ..Request::default()
    });
    drive.advance(SimTime::NEVER);
}
