//! Editions of the methodology as data, and their execution.
