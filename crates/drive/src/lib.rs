//! A simulated solid-state drive, from its described hardware and firmware.
