//! Data of the frame of every page.

use stend_language::{Language, current, say};

use crate::address::{localized, with_query};
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
    /// Language of the page.
    pub language: Language,
    /// The page in another language, if it exists in every language.
    pub other: Option<Other>,
    /// Version of the style and scripts, so that browsers may cache them.
    pub version: &'static str,
}

/// A page in another language.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    pub language: Language,
    pub address: String,
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
            language: current(),
            other: None,
            version: asset::version(),
        }
    }

    /// Sets the navigation link.
    pub fn under(mut self, active: &'static str) -> Head {
        self.active = active;
        self
    }

    /// Adds a link to the page in the other language, by its path and parameters.
    pub fn in_every_language(mut self, path: &str, mut parameters: Vec<String>) -> Head {
        let mut others = Language::ALL.into_iter();
        self.other = others.find(|one| *one != self.language).map(|language| {
            if language != Language::default() {
                parameters.push(format!("lang={language}"));
            }
            let address = with_query(path, &parameters);
            Other { language, address }
        });
        self
    }

    /// Returns the address of the list of reviews in the language of the page.
    pub fn home(&self) -> String {
        localized("/".to_owned())
    }

    /// Returns the links of the navigation except that to the reviews: name for `active`, address,
    /// text.
    pub fn links(&self) -> [(&'static str, &'static str, String); 6] {
        [
            ("live", "/live", say("lab-under-way")),
            ("jobs", "/jobs", say("lab-jobs")),
            ("drives", "/drives", say("lab-drives")),
            ("studies", "/studies", say("lab-studies")),
            ("what-if", "/what-if", say("lab-what-if")),
            ("work", "/queue", say("lab-queue")),
        ]
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
