//! The lab as pages of a web browser on this machine: `stend lab serve`.
//!
//! | module | content |
//! |---|---|
//! | `words` | figures and times in the form of pages |
//! | `app` | state that all pages share: the lab, the token of forms, the worker's wake-up |
//! | `trouble` | errors as pages |
//! | `head`, `page` | parts that all pages share, and their content policies |
//! | `guard` | rejects requests from elsewhere, and sets the headers of every response |
//! | `chart` | charts as data for the browser |
//! | `figures` | the main figures of a recorded job or replay |
//! | `asset` | style, scripts and plotly.js |
//! | `what_if` | comparisons of a drive with itself with other figures, as studies |
//! | `worker` | carries queued work out, one piece at a time |
//! | `pages` | the pages |
//! | `server` | sockets of the loopback interface |
//!
//! Handlers wait for SQLite on separate threads. Only growing curves are kept in memory, and only
//! the lab is written.

mod address;
mod app;
mod asset;
mod chart;
mod figures;
mod guard;
mod head;
mod models;
mod page;
mod pages;
mod server;
mod trouble;
mod what_if;
mod words;
mod worker;

pub use app::App;
pub use pages::router;
pub use server::{ServeError, Server, Stop};
pub use worker::carry_out_next;
