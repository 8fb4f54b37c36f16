//! The lab as pages.
