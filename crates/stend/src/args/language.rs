//! The argument for the language of what is written for people.

use clap::Args;
use stend_language::Language;

/// The language of pages and findings.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct LanguageArgs {
    /// Language of the report and of messages about it: en or ru. Names of drives, jobs and JSON
    /// remain as they are.
    #[arg(long, value_name = "LANG", default_value_t)]
    pub lang: Language,
}
