//! Data of the frame of every page.

use crate::asset;

/// Data of the frame of every page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// Title of the page.
    pub title: String,
    /// Navigation link of this page.
    pub active: &'static str,
    /// True if it has charts.
    pub charts: bool,
    /// Seconds after which a browser without scripts reloads the page; 0 for never.
    pub refresh_s: u32,
    /// True if it is reloaded even with scripts.
    pub always_refresh: bool,
    /// Version of the style and scripts, so that browsers may cache them.
    pub version: &'static str,
}

impl Head {
    /// Creates the head of a page without charts.
    pub fn plain(title: impl Into<String>) -> Head {
        Head {
            title: title.into(),
            active: "",
            charts: false,
            refresh_s: 0,
            always_refresh: false,
            version: asset::version(),
        }
    }

    /// Sets the navigation link.
    pub fn under(mut self, active: &'static str) -> Head {
        self.active = active;
        self
    }

    /// Adds charts.
    pub fn with_charts(mut self) -> Head {
        self.charts = true;
        self
    }

    /// Reloads the page after `seconds` if scripts do not run.
    pub fn refreshed_without_script(mut self, seconds: u32) -> Head {
        self.refresh_s = seconds;
        self
    }

    /// Reloads the page after `seconds`.
    pub fn refreshed(mut self, seconds: u32) -> Head {
        self.refresh_s = seconds;
        self.always_refresh = seconds > 0;
        self
    }
}
