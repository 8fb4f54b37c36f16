//! What follows from a recorded series: steps, levels, recovery.
