//! `collection.policy` and what belongs to it.

use super::check::Checker;
use super::schema::Collection;
use super::sourced::Value;
use crate::spec::Policy;

const D_CHOICES: &str = "d-choices";

/// The names a model gives the policies.
const NAMES: &[&str] = &["greedy", "fifo", "cost-benefit", D_CHOICES];

pub(super) fn check(c: &mut Checker<'_>, collection: &Collection) {
    c.one_of("collection.policy", &collection.policy, NAMES);
    let draws = collection.policy.get() == D_CHOICES;
    match &collection.choices {
        Some(choices) => {
            c.range("collection.choices", choices, 1..=65_536);
            if !draws {
                let message = "only the policy `d-choices` draws; leave it out".to_string();
                c.report("collection.choices", choices, message);
            }
        }
        None if draws => {
            let message = "`d-choices` needs collection.choices: how many are drawn, 1 to 65536";
            c.report("collection.policy", &collection.policy, message.to_string());
        }
        None => {}
    }
}

/// The policy of a checked model.
pub(super) fn resolve(collection: &Collection) -> Policy {
    match collection.policy.get().as_str() {
        "fifo" => Policy::Fifo,
        "cost-benefit" => Policy::CostBenefit,
        D_CHOICES => Policy::DChoices {
            choices: collection.choices.as_ref().map_or(1, Value::get),
        },
        _ => Policy::Greedy,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Model, demo};

    fn said(policy: &str) -> String {
        let line = demo()
            .lines()
            .find(|line| line.starts_with("policy"))
            .expect("a model has a policy");
        let text = demo().replace(line, policy);
        match Model::parse(&text, "m.toml") {
            Ok(model) => format!("{:?}", model.spec().collect.policy),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn choices_go_with_the_policy_that_draws() {
        let policy =
            |name: &str| format!("policy = {{ value = \"{name}\", source = \"assumed\" }}");
        let choices = "choices = { value = 10, source = \"assumed\" }";
        assert_eq!(said(&policy("greedy")), "Greedy");
        assert_eq!(said(&policy("fifo")), "Fifo");
        assert_eq!(said(&policy("cost-benefit")), "CostBenefit");
        let drawn = format!("{}\n{choices}", policy("d-choices"));
        assert_eq!(said(&drawn), "DChoices { choices: 10 }");
        let alone = said(&policy("d-choices"));
        assert!(
            alone.contains("collection.policy: `d-choices` needs"),
            "{alone}"
        );
        let idle = said(&format!("{}\n{choices}", policy("greedy")));
        assert!(idle.contains("collection.choices: only"), "{idle}");
        let wrong = said(&policy("lru"));
        assert!(wrong.contains("cost-benefit, d-choices"), "{wrong}");
        let none = said(&format!(
            "{}\n{}",
            policy("d-choices"),
            choices.replace("10", "0")
        ));
        assert!(none.contains("0 is not allowed"), "{none}");
    }
}
