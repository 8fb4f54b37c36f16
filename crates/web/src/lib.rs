//! The lab as pages of a web browser on this machine: `stend lab serve`.
//!
//! | module | what |
//! |---|---|
//! | `words` | figures and times as pages show them |
//! | `app` | what all pages share: the lab, the token of forms, who waits for what |
//! | `trouble` | what goes wrong, as a page |
//! | `head`, `page` | what all pages have in common, and the policies of their content |
//! | `guard` | which requests are refused, and the headers of every answer |
//! | `chart` | charts as data for the browser |
//! | `figures` | the main figures of a recorded job or replay |
//! | `asset` | style, scripts and plotly.js |
//! | `what_if` | a drive beside itself with other figures, as studies |
//! | `worker` | carries queued work out, one piece at a time |
//! | `pages` | the pages |
//! | `server` | sockets of the loopback interface |
//!
//! Handlers wait for SQLite on threads of their own; nothing is kept in memory but curves that
//! grow. Nothing is written but the lab.

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

pub use app::{App, Program};
pub use pages::router;
pub use server::{ServeError, Server, Stop};
pub use worker::carry_out_next;
