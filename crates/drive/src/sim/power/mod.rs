//! Power and heat: what a cut takes and what brings the rest back, energy, idle states,
//! throttling.

pub(in crate::sim) mod changes;
pub(in crate::sim) mod durability;
pub(in crate::sim) mod energy;
pub(in crate::sim) mod idle_states;
pub(in crate::sim) mod journal;
pub(in crate::sim) mod part_writes;
pub(in crate::sim) mod partial_parity;
pub(in crate::sim) mod power_cut;
pub(in crate::sim) mod thermal;
