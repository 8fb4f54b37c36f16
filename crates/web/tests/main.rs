//! The pages: their routes in this process, and in headless Chromium.

mod browser;
mod chromium;
mod common;
mod lists;
mod routes;
mod security;
