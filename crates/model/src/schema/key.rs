//! Declaration, reading and checking of the keys of a drive file. [`table!`] declares a table: each
//! key once, with its meaning, type, default, allowed values, and the figure of a simulation that
//! it becomes. The macro generates the struct, the reader with its messages, the rows of
//! `docs/drive-format.md`, and the part of [`crate::Spec`].

use std::fmt::Debug;

use stend_config::{Lines, Problem, unknown_field};
use toml_edit::{Array, InlineTable, Item, Key as TomlKey, Table as TomlTable, TableLike, Value};

use super::document::{self, DescribedKey, DescribedTable};
use super::free::{self, FreeFigure};
use super::renamed;
use super::rules::Rule;
use super::setting::Setting;

/// Declares a table of the drive file, one line a key after its meaning:
///
/// - `channels: Field<u32>, 1..=32;`: required, with the allowed values (a [`Rule`], if any);
/// - `write_cache: Field<bool> = true;`: with a default;
/// - `cpus: Option<Field<u32>>, 1..=256;`: optional, without a default.
///
/// After `pub struct Idle = "idle" => IdleSpec` each line may also name figures of `IdleSpec`, and
/// the table has a function `spec` of the `Model` that the file imports:
///
/// - `delay_ms: Field<u64>, 1..=86_400_000 => delay: Nanos = millis;`: the figure that the function
///   `millis` computes from the key;
/// - `policy: Field<String> => |gc, model| policy: Policy = …;`: a figure that follows from several
///   keys of the table, or of the model; several figures are separated by commas.
///
/// Conditions on other keys are checked by code beside the table.
macro_rules! table {
    (
        $(#[doc = $about:literal])*
        pub struct $Table:ident = $name:literal => $Spec:ident {
            $(
                $(#[doc = $doc:literal])*
                $key:ident: $T:ty $(= $default:expr)? $(, $rule:expr)?
                    $(=> $figure:ident: $Figure:ty = $of_key:path)?
                    $(=> |$table:pat_param, $model:pat_param| $(
                        $(#[doc = $several_doc:literal])*
                        $several:ident: $Several:ty = $of_several:expr
                    ),+)?;
            )*
        }
    ) => {
        $crate::schema::key::table! {
            $(#[doc = $about])*
            pub struct $Table = $name {
                $($(#[doc = $doc])* $key: $T $(= $default)? $(, $rule)?;)*
            }
        }

        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $Spec {
            $(
                $(
                    #[doc = concat!("[`", stringify!($Table), "::", stringify!($key), "`].")]
                    pub $figure: $Figure,
                )?
                $($($(#[doc = $several_doc])* pub $several: $Several,)+)?
            )*
        }

        impl $Table {
            /// The figures of a simulation.
            #[allow(unused_variables)]
            pub(in crate::schema) fn spec(&self, model: &Model) -> $Spec {
                $Spec {
                    $(
                        $($figure: $of_key(&self.$key),)?
                        $($($several: {
                            let ($table, $model) = (self, model);
                            $of_several
                        },)+)?
                    )*
                }
            }
        }
    };
    (
        $(#[doc = $about:literal])*
        pub struct $Table:ident = $name:literal {
            $(
                $(#[doc = $doc:literal])*
                $key:ident: $T:ty $(= $default:expr)? $(, $rule:expr)?;
            )*
        }
        $(plus { $($(#[doc = $plus_doc:literal])* $plus:ident: $Plus:ty;)* })?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        pub struct $Table {
            $($(#[doc = $doc])* pub $key: $T,)*
            $($($(#[doc = $plus_doc])* pub $plus: $Plus,)*)?
        }

        impl $crate::schema::key::Table for $Table {
            const NAME: &'static str = $name;
            const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            fn read(
                reader: &mut $crate::schema::key::Reader,
                at: &$crate::schema::key::At<'_>,
            ) -> Option<Self> {
                reader.unknown_keys(at, Self::KEYS);
                $(
                    let $key = <$T as $crate::schema::key::Key>::read(
                        reader,
                        at,
                        $crate::schema::key::declared!($key $(= $default)? $(, $rule)?),
                    );
                )*
                Some($Table {
                    $($key: $key?,)*
                    $($($plus: Default::default(),)*)?
                })
            }

            fn figures(
                &self,
                path: &str,
                into: &mut Vec<(String, $crate::schema::setting::Setting)>,
            ) {
                $($crate::schema::key::Key::figures(
                    &self.$key,
                    &$crate::schema::key::full_name(path, stringify!($key)),
                    into,
                );)*
            }

            fn document(
                optional: bool,
                is_list: bool,
            ) -> Vec<$crate::schema::document::DescribedTable> {
                let own = $crate::schema::document::DescribedTable {
                    name: <Self as $crate::schema::key::Table>::NAME,
                    about: $crate::schema::document::joined(&[$($about),*]),
                    optional,
                    is_list,
                    keys: vec![$($crate::schema::key::row::<$T>(
                        &[$($doc),*],
                        $crate::schema::key::declared!($key $(= $default)? $(, $rule)?),
                    )),*],
                };
                let inner = [$(<$T as $crate::schema::key::Key>::sections(false)),*];
                std::iter::once(own).chain(inner.into_iter().flatten()).collect()
            }
        }
    };
}

macro_rules! declared {
    ($key:ident $(= $default:expr)? $(, $rule:expr)?) => {
        $crate::schema::key::Declared {
            key: stringify!($key),
            default: None$(.or(Some($default)))?,
            rule: None$(.or(Some(&$rule)))?,
        }
    };
}

pub(crate) use {declared, table};

/// A key as declared with [`table!`].
pub(crate) struct Declared<'a, V> {
    /// Its name.
    pub key: &'static str,
    /// Its default.
    pub default: Option<V>,
    /// Rule of the allowed values.
    pub rule: Option<&'a dyn Rule<V>>,
}

/// The description of a key as declared with [`table!`].
pub(crate) fn row<K: Key>(meaning: &[&str], declared: Declared<'_, K::Value>) -> DescribedKey {
    DescribedKey {
        key: declared.key,
        optional: K::OPTIONAL || declared.default.is_some(),
        default: declared.default.map(|value| format!("{value:?}")),
        allowed: declared.rule.map_or_else(String::new, Rule::allowed),
        meaning: document::joined(meaning),
    }
}

/// A figure of a drive model with its source: `{ value = 16, source = "data sheet" }`. A number may
/// be free within bounds: [`super::Files::free`].
#[derive(Clone, Debug)]
pub struct Field<T> {
    /// The figure, in the unit that ends its key.
    pub value: T,
    /// A publication, `assumed: why`, `fitted: to what` or `inferred: from what`; empty if the
    /// value is the default.
    pub source: String,
    table: &'static str,
    key: &'static str,
    line: usize,
}

impl<T> Field<T> {
    /// True if the file contains it: it is not the default.
    pub(crate) fn is_given(&self) -> bool {
        !self.source.is_empty()
    }

    /// Table and key, `nand.dies`.
    pub(crate) fn name(&self) -> String {
        full_name(self.table, self.key)
    }
}

/// The value for a name in a checked model.
pub(crate) fn named<T: Copy>(names: &[(&str, T)], field: &Field<String>) -> T {
    let found = names.iter().find(|(name, _)| *name == field.value);
    found.expect("the model is checked").1
}

pub(crate) fn full_name(table: &str, key: &str) -> String {
    match table {
        "" => key.to_owned(),
        _ => format!("{table}.{key}"),
    }
}

/// Errors of a model, in the order in which they are reported. Their lines are those of the
/// resolved text.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub Vec<Problem>);

impl Problems {
    /// Reports a fault of a figure.
    pub fn report<T>(&mut self, field: &Field<T>, message: impl Into<String>) {
        self.report_key(field, field.name(), message);
    }

    /// Reports a fault of a key that has no line of its own, such as a missing one, with the line
    /// of `field`.
    pub fn report_key<T>(
        &mut self,
        field: &Field<T>,
        key: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.push(field.line, key.into(), message.into());
    }

    /// Adds an error of a line.
    pub fn push(&mut self, line: usize, key: String, message: String) {
        self.0.push(Problem {
            file: String::new(),
            line: Some(line),
            key: Some(key),
            message,
        });
    }

    /// Checks a figure whose rule depends on other keys.
    pub fn check<T>(&mut self, field: &Field<T>, rule: impl Rule<T>) {
        if let Some(message) = rule.problem(&field.value) {
            self.report(field, message);
        }
    }

    /// Reports each of these figures that the file contains.
    pub fn needs(&mut self, figures: &[&dyn Given], message: &str) {
        for (line, key) in figures.iter().filter_map(|figure| figure.place()) {
            self.push(line, key, message.to_owned());
        }
    }
}

/// A figure of any type that the file may contain.
pub(crate) trait Given {
    /// Its line and key, if the file contains it.
    fn place(&self) -> Option<(usize, String)>;
}

impl<T> Given for Field<T> {
    fn place(&self) -> Option<(usize, String)> {
        self.is_given().then(|| (self.line, self.name()))
    }
}

impl<T> Given for Option<Field<T>> {
    fn place(&self) -> Option<(usize, String)> {
        self.as_ref()?.place()
    }
}

/// A type of values.
pub(crate) trait Scalar: Clone + Debug {
    /// Its name in messages.
    const EXPECTED: &'static str;

    /// The value, if it has this type.
    fn of(value: &Value) -> Option<Self>;

    /// The value as a setting, whatever its type.
    fn setting(&self) -> Setting;
}

macro_rules! scalar {
    ($($T:ty, $expected:literal, $value:ident => $of:expr, $it:ident => $setting:expr;)*) => {$(
        impl Scalar for $T {
            const EXPECTED: &'static str = $expected;

            fn of($value: &Value) -> Option<Self> {
                $of
            }

            fn setting(&self) -> Setting {
                let $it = self;
                $setting
            }
        }
    )*};
}

scalar! {
    bool, "true or false", value => value.as_bool(), flag => Setting::Flag(*flag);
    String, "a text", value => value.as_str().map(str::to_owned),
        text => Setting::Text(text.clone());
    u8, "a whole number from 0 to 255", value => value.as_integer()?.try_into().ok(),
        whole => Setting::Whole((*whole).into());
    u16, "a whole number from 0 to 65535", value => value.as_integer()?.try_into().ok(),
        whole => Setting::Whole((*whole).into());
    u32, "a whole number from 0 to 2^32 - 1", value => value.as_integer()?.try_into().ok(),
        whole => Setting::Whole((*whole).into());
    u64, "a whole number from 0", value => value.as_integer()?.try_into().ok(),
        whole => Setting::Whole(whole.cast_signed());
    f64, "a number", value => value.as_float().or(value.as_integer().map(|n| n as f64)),
        real => Setting::Real(*real);
    Vec<u32>, "a list of whole numbers: [ … ]",
        value => value.as_array()?.iter().map(u32::of).collect(),
        list => Setting::List(list.iter().map(u32::setting).collect());
    Vec<f64>, "a list of numbers: [ … ]",
        value => value.as_array()?.iter().map(f64::of).collect(),
        list => Setting::List(list.iter().map(f64::setting).collect());
}

/// The type of a key: a figure, a plain value, a table, or a list of tables.
pub(crate) trait Key: Sized {
    /// The type of values that its rule checks.
    type Value: Debug;
    /// True if it may be omitted without a default.
    const OPTIONAL: bool = false;
    /// True if it is a table or a list of tables.
    const IS_TABLE: bool = false;

    /// Reads it; `None` after an error, which is reported.
    fn read(reader: &mut Reader, at: &At<'_>, declared: Declared<'_, Self::Value>) -> Option<Self>;

    /// Adds its figures to `into`: itself as `path`, or those of the table by their keys below
    /// `path`.
    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>);

    /// Descriptions of the tables in it.
    fn sections(_optional: bool) -> Vec<DescribedTable> {
        Vec::new()
    }
}

/// A table, as declared with [`table!`].
pub(crate) trait Table: Sized {
    /// Its name; empty for the file as a whole.
    const NAME: &'static str;
    /// Its keys, in their order.
    const KEYS: &'static [&'static str];

    /// Reads it; `None` if a key is missing or has a wrong type, which is reported.
    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self>;

    /// Adds its figures to `into`, with their keys below `path`.
    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>);

    /// Descriptions of the table and of the tables in it.
    fn document(optional: bool, is_list: bool) -> Vec<DescribedTable>;
}

/// A table that is being read.
pub(crate) struct At<'a> {
    /// Its name.
    table: &'static str,
    /// True if it is one of a list.
    in_list: bool,
    /// Line of its header.
    line: usize,
    items: &'a dyn TableLike,
}

/// Line of a key, or else of its value.
pub(crate) fn item_line(lines: &Lines, key: Option<&TomlKey>, item: &Item) -> usize {
    let span = key.and_then(TomlKey::span).or_else(|| item.span());
    lines.at(span.map_or(0, |span| span.start))
}

/// Reads the text of a model and collects its errors.
pub(crate) struct Reader {
    lines: Lines,
    /// Errors.
    pub problems: Problems,
    /// Free figures, with their lines.
    pub free: Vec<(usize, FreeFigure)>,
    /// Optional tables that the drive does not have, each with the reason.
    pub absent: Vec<(&'static str, String)>,
}

/// Key of an optional table with the reason why the drive has nothing of the kind.
const NONE: &str = "none";

impl Reader {
    /// Reads a whole file; `None` if a key is missing or has a wrong type.
    pub fn read<T: Table>(text: &str, items: &dyn TableLike) -> (Reader, Option<T>) {
        let mut reader = Reader {
            lines: Lines::of(text),
            problems: Problems::default(),
            free: Vec::new(),
            absent: Vec::new(),
        };
        let read = reader.table(items, 1, false);
        (reader, read)
    }

    fn table<T: Table>(&mut self, items: &dyn TableLike, line: usize, in_list: bool) -> Option<T> {
        let at = At {
            table: T::NAME,
            in_list,
            line,
            items,
        };
        T::read(self, &at)
    }

    /// Reports unknown keys.
    pub fn unknown_keys(&mut self, at: &At<'_>, known: &[&str]) {
        for (key, item) in at.items.iter() {
            if known.contains(&key) {
                continue;
            }
            let name = full_name(at.table, key);
            let message = renamed::message_of(&name).unwrap_or_else(|| unknown_field(key, known));
            let line = self.line(at, key, item);
            self.problem(line, name, message);
        }
    }

    fn problem(&mut self, line: usize, key: String, message: String) {
        self.problems.push(line, key, message);
    }

    /// Reports a missing key.
    fn missing(&mut self, at: &At<'_>, key: &str) {
        self.problem(at.line, full_name(at.table, key), missing(key));
    }

    /// Reports a key whose value has a wrong type.
    fn wrong_type(&mut self, at: &At<'_>, key: &str, item: &Item, expected: &str) {
        let line = self.line(at, key, item);
        self.problem(line, full_name(at.table, key), wrong_type(item, expected));
    }

    /// Line of a key, or else of its value.
    fn line(&self, at: &At<'_>, key: &str, item: &Item) -> usize {
        item_line(&self.lines, at.items.key(key), item)
    }

    /// The value of a key that has no source.
    fn plain<T: Scalar>(&mut self, at: &At<'_>, declared: Declared<'_, T>) -> Option<T> {
        let Declared { key, default, rule } = declared;
        let Some(item) = at.items.get(key) else {
            if default.is_none() {
                self.missing(at, key);
            }
            return default;
        };
        let Some(value) = item.as_value().and_then(T::of) else {
            self.wrong_type(at, key, item, T::EXPECTED);
            return None;
        };
        if let Some(message) = rule.and_then(|rule| rule.problem(&value)) {
            let line = self.line(at, key, item);
            self.problem(line, full_name(at.table, key), message);
        }
        Some(value)
    }

    /// Notes and returns true if an optional table states that the drive has nothing of the kind:
    /// `none = "why"`.
    fn is_absent(&mut self, at: &At<'_>, table: &'static str) -> bool {
        let items = at.items.get(table).and_then(Item::as_table_like);
        let Some((items, none)) = items.and_then(|items| Some((items, items.get(NONE)?))) else {
            return false;
        };
        let line = item_line(&self.lines, items.key(NONE), none);
        let reason = none.as_str().unwrap_or_default();
        let name = full_name(table, NONE);
        if reason.trim().is_empty() {
            let expected = "a text that says why the drive has nothing of the kind";
            self.problem(line, name.clone(), wrong_type(none, expected));
        }
        if items.len() > 1 {
            let message = "it says that the drive has nothing of the kind; leave it out, or all \
                           other keys of the table";
            self.problem(line, name, message.to_owned());
        }
        self.absent.push((table, reason.to_owned()));
        true
    }

    /// The tables of a list.
    fn list<T: Table>(&mut self, at: &At<'_>, key: &str, item: &Item) -> Option<Vec<T>> {
        let headed = item.as_array_of_tables().into_iter().flatten();
        let headed = headed.map(|table: &TomlTable| (table as &dyn TableLike, table.span()));
        let inline = item.as_array().into_iter().flat_map(Array::iter);
        let inline = inline.filter_map(Value::as_inline_table);
        let inline = inline.map(|table: &InlineTable| (table as &dyn TableLike, table.span()));
        let tables: Vec<_> = headed.chain(inline).collect();
        let entries = item.as_array().map_or(tables.len(), Array::len);
        if tables.len() < entries || !(item.is_array() || item.is_array_of_tables()) {
            let expected = format!("a list of tables: [[{}]]", T::NAME);
            self.wrong_type(at, key, item, &expected);
            return None;
        }
        let read: Vec<Option<T>> = tables
            .into_iter()
            .map(|(items, span)| {
                let line = self.lines.at(span.map_or(0, |span| span.start));
                self.table(items, line, true)
            })
            .collect();
        read.into_iter().collect()
    }

    /// Reads the bounds of a free figure.
    fn free(
        &mut self,
        at: &At<'_>,
        read: (&'static str, usize, &str),
        figure: &dyn TableLike,
        multiple_of: u32,
    ) {
        let (key, line, source) = read;
        let found = match free::figures_of(at.table, key, source, figure) {
            Ok(figures) if at.in_list && !figures.is_empty() => {
                Err("a figure in a list of tables cannot be free".to_owned())
            }
            found => found,
        };
        match found {
            Ok(figures) => self.free.extend(figures.into_iter().map(|figure| {
                let figure = FreeFigure {
                    multiple_of,
                    ..figure
                };
                (line, figure)
            })),
            Err(message) => self.problem(line, full_name(at.table, key), message),
        }
    }
}

fn missing(key: &str) -> String {
    format!("missing field `{key}`")
}

fn wrong_type(item: &Item, expected: &str) -> String {
    let shown = match item.as_value() {
        Some(value) => value.to_string(),
        None => String::new(),
    };
    let kind = item.type_name();
    format!(
        "invalid type: {kind} `{}`, expected {expected}",
        shown.trim()
    )
}

/// Keys of a figure.
const FIGURE_KEYS: [&str; 4] = ["value", "source", "free", "free_ratio"];

/// Fault of a bound of a free figure of this type.
fn bound_problem<T: Scalar>(bound: &Value, rule: Option<&dyn Rule<T>>) -> Option<String> {
    match T::of(bound) {
        Some(bound) => rule.and_then(|rule| rule.problem(&bound)),
        None => {
            let bound = bound.to_string();
            Some(format!(
                "{} is not allowed; expected {}",
                bound.trim(),
                T::EXPECTED
            ))
        }
    }
}

impl<T: Scalar> Key for Field<T> {
    type Value = T;

    fn read(reader: &mut Reader, at: &At<'_>, declared: Declared<'_, T>) -> Option<Self> {
        let Declared { key, default, rule } = declared;
        let field = |value, source, line| Field {
            value,
            source,
            table: at.table,
            key,
            line,
        };
        let name = full_name(at.table, key);
        let Some(item) = at.items.get(key) else {
            if default.is_none() {
                reader.missing(at, key);
            }
            return default.map(|value| field(value, String::new(), at.line));
        };
        let line = reader.line(at, key, item);
        let Some(figure) = item.as_table_like() else {
            let expected = "a figure with its source: { value = …, source = \"…\" }";
            reader.wrong_type(at, key, item, expected);
            return None;
        };
        for (other, _) in figure.iter().filter(|(k, _)| !FIGURE_KEYS.contains(k)) {
            reader.problem(line, name.clone(), unknown_field(other, &FIGURE_KEYS));
        }
        let mut part = |of: &str| {
            let found = figure.get(of);
            if found.is_none() {
                reader.problem(line, name.clone(), missing(of));
            }
            found
        };
        let (value, source) = (part("value"), part("source"));
        let mut of_type = |item: &Item, right: bool, expected: &str| {
            if !right {
                reader.problem(line, name.clone(), wrong_type(item, expected));
            }
        };
        let source = source.and_then(|item| {
            of_type(item, item.is_str(), String::EXPECTED);
            item.as_str()
        });
        let value = value.and_then(|item| {
            let value = item.as_value().and_then(T::of);
            of_type(item, value.is_some(), T::EXPECTED);
            value
        });
        let found = field(value?, source?.to_owned(), line);
        let said = found.source.trim().trim_end_matches(':').trim_end();
        if ["", "fitted", "inferred"].contains(&said) {
            let message = format!(
                "source is `{}`; name a publication, or write `assumed`, `fitted: to what` or \
                 `inferred: from what`",
                found.source.trim()
            );
            reader.problem(line, name.clone(), message);
        }
        if let Some(message) = rule.and_then(|rule| rule.problem(&found.value)) {
            reader.problem(line, name.clone(), message);
        }
        let bounds = free::bounds_of(figure);
        for message in bounds.iter().filter_map(|bound| bound_problem(bound, rule)) {
            reader.problem(line, name.clone(), format!("free: {message}"));
        }
        let multiple_of = rule.map_or(1, |rule| rule.multiple_of());
        reader.free(at, (key, line, &found.source), figure, multiple_of);
        Some(found)
    }

    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>) {
        into.push((path.to_owned(), self.value.setting()));
    }
}

impl<K: Key> Key for Option<K> {
    type Value = K::Value;
    const OPTIONAL: bool = true;
    const IS_TABLE: bool = K::IS_TABLE;

    fn read(reader: &mut Reader, at: &At<'_>, declared: Declared<'_, K::Value>) -> Option<Self> {
        let is_absent = !at.items.contains_key(declared.key)
            || K::IS_TABLE && reader.is_absent(at, declared.key);
        match is_absent {
            true => Some(None),
            false => K::read(reader, at, declared).map(Some),
        }
    }

    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>) {
        if let Some(key) = self {
            key.figures(path, into);
        }
    }

    fn sections(_: bool) -> Vec<DescribedTable> {
        K::sections(true)
    }
}

impl<T: Table> Key for Vec<T> {
    type Value = ();
    const OPTIONAL: bool = true;
    const IS_TABLE: bool = true;

    fn read(
        reader: &mut Reader,
        at: &At<'_>,
        Declared { key, .. }: Declared<'_, ()>,
    ) -> Option<Self> {
        match at.items.get(key) {
            Some(item) if !reader.is_absent(at, key) => reader.list(at, key, item),
            _ => Some(Vec::new()),
        }
    }

    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>) {
        for (row, table) in self.iter().enumerate() {
            Table::figures(table, &format!("{path}[{row}]"), into);
        }
    }

    fn sections(_: bool) -> Vec<DescribedTable> {
        T::document(true, true)
    }
}

impl<T: Table> Key for T {
    type Value = ();
    const IS_TABLE: bool = true;

    fn read(
        reader: &mut Reader,
        at: &At<'_>,
        Declared { key, .. }: Declared<'_, ()>,
    ) -> Option<Self> {
        let Some(item) = at.items.get(key) else {
            reader.missing(at, key);
            return None;
        };
        let line = item_line(&reader.lines, None, item);
        let Some(items) = item.as_table_like() else {
            let message = wrong_type(item, &format!("a table: [{key}]"));
            reader.problem(line, full_name(at.table, key), message);
            return None;
        };
        reader.table(items, line, false)
    }

    fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>) {
        Table::figures(self, path, into);
    }

    fn sections(optional: bool) -> Vec<DescribedTable> {
        T::document(optional, false)
    }
}

macro_rules! plain {
    ($($T:ty),*) => {$(
        impl Key for $T {
            type Value = $T;

            fn read(
                reader: &mut Reader,
                at: &At<'_>,
                declared: Declared<'_, $T>,
            ) -> Option<Self> {
                reader.plain(at, declared)
            }

            fn figures(&self, path: &str, into: &mut Vec<(String, Setting)>) {
                // The head of the file contains words about the drive.
                if path.contains('.') {
                    into.push((path.to_owned(), self.setting()));
                }
            }
        }
    )*};
}

plain!(String, bool);

#[cfg(test)]
mod tests {
    use crate::Model;
    use crate::testing::{assert_refused, demo, parse};

    /// The demonstration drive with the first line that begins with `line_start` replaced.
    fn with(line_start: &str, replacement: &str) -> Result<Model, String> {
        let line = demo().lines().find(|line| line.starts_with(line_start));
        parse(&demo().replacen(line.expect(line_start), replacement, 1))
    }

    #[test]
    fn keys_are_named_with_their_tables() {
        for (start, replacement, key, part) in [
            ("dies", "dise = 1", "nand.dise", "`dies`"),
            ("title", "title = \" \"", "title", "one line of text"),
            ("name", "name = \"a\\tb\"", "name", "one line of text"),
            ("dies", "", "nand.dies", "missing field `dies`"),
            ("dies", "dies = 4", "nand.dies", "{ value = …, source"),
            (
                "dies",
                "dies = { value = 4 }",
                "nand.dies",
                "missing field `source`",
            ),
            (
                "dies",
                "dies = { value = \"four\", source = \"assumed\" }",
                "nand.dies",
                "a whole number from 0",
            ),
            (
                "dies",
                "dies = { value = 4, sauce = \"assumed\" }",
                "nand.dies",
                "`sauce`",
            ),
            (
                "enabled",
                "enabled = { value = 1, source = \"assumed\" }",
                "slc_cache.enabled",
                "true or false",
            ),
            (
                "dies",
                "dies = { value = 4, source = \"fitted: \" }",
                "nand.dies",
                "`fitted: to what`",
            ),
            (
                "dies",
                "dies = { value = 4, source = \"assumed\", free = [0, 8] }",
                "nand.dies",
                "free: 0 is not allowed",
            ),
            ("schema", "", "schema", "missing field `schema`"),
            ("[nand]", "[nnd]", "nnd", "unknown field `nnd`"),
        ] {
            assert_refused(with(start, replacement), key, part);
        }
    }

    /// The demonstration drive with more text at its end.
    fn with_more(more: &str) -> Result<Model, String> {
        parse(&format!("{}\n{more}", demo()))
    }

    #[test]
    fn a_table_may_say_that_there_is_none() {
        let none = "[media]\nnone = \"why not\"\n[idle_states]\nnone = \"why neither\"";
        let model = with_more(none).expect("it is sound");
        let reason = |table| model.absent(table);
        assert_eq!(reason("media"), Some("why not"));
        assert_eq!(reason("idle_states"), Some("why neither"));
        assert_eq!(reason("energy"), None);
        assert!(model.media.is_none() && model.idle_states.is_empty());
        assert_eq!(model.spec(), parse(demo()).expect("it is sound").spec());
        for (more, key, part) in [
            ("[media]\nnone = \"\"", "media.none", "says why"),
            ("[media]\nnone = true", "media.none", "says why"),
            (
                "[encryption]\nnone = \"why\"\nalgorithm = 1",
                "encryption.none",
                "all other keys",
            ),
        ] {
            assert_refused(with_more(more), key, part);
        }
        let needed = demo().replacen("[gc]", "[gc]\nnone = \"why\"", 1);
        assert_refused(parse(&needed), "gc.none", "unknown field");
    }

    #[test]
    fn broken_toml_has_a_line_and_no_key() {
        let text = with("[nand]", "[nand").expect_err("it is not TOML");
        assert!(text.starts_with("m.toml:12: unclosed table"), "{text}");
        let empty = parse("").expect_err("it is empty");
        assert_eq!(empty, "m.toml:1: schema: missing field `schema`");
    }
}
