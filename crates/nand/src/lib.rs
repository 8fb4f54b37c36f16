//! NAND flash: dies, channels, cell modes and their timing.
