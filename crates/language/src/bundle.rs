//! The messages of each language, parsed once.

use std::sync::LazyLock;

use fluent_bundle::bundle::FluentBundle;
use fluent_bundle::resolver::ResolverError;
use fluent_bundle::resolver::errors::ReferenceKind;
use fluent_bundle::{FluentArgs, FluentError, FluentResource, FluentValue};
use intl_memoizer::concurrent::IntlLangMemoizer;

use crate::argument::Argument;
use crate::tag::{Language, numeral_in};

type Bundle = FluentBundle<FluentResource, IntlLangMemoizer>;

/// Files of messages: the name, and the text in each language, in the order of [`Language::ALL`].
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$([
            include_str!(concat!("../texts/en/", $name, ".ftl")),
            include_str!(concat!("../texts/ru/", $name, ".ftl")),
        ]),*]
    };
}
const FILES: &[[&str; 2]] = files!(
    "figures", "loads", "findings", "kinds", "service", "charts", "claims", "terminal", "verdict",
    "page", "identify", "inside", "recorded", "lab",
);

static BUNDLES: LazyLock<[Bundle; 2]> = LazyLock::new(|| Language::ALL.map(read));

fn read(language: Language) -> Bundle {
    let tag = language.tag().parse().expect("the tags are BCP 47's");
    let mut bundle = Bundle::new_concurrent(vec![tag]);
    // A browser needs no isolation marks around figures, because all texts run from left to right.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(match language {
        Language::English => |value, _| formatted(Language::English, value),
        Language::Russian => |value, _| formatted(Language::Russian, value),
    }));
    for text in FILES {
        let resource = FluentResource::try_new(text[language as usize].to_owned());
        let resource = resource.unwrap_or_else(|(_, errors)| panic!("{language}: {errors:?}"));
        let added = bundle.add_resource(resource);
        added.unwrap_or_else(|errors| panic!("{language}: {errors:?}"));
    }
    bundle
}

/// Formats a number argument for the language.
fn formatted(language: Language, value: &FluentValue<'_>) -> Option<String> {
    match value {
        FluentValue::Number(number) => Some(numeral_in(language, &number.value.to_string())),
        _ => None,
    }
}

/// Returns a message in a language.
pub(crate) fn message(
    language: Language,
    id: &str,
    arguments: &[(&'static str, Argument)],
) -> String {
    let mut args = FluentArgs::new();
    for (name, argument) in arguments {
        args.set(*name, argument.value());
    }
    formatted_message(language, id, &args)
}

/// True if there is a message of this id.
pub(crate) fn has_message(id: &str) -> bool {
    BUNDLES[Language::English as usize].has_message(id)
}

/// Names of the arguments that an English message needs; `None` if there is no such message.
pub(crate) fn arguments(id: &str) -> Option<Vec<String>> {
    let bundle = &BUNDLES[Language::English as usize];
    let pattern = bundle.get_message(id)?.value()?;
    let mut errors = Vec::new();
    bundle.format_pattern(pattern, None, &mut errors);
    let missing = errors.into_iter().filter_map(|error| match error {
        FluentError::ResolverError(ResolverError::Reference(ReferenceKind::Variable { id })) => {
            Some(id)
        }
        _ => None,
    });
    Some(missing.collect())
}

pub(crate) fn formatted_message(language: Language, id: &str, args: &FluentArgs<'_>) -> String {
    let bundle = &BUNDLES[language as usize];
    let found = bundle.get_message(id).and_then(|message| message.value());
    debug_assert!(found.is_some(), "{language} has no message `{id}`");
    let Some(pattern) = found else {
        return id.to_owned();
    };
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(args), &mut errors);
    debug_assert!(errors.is_empty(), "{language}, `{id}`: {errors:?}");
    // The files break long lines.
    text.replace('\n', " ")
}
