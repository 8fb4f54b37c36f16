//! `flow`: jobs of one flow issue requests in proportion to their weights (fio 3.33's `flow.c`).

use stend_base::SimTime;

use super::job::JobState;
use super::request::{END_SYNC, Next};
use super::timers::Timers;

/// All flows of a run.
#[derive(Debug)]
pub(super) struct Flows {
    /// By job; `None` for a job without a flow.
    members: Vec<Option<Member>>,
    flows: Vec<Flow>,
}

/// Totals of a flow.
#[derive(Debug)]
struct Flow {
    id: u32,
    /// Requests issued by jobs that have not ended, and one more, with which fio begins.
    issued: u64,
    /// Sum of the weights of these jobs.
    weight: u64,
}

/// A job of a flow.
#[derive(Debug)]
struct Member {
    flow: usize,
    weight: u64,
    issued: u64,
    pause: Pause,
    /// True if the end of the job's time is among the wake-ups.
    wakes_at_end: bool,
}

/// State of a job that is ahead of its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    None,
    /// It waits for requests of other jobs.
    Others,
    /// It waits for its own requests in flight, before it sleeps.
    Own,
    Until(SimTime),
}

impl Flows {
    /// The flows of `jobs`; `None` without any.
    pub fn new(jobs: &[JobState<'_>]) -> Option<Flows> {
        let mut flows: Vec<Flow> = Vec::new();
        let mut members = Vec::new();
        for job in jobs {
            let spec = job.plan.spec;
            if spec.flow.weight == 0 {
                members.push(None);
                continue;
            }
            let known = flows.iter().position(|flow| flow.id == spec.flow.id);
            let flow = known.unwrap_or_else(|| {
                flows.push(Flow {
                    id: spec.flow.id,
                    issued: 1,
                    weight: 0,
                });
                flows.len() - 1
            });
            flows[flow].weight += u64::from(spec.flow.weight);
            members.push(Some(Member {
                flow,
                weight: spec.flow.weight.into(),
                issued: 0,
                pause: Pause::None,
                wakes_at_end: false,
            }));
        }
        (!flows.is_empty()).then_some(Flows { members, flows })
    }

    /// The next action of a job, with regard to its flow.
    pub fn next(
        &mut self,
        index: u32,
        job: &mut JobState<'_>,
        now: SimTime,
        timers: &mut Timers,
    ) -> Next {
        let Some(member) = &mut self.members[index as usize] else {
            return job.next(now);
        };
        if job.is_over(now) {
            return job.next(now);
        }
        if let Some(next) = member.held(&self.flows[member.flow], job, now) {
            if !std::mem::replace(&mut member.wakes_at_end, true) && job.end_at() < SimTime::NEVER {
                timers.arm_also(index, job.end_at());
            }
            return next;
        }
        let next = job.next(now);
        if matches!(next, Next::Submit { kind, .. } if kind != END_SYNC) {
            let flow = member.flow;
            member.issued += 1;
            self.flows[flow].issued += 1;
            self.release(flow, now, timers);
        }
        next
    }

    /// Removes a job that has ended.
    pub fn leave(&mut self, index: u32, now: SimTime, timers: &mut Timers) {
        if let Some(member) = self.members[index as usize].take() {
            let flow = &mut self.flows[member.flow];
            flow.issued -= member.issued;
            flow.weight -= member.weight;
            self.release(member.flow, now, timers);
        }
    }

    /// Wakes the jobs of a flow that have waited for others and are no longer ahead.
    fn release(&mut self, flow: usize, now: SimTime, timers: &mut Timers) {
        let totals = &self.flows[flow];
        for (index, member) in self.members.iter_mut().enumerate() {
            if let Some(member) = member
                && member.flow == flow
                && member.pause == Pause::Others
                && !member.is_ahead(totals)
            {
                member.pause = Pause::None;
                timers.arm_also(index as u32, now);
            }
        }
    }
}

impl Member {
    /// True if the job's share of the requests is above its share of the weights.
    fn is_ahead(&self, flow: &Flow) -> bool {
        let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
        product(self.issued, flow.weight) > product(self.weight, flow.issued)
    }

    /// The action of a job that must wait.
    fn held(&mut self, flow: &Flow, job: &JobState<'_>, now: SimTime) -> Option<Next> {
        let sleep = job.plan.spec.flow.sleep;
        match self.pause {
            Pause::Until(at) if now < at => return Some(Next::Wake(at.min(job.end_at()))),
            Pause::Own => {}
            _ if !self.is_ahead(flow) => {
                self.pause = Pause::None;
                return None;
            }
            _ => {}
        }
        if sleep.0 == 0 {
            self.pause = Pause::Others;
            return Some(Next::Hold);
        }
        if job.outstanding() > 0 {
            self.pause = Pause::Own;
            return Some(Next::Hold);
        }
        self.pause = Pause::Until(now + sleep);
        Some(Next::Wake((now + sleep).min(job.end_at())))
    }
}
