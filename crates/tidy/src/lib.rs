//! Checks of the source as text: what the compiler and clippy do not see.
//!
//! A check takes [`SourceFile`]s and gives [`Finding`]s. `tests/tidy.rs` runs every check over
//! the repository and compares the findings with `exceptions.txt`, which lists what is not yet
//! in order. An exception that is larger than what is found fails the test as well, so that the
//! table can only shrink.
//!
//! | module | checks |
//! |---|---|
//! | [`crates`] | crates import only crates above them in the map of `ARCHITECTURE.md`; all have the lints of the workspace |
//! | [`modules`] | no circle of imports between the modules of a crate |
//! | [`lengths`] | lines of functions and files, columns of lines |
//! | [`structs`] | fields, methods and files of a struct |
//! | [`identities`] | pages, superblocks, dies and commands of the simulator have types of their own |
//! | [`words`] | banned words, with the word to use instead (`words.txt`) |
//! | [`quantities`] | a public quantity tells its unit in its name or documentation |
//! | [`text`] | no path of a machine, no unfinished code, files that documents name exist |

pub mod crates;
pub mod exceptions;
pub mod identities;
pub mod lengths;
pub mod modules;
pub mod quantities;
pub mod source;
pub mod structs;
pub mod text;
pub mod tokens;
pub mod words;

pub use exceptions::Finding;
pub use source::SourceFile;
