//! Findings, and the table of exceptions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A violation of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name for exceptions: usually a file, or a file and a function.
    pub subject: String,
    /// Size of the violation: a number of findings, of lines, of imports. Amounts of one subject
    /// are added.
    pub amount: usize,
    /// The fault, its place, and the remedy.
    pub message: String,
}

impl Finding {
    /// Creates a finding at a line of a file; the subject is the file.
    pub fn at(path: &str, line: usize, message: &str) -> Self {
        Self {
            subject: path.to_owned(),
            amount: 1,
            message: format!("{path}:{line}: {message}"),
        }
    }
}

/// Exceptions of all checks: amounts by check and subject.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Exceptions(BTreeMap<String, BTreeMap<String, usize>>);

impl Exceptions {
    /// Parses the table: `[check]`, followed by lines with an amount and a subject. `#` begins a
    /// comment.
    ///
    /// # Panics
    /// If a line is neither of these.
    pub fn parse(text: &str) -> Self {
        let mut table = Self::default();
        let mut check = None;
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                check = Some(name.to_owned());
                continue;
            }
            let (amount, subject) = line
                .split_once(' ')
                .unwrap_or_else(|| panic!("no amount: {line}"));
            let amount = amount
                .parse()
                .unwrap_or_else(|_| panic!("no amount: {line}"));
            let check = check.clone().expect("a line stands below its check");
            let subjects = table.0.entry(check).or_default();
            let earlier = subjects.insert(subject.trim().to_owned(), amount);
            assert!(earlier.is_none(), "listed twice: {line}");
        }
        table
    }

    /// Formats the table for [`Exceptions::parse`].
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (check, subjects) in self.0.iter().filter(|(_, subjects)| !subjects.is_empty()) {
            let _ = writeln!(text, "\n[{check}]");
            for (subject, amount) in subjects {
                let _ = writeln!(text, "{amount} {subject}");
            }
        }
        text
    }

    /// Replaces the exceptions of a check by its findings.
    pub fn replace(&mut self, check: &str, findings: &[Finding]) {
        self.0.insert(check.to_owned(), amounts(findings));
    }

    /// Reasons why a check fails: findings without an exception, and exceptions larger than their
    /// findings. Empty if it passes.
    pub fn compare(&self, check: &str, findings: &[Finding]) -> Vec<String> {
        let found = amounts(findings);
        let none = BTreeMap::new();
        let allowed = self.0.get(check).unwrap_or(&none);
        let mut problems = Vec::new();
        for (subject, &amount) in &found {
            let allowed = allowed.get(subject).copied().unwrap_or(0);
            if amount > allowed {
                let of_it = findings.iter().filter(|f| f.subject == *subject);
                problems.extend(of_it.map(|f| f.message.clone()));
                if allowed > 0 {
                    problems.push(format!("{subject}: {amount}, excepted are {allowed}"));
                }
            } else if amount < allowed {
                problems.push(format!(
                    "{subject}: the exception says {allowed}, now it is {amount}: lower it"
                ));
            }
        }
        let gone = allowed
            .keys()
            .filter(|subject| !found.contains_key(*subject));
        problems
            .extend(gone.map(|subject| format!("{subject}: in order now: remove the exception")));
        problems
    }
}

fn amounts(findings: &[Finding]) -> BTreeMap<String, usize> {
    let mut amounts = BTreeMap::new();
    for finding in findings {
        *amounts.entry(finding.subject.clone()).or_default() += finding.amount;
    }
    amounts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, count: usize) -> Vec<Finding> {
        (0..count).map(|i| Finding::at(path, i, "bad")).collect()
    }

    #[test]
    fn an_exception_fits_exactly() {
        let table = Exceptions::parse("# why\n[words]\n2 a.rs\n");
        assert_eq!(table.compare("words", &found("a.rs", 2)), [""; 0]);
        let more = table.compare("words", &found("a.rs", 3));
        assert_eq!(more.len(), 4);
        assert_eq!(more[3], "a.rs: 3, excepted are 2");
        let fewer = table.compare("words", &found("a.rs", 1));
        assert_eq!(fewer, ["a.rs: the exception says 2, now it is 1: lower it"]);
        let none = table.compare("words", &[]);
        assert_eq!(none, ["a.rs: in order now: remove the exception"]);
        let other = table.compare("lines", &found("a.rs", 1));
        assert_eq!(other, ["a.rs:0: bad"]);
    }

    #[test]
    fn the_table_is_written_as_it_is_read() {
        let mut table = Exceptions::default();
        table.replace("words", &found("b c.rs", 2));
        table.replace("lines", &[]);
        assert_eq!(table.to_text(), "\n[words]\n2 b c.rs\n");
        let again = Exceptions::parse(&table.to_text());
        assert_eq!(again.compare("words", &found("b c.rs", 2)), [""; 0]);
    }
}
