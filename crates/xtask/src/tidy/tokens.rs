//! Rust source as tokens with line numbers.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::SourceFile;

/// Parses a Rust file into tokens.
///
/// # Panics
/// If the text is not valid Rust.
pub fn tokens(file: &SourceFile) -> Vec<TokenTree> {
    let stream: TokenStream = file
        .text
        .parse()
        .unwrap_or_else(|error| panic!("{}: {error}", file.path));
    stream.into_iter().collect()
}

/// The tokens within a group.
pub fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// The first line of a token, from 1.
pub fn line(token: &TokenTree) -> usize {
    token.span().start().line
}

/// The name, if the token is an identifier or keyword.
pub fn name(token: Option<&TokenTree>) -> Option<String> {
    match token? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

/// True if the token is this identifier or keyword.
pub fn is_name(token: Option<&TokenTree>, expected: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident == expected)
}

/// True if the token is this character.
pub fn is_mark(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}

/// True if `::` begins at this position.
pub fn is_path_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_mark(tokens.get(at), ':') && is_mark(tokens.get(at + 1), ':')
}

/// The group, if the token is one with this delimiter.
pub fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match token? {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// True if `#[cfg(test)]` begins at this position, alone or with other conditions.
pub fn is_test_only(tokens: &[TokenTree], at: usize) -> bool {
    let Some(attribute) = attribute(tokens, at) else {
        return false;
    };
    let words = inside(attribute);
    let conditions = group(words.get(1), Delimiter::Parenthesis);
    is_name(words.first(), "cfg")
        && conditions.is_some_and(|c| {
            let text = c.stream().to_string();
            text.contains("test") && !text.contains("not")
        })
}

/// The brackets of an attribute that begins at this position.
pub fn attribute(tokens: &[TokenTree], at: usize) -> Option<&Group> {
    if !is_mark(tokens.get(at), '#') {
        return None;
    }
    group(tokens.get(at + 1), Delimiter::Bracket)
}

/// Position after the item that begins here: after its braces or its semicolon.
pub fn behind_item(tokens: &[TokenTree], from: usize) -> usize {
    let ends = |token: &TokenTree| {
        is_mark(Some(token), ';') || group(Some(token), Delimiter::Brace).is_some()
    };
    let end = tokens[from..].iter().position(ends);
    end.map_or(tokens.len(), |end| from + end + 1)
}
