//! The budget of tests that write until the target refuses.

use stend_load::target::WriteLimit;

use crate::edition::Edition;
use crate::options::{MethodError, ReviewOptions};
use crate::state::is_written;

/// Checks that the budget allows the chosen tests to write as much as they need.
///
/// # Errors
/// If a budget is needed but missing, or given but unused, or if it could not be kept because other
/// tests or states write too, as much as the target accepts in their time.
pub(crate) fn check_budget(
    edition: &Edition,
    chosen: &[usize],
    options: &ReviewOptions<'_>,
    limit: WriteLimit,
) -> Result<(), MethodError> {
    let of = |index: &&usize| edition.tests[**index].kind.common().wears_out();
    let id = |index: &usize| edition.tests[*index].id.clone();
    let Some(first) = chosen.iter().find(|index| of(index).is_some()) else {
        return match options.write_budget_bytes {
            None => Ok(()),
            Some(_) => Err(MethodError::BudgetUnused),
        };
    };
    let (test, writes) = (id(first), of(&first));
    match (options.write_budget_bytes, limit) {
        (None, WriteLimit::UntilRefused) => return Ok(()),
        (None, WriteLimit::NeverRefuses) => return Err(MethodError::Endless { test }),
        (None, WriteLimit::AsStated) => return Err(MethodError::BudgetMissing { test }),
        (Some(budget), _) => {
            let request = writes.map_or(0, |(load, _)| load.block_bytes);
            if budget < request {
                return Err(MethodError::BudgetTooSmall { budget, request });
            }
        }
    }
    if limit != WriteLimit::AsStated {
        return Ok(());
    }
    // One target has one budget for everything that is written to it.
    let others: Vec<String> = chosen.iter().filter(|i| *i != first).map(id).collect();
    if !others.is_empty() {
        return Err(MethodError::BudgetShared { test, others });
    }
    let state = writes.map_or(0, |(_, state)| state);
    if is_written(&edition.states, state) {
        let state = edition.states[state].id.clone();
        return Err(MethodError::BudgetPrepared { test, state });
    }
    Ok(())
}
