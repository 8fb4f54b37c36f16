//! What is said of reads while a file is deleted.

use stend_record::review::Response;

use crate::response::aftermath;
use crate::words::{self, capitalised};

/// A sentence for each response, in their order.
pub(super) fn sentences(responses: &[Response]) -> Vec<String> {
    responses.iter().filter_map(sentence).collect()
}

fn sentence(response: &Response) -> Option<String> {
    let found = aftermath(response)?;
    let name = capitalised(&response.name);
    let (before, worst) = (
        words::latency(response.reference_latency_ns.max as f64),
        words::latency(response.latency_ns.max as f64),
    );
    let speed = words::number(response.reference_iops);
    let lowest = words::number(found.iops_lowest);
    let requests = format!("the slowest read takes {worst}, against {before} before");
    Some(match found.normal_after_s {
        Some(0.0) => format!(
            "{name} of {}, reads go on as before ({lowest} IOPS in the slowest second, of \
             {speed}); {requests}.",
            words::bytes(response.file_bytes)
        ),
        Some(after_s) => format!(
            "{name} of {}, reads fall from {speed} to {lowest} IOPS in the slowest second, and \
             are back to normal after {}; {requests}.",
            words::bytes(response.file_bytes),
            words::time(after_s)
        ),
        None => format!(
            "{name} of {}, reads fall from {speed} to {lowest} IOPS in the slowest second, and \
             are not back to normal as long as they are measured; {requests}.",
            words::bytes(response.file_bytes)
        ),
    })
}
