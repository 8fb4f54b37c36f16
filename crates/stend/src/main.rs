//! A laboratory for solid-state drives: the command line.

fn main() {}
