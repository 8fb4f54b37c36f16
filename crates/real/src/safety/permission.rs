//! Error for a target that the kernel does not let this process use.

use std::path::Path;

use stend_load::target::TargetError;

/// Error for a target on which the kernel does not permit `what`.
pub(crate) fn no_permission(path: &Path, what: &str) -> TargetError {
    let remedy = match rustix::process::geteuid().is_root() {
        false => "run as root, or as a member of the group that owns it",
        true => {
            "the kernel denies it to root, too: a container needs the device passed in (docker run \
             --device), and a security module or the device's write protection can forbid it"
        }
    };
    TargetError::Failed(format!(
        "{}: no permission to {what}; {remedy}",
        path.display()
    ))
}
