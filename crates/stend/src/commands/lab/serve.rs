//! `stend lab serve`: the lab as web pages.

use crate::args::LabPath;
use crate::failure::Failure;

#[cfg(feature = "web")]
pub fn run(of: &LabPath, port: u16) -> Result<(), Failure> {
    use stend_web::Server;

    use crate::memory::{processors, simulations_that_fit};
    use crate::output::{note, print};
    use crate::{laboratory, signals};

    let lab = laboratory::path(of)?;
    let simulations = |capacity_bytes| simulations_that_fit(processors(), capacity_bytes);
    let server = Server::bind(lab.clone(), port, laboratory::program()?, simulations)?;
    let stop = server.stopper();
    signals::instead(move || stop.stop());
    print(&format!("{}\n", server.address()))?;
    if !lab.exists() {
        note(&format!(
            "there is no lab {} yet: its pages are empty until a review is kept in it",
            lab.display()
        ));
    }
    note(&format!(
        "the lab {} is served to this machine alone; Ctrl-C ends it",
        lab.display()
    ));
    server.run()?;
    note("no longer served; work under way goes on with the next start");
    Ok(())
}

#[cfg(not(feature = "web"))]
pub fn run(_: &LabPath, _: u16) -> Result<(), Failure> {
    Err(Failure::ToolMissing(
        "this program is built without pages: build it with `cargo build --release`, which has \
         the feature `web`"
            .into(),
    ))
}
