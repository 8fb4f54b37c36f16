//! SATA drives, by `hdparm`. Source: ACS-3, Security and Sanitize Device feature sets; hdparm(8)
//! 9.65.

use std::path::Path;

use super::commands::{
    Command, EraseMethod, Plan, Program, Progress, Tools, Waiting, failure, not_switched, reported,
};
use crate::process::tools::ToolOutput;
use stend_load::target::TargetError;

const HDPARM: Program = Program {
    name: "hdparm",
    package: "hdparm",
};

/// Password that is set for the duration of an erase, which removes it.
const PASSWORD: &str = "stend";

/// A drive's security state, as `hdparm -I` prints it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Security {
    supported: bool,
    enabled: bool,
    locked: bool,
    frozen: bool,
    /// Minutes of an erase, and true if it may take longer.
    erase_min: Option<(u64, bool)>,
}

impl Security {
    /// Parses the security section of `hdparm -I`; `None` if there is none.
    fn parse(text: &str) -> Option<Security> {
        let (_, section) = text.split_once("\nSecurity:")?;
        let mut security = Security::default();
        for line in section.lines().skip(1) {
            // The next section begins without indentation.
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

/// Output of `hdparm -I`.
fn identity(tools: &Tools, node: &Path) -> Result<ToolOutput, TargetError> {
    tools.run(HDPARM, &["-I", &node.to_string_lossy()])
}

/// hdparm's complaint, in brackets; empty if it printed none.
fn by_hdparm(said: &ToolOutput) -> String {
    match said.stderr.trim() {
        "" => String::new(),
        words => format!(" (hdparm: {words})"),
    }
}

fn security(said: &ToolOutput, node: &Path) -> Result<Security, TargetError> {
    Security::parse(&said.stdout).ok_or_else(|| {
        TargetError::Input(format!(
            "{}: not an NVMe drive, and it reports no ATA security feature set, so it cannot erase \
             itself; `stend drive trim` empties a device that supports TRIM{}",
            node.display(),
            by_hdparm(said)
        ))
    })
}

/// The sanitize feature set, from the marks in `hdparm -I` (IDENTIFY DEVICE word 59, ACS-3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sanitize {
    supported: bool,
    crypto_scramble: bool,
    block_erase: bool,
    overwrite: bool,
}

impl Sanitize {
    fn parse(text: &str) -> Sanitize {
        let has = |name: &str| {
            let marked = |line: &str| Some(line.trim().strip_prefix('*')?.trim() == name);
            text.lines().filter_map(marked).any(|is| is)
        };
        let supported = has("SANITIZE feature set");
        Sanitize {
            supported,
            crypto_scramble: supported && has("CRYPTO_SCRAMBLE_EXT command"),
            block_erase: supported && has("BLOCK_ERASE_EXT command"),
            overwrite: supported && has("OVERWRITE_EXT command"),
        }
    }

    /// Error for a drive without the requested command, with the commands that it reports.
    fn refusal(self, crypto: bool, node: &Path) -> TargetError {
        let asked = match crypto {
            true => "cryptographic erase (CRYPTO SCRAMBLE EXT)",
            false => "sanitize of all blocks (BLOCK ERASE EXT)",
        };
        let reported = reported(&[
            (self.crypto_scramble, "CRYPTO SCRAMBLE EXT (--crypto)"),
            (self.block_erase, "BLOCK ERASE EXT (--sanitize)"),
            (
                self.overwrite,
                "OVERWRITE EXT, which wears the flash and which stend does not offer",
            ),
        ]);
        let has = match (self.supported, reported.is_empty()) {
            (false, _) => "it has no sanitize feature set".to_owned(),
            (true, true) => "its sanitize feature set has no command to erase".to_owned(),
            (true, false) => format!("of sanitize commands it reports {}", reported),
        };
        TargetError::Input(format!(
            "{0}: the drive reports no {asked}; {has}. `stend drive erase {0}` is by ATA Security \
             Erase Unit",
            node.display()
        ))
    }
}

/// Chooses the command with which a drive erases itself.
pub(super) fn plan(tools: &Tools, node: &Path, method: EraseMethod) -> Result<Plan, TargetError> {
    let of = node.display();
    let said = identity(tools, node)?;
    let security = security(&said, node)?;
    if security.enabled || security.locked {
        return Err(TargetError::Refused(format!(
            "{of}: a password is set on the drive, perhaps on purpose; its owner removes it \
             with `hdparm --user-master u --security-disable PASSWORD {of}`"
        )));
    }
    if method != EraseMethod::default() {
        return plan_sanitize(tools, node, Sanitize::parse(&said.stdout), method.crypto);
    }
    if !security.supported {
        return Err(TargetError::Input(format!(
            "{of}: the drive has no ATA security; `stend drive trim` empties what takes TRIM"
        )));
    }
    if security.frozen {
        return Err(TargetError::Failed(frozen(
            node,
            "takes no command of security",
        )));
    }
    let how = "all of the drive, by ATA Security Erase Unit";
    Ok(Plan::alone(Command::SecurityErase, how, security.time()))
}

fn frozen(node: &Path, effect: &str) -> String {
    format!(
        "{}: the drive is frozen, as firmware leaves drives at start, and {effect}; suspend the \
         machine and wake it (`systemctl suspend`), or plug the drive in while the machine runs, \
         and repeat the command",
        node.display()
    )
}

fn plan_sanitize(
    tools: &Tools,
    node: &Path,
    has: Sanitize,
    crypto: bool,
) -> Result<Plan, TargetError> {
    let (able, how) = match crypto {
        true => (
            has.crypto_scramble,
            "the key of all data, by ATA CRYPTO SCRAMBLE EXT",
        ),
        false => (has.block_erase, "all blocks, by ATA BLOCK ERASE EXT"),
    };
    if !able {
        return Err(has.refusal(crypto, node));
    }
    let status = sanitize_status(tools, node)?;
    match &status {
        SanitizeStatus::Running(percent) => Err(TargetError::Refused(format!(
            "{}: a sanitize is under way in the drive already, {percent:.0} % done: wait for its \
             end",
            node.display()
        ))),
        SanitizeStatus::Frozen => Err(TargetError::Failed(frozen(
            node,
            "takes no command of the sanitize feature set",
        ))),
        _ => {
            let time = "the drive does not say; seconds to hours";
            Ok(Plan::alone(Command::AtaSanitize { crypto }, how, time))
        }
    }
}

/// State that `hdparm --sanitize-status` prints.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SanitizeStatus {
    Frozen,
    /// Percent done.
    Running(f64),
    Failed,
    /// The last sanitize completed without an error.
    Succeeded,
    Idle,
}

fn sanitize_status(tools: &Tools, node: &Path) -> Result<SanitizeStatus, TargetError> {
    let said = tools.run(HDPARM, &["--sanitize-status", &node.to_string_lossy()])?;
    let all = format!("{}\n{}", said.stdout, said.stderr);
    let after = |mark: &str| all.split_once(mark).map(|(_, rest)| rest);
    // After an unsuccessful command the drive answers with an error.
    if all.contains("SD3 Sanitize Operation Failed") {
        return Ok(SanitizeStatus::Failed);
    }
    let state = after("State:").map(|rest| rest.trim_start().get(..3));
    match state.flatten() {
        Some("SD1") => Ok(SanitizeStatus::Frozen),
        Some("SD2") => {
            let percent = after("Progress:").and_then(|rest| rest.split_once('('));
            let percent = percent.and_then(|(_, rest)| rest.split_once('%')?.0.parse().ok());
            Ok(SanitizeStatus::Running(percent.unwrap_or(0.0)))
        }
        Some("SD0" | "SD4") if all.contains("Completed Without Error") => {
            Ok(SanitizeStatus::Succeeded)
        }
        Some("SD0" | "SD4") => Ok(SanitizeStatus::Idle),
        _ => Err(failure(node, "asking how far a sanitize is", &said)),
    }
}

/// Starts a sanitize and waits for its end.
pub(super) fn sanitize(
    tools: &Tools,
    node: &Path,
    crypto: bool,
    waiting: &Waiting<'_>,
) -> Result<(), TargetError> {
    let command = match crypto {
        true => "--sanitize-crypto-scramble",
        false => "--sanitize-block-erase",
    };
    let path = node.to_string_lossy();
    let args = ["--yes-i-know-what-i-am-doing", command, &path];
    tools.succeed(HDPARM, &args, node, "starting the sanitize")?;
    waiting.end_of_sanitize(node, || {
        Ok(match sanitize_status(tools, node)? {
            SanitizeStatus::Running(percent) => Progress::Running(percent),
            SanitizeStatus::Succeeded => Progress::Done,
            SanitizeStatus::Failed => Progress::Failed("failed, as the drive says".to_owned()),
            SanitizeStatus::Idle | SanitizeStatus::Frozen => Progress::Failed(
                "was taken by the drive, which does not say that it completed".to_owned(),
            ),
        })
    })
}

/// Sets a password and erases the drive, which removes the password.
pub(super) fn security_erase(tools: &Tools, node: &Path) -> Result<(), TargetError> {
    let path = node.to_string_lossy();
    let security_command =
        |what: &str| tools.run(HDPARM, &["--user-master", "u", what, PASSWORD, &path]);
    let set = security_command("--security-set-pass")?;
    if !set.status.success() {
        return Err(failure(node, "setting the password of an erase", &set));
    }
    let erased = security_command("--security-erase")?;
    let security = || security(&identity(tools, node)?, node);
    if erased.status.success() && !security()?.enabled {
        return Ok(());
    }
    let failed = failure(node, "the erase", &erased);
    let _ = security_command("--security-disable")?;
    let left = match security() {
        Ok(security) if !security.enabled => "no password is left on the drive".to_owned(),
        _ => format!(
            "THE PASSWORD `{PASSWORD}` MAY STILL BE SET: remove it with `hdparm --user-master u \
             --security-disable {PASSWORD} {path}`, or the drive is locked at its next start"
        ),
    };
    Err(TargetError::Failed(format!("{failed}; {left}")))
}

/// Switches the write cache, and reads its state back.
pub(super) fn set_write_cache(tools: &Tools, node: &Path, on: bool) -> Result<(), TargetError> {
    let path = node.to_string_lossy();
    let switch = if on { "-W1" } else { "-W0" };
    let ask = |args: &[&str]| tools.run(HDPARM, args);
    let before = ask(&["-W", &path])?;
    if write_cache(&before.stdout).is_none() {
        return Err(TargetError::Input(format!(
            "{path}: it is not an NVMe drive and reports no ATA write cache{}",
            by_hdparm(&before)
        )));
    }
    tools.succeed(HDPARM, &[switch, &path], node, "switching the write cache")?;
    match write_cache(&ask(&["-W", &path])?.stdout) {
        Some(now) if now == on => Ok(()),
        _ => Err(not_switched(node, on)),
    }
}

/// Parses ` write-caching =  1 (on)`.
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
    use super::super::commands::fake::{CRYPTO, FakeTool, HURRIED, PLAIN, SANITIZE};
    use super::*;
    use crate::probe::recorded::says;

    /// Output of hdparm 9.65, from its `Security` section on.
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
        let plan = plan(&hdparm.tools, &node, PLAIN).unwrap();
        assert_eq!(plan.erasing.time, "the drive says 2 min");
        assert_eq!(plan.command, Command::SecurityErase);
        assert_eq!(hdparm.calls(), ["-I /dev/sdz"]);
        security_erase(&hdparm.tools, &node).unwrap();
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
        let said = |lines: &str, method| {
            let hdparm = drive(lines, "exit 1");
            let error = plan(&hdparm.tools, &hdparm.node(), method).unwrap_err();
            assert_eq!(hdparm.calls(), ["-I /dev/sdz"]);
            error
        };
        let frozen = said(&FREE.replace("not\tfrozen", "\tfrozen"), PLAIN);
        assert!(matches!(&frozen, TargetError::Failed(text) if text.contains("systemctl suspend")));
        for word in ["enabled", "locked"] {
            for method in [PLAIN, CRYPTO, SANITIZE] {
                let error = said(&FREE.replace(&format!("not\t{word}"), word), method);
                assert!(matches!(&error, TargetError::Refused(_)), "{error}");
                says(&error, "a password is set");
            }
        }
        let none = said(&FREE.replacen("\tsupported", "not\tsupported", 1), PLAIN);
        assert!(
            matches!(&none, TargetError::Input(text) if text.contains("no ATA security")),
            "{none:?}"
        );
        for method in [CRYPTO, SANITIZE] {
            let error = said(FREE, method);
            assert!(matches!(&error, TargetError::Input(_)), "{error}");
            says(&error, "no sanitize feature set");
        }
        let mute = FakeTool::new("hdparm", "echo inappropriate ioctl >&2");
        let error = plan(&mute.tools, &mute.node(), PLAIN).unwrap_err();
        assert!(matches!(&error, TargetError::Input(text) if text.contains("inappropriate")));
        let missing = FakeTool::new("else", "");
        let error = plan(&missing.tools, &missing.node(), PLAIN).unwrap_err();
        assert!(
            matches!(&error, TargetError::ToolMissing(text) if text.contains("apt install hdparm"))
        );
    }

    /// A drive with these sanitize commands; `answers` are those to status queries, one per line,
    /// and the last is repeated.
    fn sanitizing(commands: &[&str], answers: &[&str]) -> FakeTool {
        let marks: String = commands
            .iter()
            .map(|command| format!("\t   *\t{command}\n"))
            .collect();
        let identity = identity(FREE).replace("Security: \n", &format!("{marks}Security: \n"));
        let states: String = answers
            .iter()
            .enumerate()
            .map(|(at, answer)| match at + 1 == answers.len() {
                true => format!("*) {answer} ;;\n"),
                false => format!("{}) {answer} ;;\n", at + 1),
            })
            .collect();
        FakeTool::new(
            "hdparm",
            &format!(
                "case \"$*\" in\n-I*) cat <<'E'\n{identity}\nE\n;;\n\
                 --sanitize-status*) case $(grep -c sanitize-status $calls) in\n{states}esac ;;\n\
                 *sanitize-*) echo 'Operation started in background' ;;\nesac"
            ),
        )
    }

    const SET: &str = "SANITIZE feature set";
    const SCRAMBLE: &str = "CRYPTO_SCRAMBLE_EXT command";
    const BLOCKS: &str = "BLOCK_ERASE_EXT command";
    const IDLE: &str = "printf 'Sanitize status:\\n    State:    SD0 Sanitize Idle\\n'";
    const DONE: &str = "printf '    State:    SD0 Sanitize Idle\\n    Last Sanitize Operation \
                        Completed Without Error\\n'";
    const HALF: &str = "printf '    State:    SD2 Sanitize operation In Process\\n    Progress: \
                        0x7fff (50%%)\\n'";

    #[test]
    fn a_drive_sanitizes_itself_by_what_it_reports() {
        for (method, command) in [
            (CRYPTO, "--sanitize-crypto-scramble"),
            (SANITIZE, "--sanitize-block-erase"),
        ] {
            let crypto = method.crypto;
            let hdparm = sanitizing(&[SET, SCRAMBLE, BLOCKS], &[IDLE, HALF, "exit 5", DONE]);
            let node = hdparm.node();
            let plan = plan(&hdparm.tools, &node, method).unwrap();
            assert_eq!(plan.command, Command::AtaSanitize { crypto });
            let told = std::cell::Cell::new(0.0);
            let waiting = Waiting {
                tell: &|percent| told.set(percent),
                ..HURRIED
            };
            sanitize(&hdparm.tools, &node, crypto, &waiting).unwrap();
            assert_eq!(told.get(), 50.0);
            let status = "--sanitize-status /dev/sdz";
            let begin = format!("--yes-i-know-what-i-am-doing {command} /dev/sdz");
            let calls = ["-I /dev/sdz", status, &begin, status, status, status];
            assert_eq!(hdparm.calls(), calls);
        }
    }

    #[test]
    fn a_drive_without_the_command_says_what_it_has() {
        let refused = |commands: &[&str], method| {
            let hdparm = sanitizing(commands, &[IDLE]);
            let error = plan(&hdparm.tools, &hdparm.node(), method).unwrap_err();
            assert!(matches!(error, TargetError::Input(_)), "{error}");
            assert_eq!(hdparm.calls(), ["-I /dev/sdz"]);
            error
        };
        says(
            refused(&[SET, BLOCKS], CRYPTO),
            "BLOCK ERASE EXT (--sanitize)",
        );
        says(
            refused(&[SET, SCRAMBLE], SANITIZE),
            "CRYPTO SCRAMBLE EXT (--crypto)",
        );
        let overwrite = refused(&[SET, "OVERWRITE_EXT command"], CRYPTO);
        says(overwrite, "stend does not offer");
        says(refused(&[SET], CRYPTO), "no command to erase");
        says(refused(&[SCRAMBLE], CRYPTO), "no sanitize feature set");
    }

    #[test]
    fn a_sanitize_that_cannot_begin_or_did_not_succeed() {
        let begin = |answer: &str| {
            let hdparm = sanitizing(&[SET, SCRAMBLE], &[answer]);
            plan(&hdparm.tools, &hdparm.node(), CRYPTO).unwrap_err()
        };
        let frozen = begin("echo 'State: SD1 Sanitize Frozen'");
        assert!(matches!(frozen, TargetError::Failed(_)));
        says(&frozen, "systemctl suspend");
        let running = begin(HALF);
        assert!(matches!(running, TargetError::Refused(_)));
        says(&running, "50 % done");
        says(begin("echo bad sense >&2; exit 5"), "bad sense");
        let ended = |answer: &str| {
            let hdparm = sanitizing(&[SET, SCRAMBLE], &[HALF, answer]);
            sanitize(&hdparm.tools, &hdparm.node(), true, &HURRIED).unwrap_err()
        };
        let failed = "echo 'Drive in SD3 Sanitize Operation Failed state' >&2; exit 5";
        says(ended(failed), "failed, as the drive says");
        says(ended(IDLE), "does not say that it completed");
        says(ended("exit 5"), "its progress is unknown");
        // A sanitize that failed before may be tried again.
        let again = sanitizing(&[SET, SCRAMBLE], &[failed]);
        plan(&again.tools, &again.node(), CRYPTO).unwrap();
    }

    #[test]
    fn a_failed_erase_tells_of_the_password() {
        let hdparm = drive(FREE, "echo SG_IO: bad sense >&2; exit 5");
        let error = security_erase(&hdparm.tools, &hdparm.node())
            .unwrap_err()
            .to_string();
        for part in ["bad sense", "exit code 5", "no password is left"] {
            says(&error, part);
        }
        // A drive that reports success but keeps its password has not been erased.
        let hdparm = drive(FREE, ":");
        assert!(security_erase(&hdparm.tools, &hdparm.node()).is_err());
        let stuck = FakeTool::new(
            "hdparm",
            &format!(
                "case \"$*\" in -I*) cat <<'E'\n{}E\n;; *set-pass*) ;; *) exit 5 ;; esac",
                identity(&FREE.replace("not\tenabled", "\tenabled"))
            ),
        );
        let error = security_erase(&stuck.tools, &stuck.node())
            .unwrap_err()
            .to_string();
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
