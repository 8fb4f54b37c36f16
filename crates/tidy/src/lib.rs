//! Checks of the source text that the compiler and clippy do not make.
//!
//! A check receives [`SourceFile`]s and returns [`Finding`]s. `tests/tidy.rs` runs every check on
//! the repository and compares the findings with `exceptions.txt`, which lists known faults. An
//! exception larger than its findings fails the test as well, so that the table can only shrink.
//!
//! | module | checks |
//! |---|---|
//! | [`crates`] | crates import only crates above them in `ARCHITECTURE.md`; all have lints |
//! | [`modules`] | no circular imports between the modules of a crate |
//! | [`lengths`] | lines of functions and files, columns of lines |
//! | [`structs`] | fields, methods and files of a type |
//! | [`identities`] | pages, superblocks, dies and commands have their own types |
//! | [`words`] | banned words, with the word to use instead (`words.txt`) |
//! | [`quantities`] | a public quantity has a unit in its name or documentation |
//! | [`text`] | no machine-specific paths, no unfinished code, documents name existing files |

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
