//! What the frame of every page shows.

use crate::asset;

/// What the frame of every page shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// Title of the page.
    pub title: String,
    /// Which link of the navigation is this page.
    pub active: &'static str,
    /// Whether it has charts.
    pub charts: bool,
    /// Seconds after which a browser without script loads the page again; 0 for never.
    pub refresh_s: u32,
    /// Whether it is loaded again even with script.
    pub always_refresh: bool,
    /// Changes with the style and scripts, so that browsers may keep them.
    pub version: &'static str,
}

impl Head {
    /// A page without charts.
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

    /// Under this link of the navigation.
    pub fn under(mut self, active: &'static str) -> Head {
        self.active = active;
        self
    }

    /// With charts.
    pub fn with_charts(mut self) -> Head {
        self.charts = true;
        self
    }

    /// Loaded again after so many seconds where scripts do not run.
    pub fn refreshed_without_script(mut self, seconds: u32) -> Head {
        self.refresh_s = seconds;
        self
    }

    /// Loaded again after so many seconds.
    pub fn refreshed(mut self, seconds: u32) -> Head {
        self.refresh_s = seconds;
        self.always_refresh = seconds > 0;
        self
    }
}
