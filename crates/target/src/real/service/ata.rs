//! SATA drives, by `hdparm`. Source: ACS-3, Security feature set; hdparm(8) 9.65.

use std::path::Path;

use super::tool::{Erasing, Program, Tools, failure, not_switched};
use crate::error::TargetError;

const HDPARM: Program = Program {
    name: "hdparm",
    package: "hdparm",
};

/// The password that is set for the time of an erase, which takes it away again.
const PASSWORD: &str = "stend";

/// What a drive says of its security, as `hdparm -I` shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Security {
    supported: bool,
    enabled: bool,
    locked: bool,
    frozen: bool,
    /// Minutes of an erase, and whether it may be more.
    erase_min: Option<(u64, bool)>,
}

impl Security {
    /// The section of `hdparm -I`; `None` where there is none.
    fn parse(text: &str) -> Option<Security> {
        let (_, section) = text.split_once("\nSecurity:")?;
        let mut security = Security::default();
        for line in section.lines().skip(1) {
            // The next section begins at the margin.
            if !line.starts_with(char::is_whitespace) {
                break;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["supported"] => security.supported = true,
                ["enabled"] => security.enabled = true,
                ["locked"] => security.locked = true,
                ["frozen"] => security.frozen = true,
                _ => {}
            }
            if let Some((before, _)) = line.split_once("min for SECURITY ERASE UNIT") {
                let last = before.split_whitespace().next_back().unwrap_or_default();
                let number = last.trim_start_matches('>').parse().ok();
                let more = before.contains("more than") || last.starts_with('>');
                security.erase_min = number.map(|minutes| (minutes, more));
            }
        }
        Some(security)
    }

    fn time(&self) -> String {
        match self.erase_min {
            Some((minutes, false)) => format!("the drive says {minutes} min"),
            Some((minutes, true)) => format!("the drive says more than {minutes} min"),
            None => "the drive does not say".to_owned(),
        }
    }
}

fn security(tools: &Tools, node: &Path) -> Result<Security, TargetError> {
    let path = node.to_string_lossy();
    let said = tools.run(HDPARM, &["-I", &path])?;
    Security::parse(&said.stdout).ok_or_else(|| {
        TargetError::Input(format!(
            "{}: it is no NVMe drive and reports no ATA security feature set, so it cannot erase \
            itself; `stend drive trim` empties a device that takes TRIM (hdparm: {})",
            node.display(),
            said.stderr.trim()
        ))
    })
}

/// Whether and how a drive would erase itself.
pub(super) fn plan(tools: &Tools, node: &Path, crypto: bool) -> Result<Erasing, TargetError> {
    let of = node.display();
    let security = security(tools, node)?;
    if crypto {
        return Err(TargetError::Input(format!(
            "{of}: --crypto is for NVMe drives; SATA drives that can do it have it as `hdparm \
             --sanitize-crypto-scramble`"
        )));
    }
    if !security.supported {
        return Err(TargetError::Input(format!(
            "{of}: the drive has no ATA security; `stend drive trim` empties what takes TRIM"
        )));
    }
    if security.enabled || security.locked {
        return Err(TargetError::Refused(format!(
            "{of}: a password is set on the drive, and whoever set it means something by it; it \
             is removed with `hdparm --user-master u --security-disable PASSWORD {of}`"
        )));
    }
    if security.frozen {
        return Err(TargetError::Failed(format!(
            "{of}: the drive is frozen, as firmware leaves drives at start, and takes no command \
             of security; suspend the machine and wake it (`systemctl suspend`), or plug the \
             drive in while the machine runs, and repeat the command"
        )));
    }
    Ok(Erasing {
        how: "all of the drive, by ATA Security Erase Unit".to_owned(),
        time: security.time(),
    })
}

/// Sets a password and erases, which removes it.
pub(super) fn erase(tools: &Tools, node: &Path) -> Result<(), TargetError> {
    let path = node.to_string_lossy();
    let security_command =
        |what: &str| tools.run(HDPARM, &["--user-master", "u", what, PASSWORD, &path]);
    let set = security_command("--security-set-pass")?;
    if !set.status.success() {
        return Err(failure(node, "setting the password of an erase", &set));
    }
    let erased = security_command("--security-erase")?;
    if erased.status.success() && !security(tools, node)?.enabled {
        return Ok(());
    }
    let failed = failure(node, "the erase", &erased);
    let _ = security_command("--security-disable")?;
    let left = match security(tools, node) {
        Ok(security) if !security.enabled => "no password is left on the drive".to_owned(),
        _ => format!(
            "THE PASSWORD `{PASSWORD}` MAY STILL BE SET: remove it with `hdparm --user-master u \
             --security-disable {PASSWORD} {path}`, or the drive is locked at its next start"
        ),
    };
    Err(TargetError::Failed(format!("{failed}; {left}")))
}

/// Switches the cache and reads it back.
pub(super) fn set_write_cache(tools: &Tools, node: &Path, on: bool) -> Result<(), TargetError> {
    let path = node.to_string_lossy();
    let switch = if on { "-W1" } else { "-W0" };
    let ask = |args: &[&str]| tools.run(HDPARM, args);
    let before = ask(&["-W", &path])?;
    if write_cache(&before.stdout).is_none() {
        return Err(TargetError::Input(format!(
            "{path}: it is no NVMe drive and reports no ATA write cache (hdparm: {})",
            before.stderr.trim()
        )));
    }
    tools.succeed(HDPARM, &[switch, &path], node, "switching the write cache")?;
    match write_cache(&ask(&["-W", &path])?.stdout) {
        Some(now) if now == on => Ok(()),
        _ => Err(not_switched(node, on)),
    }
}

/// From ` write-caching =  1 (on)`.
fn write_cache(text: &str) -> Option<bool> {
    let line = text.lines().find(|line| line.contains("write-caching"))?;
    match line.split_once('=')?.1.split_whitespace().next()? {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tool::fake::FakeTool;
    use super::*;
    use crate::real::recorded::says;

    /// What hdparm 9.65 prints, from its `Security` section on.
    fn identity(lines: &str) -> String {
        format!(
            "\n/dev/sdz:\n\nATA device, with non-removable media\n\tModel Number:       X\n\
             Security: \n\tMaster password revision code = 65534\n{lines}\
             Logical Unit WWN Device Identifier: 5\n\tfrozen\n"
        )
    }

    const FREE: &str = "\t\tsupported\n\tnot\tenabled\n\tnot\tlocked\n\tnot\tfrozen\n\
        \tnot\texpired: security count\n\t\tsupported: enhanced erase\n\
        \t2min for SECURITY ERASE UNIT. 8min for ENHANCED SECURITY ERASE UNIT.\n";

    /// A drive whose password is set while `$dir/set` exists.
    fn drive(lines: &str, erase: &str) -> FakeTool {
        let free = identity(lines);
        let set = identity(&lines.replace("not\tenabled", "\tenabled"));
        FakeTool::new(
            "hdparm",
            &format!(
                "case \"$*\" in\n\
                 -I*) if [ -e $dir/set ]; then cat <<'E'\n{set}E\nelse cat <<'E'\n{free}E\nfi ;;\n\
                 *set-pass*) touch $dir/set ;;\n\
                 *security-erase*) {erase} ;;\n\
                 *security-disable*) rm -f $dir/set ;;\n\
                 -W1*) echo 1 > $dir/cache ;;\n\
                 -W0*) echo 0 > $dir/cache ;;\n\
                 -W*) echo; echo \" write-caching =  $(cat $dir/cache) (x)\" ;;\n\
                 esac"
            ),
        )
    }

    #[test]
    fn the_section_is_read_and_nothing_beyond_it() {
        let free = Security::parse(&identity(FREE)).unwrap();
        assert_eq!(
            free,
            Security {
                supported: true,
                erase_min: Some((2, false)),
                ..Security::default()
            }
        );
        let more = FREE.replace("\t2min", "\tmore than 508min");
        let more = Security::parse(&identity(&more)).unwrap();
        assert_eq!(more.time(), "the drive says more than 508 min");
        assert_eq!(Security::parse("\n/dev/loop0:\n"), None);
        let none = Security::parse(&identity("\tnot\tsupported\n")).unwrap();
        assert_eq!(none, Security::default());
    }

    #[test]
    fn a_drive_is_erased_with_a_password_that_does_not_stay() {
        let hdparm = drive(FREE, "rm -f $dir/set");
        let node = hdparm.node();
        let erasing = plan(&hdparm.tools, &node, false).unwrap();
        assert_eq!(erasing.time, "the drive says 2 min");
        assert_eq!(hdparm.calls(), ["-I /dev/sdz"]);
        erase(&hdparm.tools, &node).unwrap();
        assert_eq!(
            hdparm.calls()[1..],
            [
                "--user-master u --security-set-pass stend /dev/sdz",
                "--user-master u --security-erase stend /dev/sdz",
                "-I /dev/sdz",
            ]
        );
    }

    #[test]
    fn drives_that_cannot_or_must_not() {
        let said = |lines: &str, crypto| {
            let hdparm = drive(lines, "exit 1");
            let error = plan(&hdparm.tools, &hdparm.node(), crypto).unwrap_err();
            assert_eq!(hdparm.calls(), ["-I /dev/sdz"]);
            error
        };
        let frozen = said(&FREE.replace("not\tfrozen", "\tfrozen"), false);
        assert!(matches!(&frozen, TargetError::Failed(text) if text.contains("systemctl suspend")));
        for word in ["enabled", "locked"] {
            let error = said(&FREE.replace(&format!("not\t{word}"), word), false);
            assert!(
                matches!(&error, TargetError::Refused(text) if text.contains("a password is set"))
            );
        }
        let none = said(&FREE.replacen("\tsupported", "not\tsupported", 1), false);
        assert!(
            matches!(&none, TargetError::Input(text) if text.contains("no ATA security")),
            "{none:?}"
        );
        assert!(matches!(said(FREE, true), TargetError::Input(_)));
        let mute = FakeTool::new("hdparm", "echo inappropriate ioctl >&2");
        let error = plan(&mute.tools, &mute.node(), false).unwrap_err();
        assert!(matches!(&error, TargetError::Input(text) if text.contains("inappropriate")));
        let missing = FakeTool::new("else", "");
        let error = plan(&missing.tools, &missing.node(), false).unwrap_err();
        assert!(
            matches!(&error, TargetError::ToolMissing(text) if text.contains("apt install hdparm"))
        );
    }

    #[test]
    fn a_failed_erase_tells_of_the_password() {
        let hdparm = drive(FREE, "echo SG_IO: bad sense >&2; exit 5");
        let error = erase(&hdparm.tools, &hdparm.node())
            .unwrap_err()
            .to_string();
        for part in ["bad sense", "exit code 5", "no password is left"] {
            says(&error, part);
        }
        // A drive that says it has erased, and keeps its password, has not.
        let hdparm = drive(FREE, ":");
        assert!(erase(&hdparm.tools, &hdparm.node()).is_err());
        let stuck = FakeTool::new(
            "hdparm",
            &format!(
                "case \"$*\" in -I*) cat <<'E'\n{}E\n;; *set-pass*) ;; *) exit 5 ;; esac",
                identity(&FREE.replace("not\tenabled", "\tenabled"))
            ),
        );
        let error = erase(&stuck.tools, &stuck.node()).unwrap_err().to_string();
        says(&error, "THE PASSWORD `stend` MAY STILL BE SET");
    }

    #[test]
    fn the_write_cache_is_switched_and_read_back() {
        let hdparm = drive(FREE, ":");
        let node = hdparm.node();
        hdparm.keep("cache", "1\n");
        set_write_cache(&hdparm.tools, &node, false).unwrap();
        assert_eq!(
            hdparm.calls(),
            ["-W /dev/sdz", "-W0 /dev/sdz", "-W /dev/sdz"]
        );
        set_write_cache(&hdparm.tools, &node, true).unwrap();
        let stubborn = FakeTool::new("hdparm", "echo ' write-caching =  1 (on)'");
        let error = set_write_cache(&stubborn.tools, &node, false).unwrap_err();
        says(&error, "is not off");
        let mute = FakeTool::new("hdparm", "echo; echo /dev/loop0:");
        let error = set_write_cache(&mute.tools, &node, false).unwrap_err();
        assert!(matches!(error, TargetError::Input(_)));
        assert_eq!(mute.calls().len(), 1);
    }
}
