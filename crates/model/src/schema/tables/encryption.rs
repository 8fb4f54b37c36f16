//! `[encryption]`.

use stend_base::Nanos;

use super::super::convert::millis;
use super::super::key::{Field, table};
use super::super::rules::OneOf;
use super::Model;

table! {
    /// Encryption by the drive of all data, with a key that the drive makes: what a cryptographic
    /// erase discards. No request takes longer for it.
    pub struct Encryption = "encryption" {
        /// The cipher and the bits of its key.
        algorithm: Field<String>, OneOf(&[("AES-128", ()), ("AES-256", ())]);
        /// A cryptographic erase, ms: making another key and saving it. No data sheet tells it;
        /// the default is assumed.
        crypto_erase_ms: Field<u64> = 100, 1..=600_000;
    }
}

impl Model {
    /// Time of a cryptographic erase; `None` for a drive that does not encrypt.
    pub fn crypto_erase_time(&self) -> Option<Nanos> {
        Some(millis(&self.encryption.as_ref()?.crypto_erase_ms))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_refused, parse_with};
    use stend_base::Nanos;

    #[test]
    fn a_cipher_is_a_fact_and_changes_no_figure() {
        let plain = parse_with("").expect("it is sound");
        assert_eq!(plain.crypto_erase_time(), None);
        let model = parse_with("[encryption]\nalgorithm = \"AES-256\"").expect("it is sound");
        assert_eq!(model.crypto_erase_time(), Some(Nanos::from_millis(100)));
        assert_eq!(model.spec(), plain.spec());
        let fact = |model: &crate::Model| {
            let facts = model.facts();
            let found = facts.into_iter().find(|(id, _)| *id == "encryption");
            found.map(|(_, value)| value.in_english())
        };
        assert_eq!(fact(&model).as_deref(), Some("AES-256"));
        assert_eq!(fact(&plain), None);
        let keys = "[encryption]\nalgorithm = \"AES-128\"\ncrypto_erase_ms = 7";
        let model = parse_with(keys).expect("it is sound");
        assert_eq!(model.crypto_erase_time(), Some(Nanos::from_millis(7)));
    }

    #[test]
    fn ciphers_that_are_none_are_refused() {
        let with = |keys: &str| parse_with(&format!("[encryption]\n{keys}"));
        let key = "encryption.algorithm";
        assert_refused(with("algorithm = \"ROT-13\""), key, "AES-128, AES-256");
        assert_refused(with("crypto_erase_ms = 5"), key, "missing field");
        let keys = "algorithm = \"AES-256\"\ncrypto_erase_ms = 0";
        assert_refused(with(keys), "encryption.crypto_erase_ms", "from 1 to");
    }
}
