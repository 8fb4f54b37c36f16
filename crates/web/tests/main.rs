//! The pages: their routes in this process, and in headless Chromium.

mod accessibility;
#[path = "../../report/tests/axe.rs"]
mod axe;
mod browser;
mod chromium;
mod common;
mod lists;
mod routes;
mod security;
