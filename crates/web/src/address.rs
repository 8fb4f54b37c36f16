//! Addresses of pages: their parameters, and the language in them.

use stend_language::{Language, current};

/// Name of the parameter with the language of a page.
pub(crate) const LANGUAGE: &str = "lang";

/// Adds the current language to the address of a page that exists in every language.
pub(crate) fn localized(address: String) -> String {
    let mark = if address.contains('?') { '&' } else { '?' };
    match current() {
        Language::English => address,
        language => format!("{address}{mark}{LANGUAGE}={language}"),
    }
}

/// Escapes a text for an address.
pub(crate) fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let of = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(of).collect()
}

/// Returns an address with parameters, each `name=value`; without any, it has no question mark.
pub(crate) fn with_query(path: &str, parameters: &[String]) -> String {
    match parameters {
        [] => path.to_owned(),
        _ => format!("{path}?{}", parameters.join("&")),
    }
}
