//! The review as one self-contained page.
