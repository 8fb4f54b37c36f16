//! What is said of reads while a file is deleted.

use stend_record::review::Response;

use crate::response::aftermath;
use crate::words;

/// A sentence for each response, in their order.
pub(super) fn sentences(responses: &[Response]) -> Vec<String> {
    responses.iter().filter_map(sentence).collect()
}

fn sentence(response: &Response) -> Option<String> {
    let found = aftermath(response)?;
    let (name, deleted) = (&response.name, words::bytes(response.file_bytes));
    let (before, worst) = (
        words::latency(response.reference_latency_ns.max as f64),
        words::latency(response.latency_ns.max as f64),
    );
    let speed = words::number(response.reference_iops);
    let lowest = words::number(found.iops_lowest);
    let requests = format!("the slowest read takes {worst}, against {before} before");
    Some(match found.normal_after_s {
        Some(0.0) => format!(
            "When {deleted} are deleted {name}, reads go on as before ({lowest} IOPS in the slowest second, of \
             {speed}); {requests}."
        ),
        Some(after_s) => format!(
            "When {deleted} are deleted {name}, reads fall from {speed} to {lowest} IOPS in the slowest second, and \
             are back to normal after {}; {requests}.",
            words::time(after_s)
        ),
        None => format!(
            "When {deleted} are deleted {name}, reads fall from {speed} to {lowest} IOPS in the slowest second, and \
             are not back to normal as long as they are measured; {requests}."
        ),
    })
}
