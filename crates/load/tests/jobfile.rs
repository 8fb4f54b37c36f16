//! The parser of job files.

use proptest::prelude::*;
use stend_base::Nanos;
use stend_load::JobFile;
use stend_load::jobfile::{
    self, BlockSizes, Direction, Distribution, Extent, Generator, Mix, Rate, RateProcess, Spec,
    accepted::{self, Values},
    options,
};

fn spec(body: &str) -> Spec {
    JobFile::parse(&format!("[j]\n{body}\n"))
        .unwrap_or_else(|error| panic!("{body}: {error}"))
        .jobs
        .remove(0)
        .spec
}

fn error(text: &str) -> String {
    match JobFile::parse(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn globals_apply_to_what_follows_and_add_up() {
    let file = JobFile::parse(
        "; a comment\n[global]\nbs=8k\niodepth=4\n\n[a]\nrw=randread # \
        inline\n[global]\niodepth=16\n[b]\nbs=64k ; inline\n",
    )
    .unwrap();
    let [a, b] = &file.jobs[..] else {
        panic!("two jobs")
    };
    assert_eq!((a.spec.iodepth, b.spec.iodepth), (4, 16));
    assert_eq!(a.spec.block_sizes[0], BlockSizes::Fixed(8192));
    assert_eq!(b.spec.block_sizes[2], BlockSizes::Fixed(65_536));
    assert!(a.spec.rw.random && !b.spec.rw.random);
    assert_eq!(file.global_options["iodepth"], "16");
    assert_eq!(a.options["rw"], "randread");
    assert!(!a.options.contains_key("bs"));
}

#[test]
fn every_option_of_the_methodology() {
    let got = spec(
        "readwrite=randrw\nrwmixread=80\nbs=4k,16k\nruntime=3m\nramp_time=500ms\ntime_based\n\
         size=50%\noffset=1g\noffset_increment=10%\nio_size=4g\nrate_iops=100,200\nthinktime=5ms\n\
         thinktime_blocks=8\nstonewall\nstartdelay=1s-3s\ngroup_reporting\nnorandommap\n\
         random_generator=lfsr\nrandseed=77\nrandom_distribution=zipf:1.2\nwrite_bw_log=x\n\
         write_iops_log\nwrite_lat_log=y\nlog_avg_msec=1000\npercentile_list=99.999:50\n\
         description=words and words\nfsync=32\nend_fsync=1\nnumjobs=3\niodepth=32\n\
         rate_process=poisson",
    );
    assert_eq!((got.rw.mix, got.rw.random), (Mix::ReadWrite, true));
    assert_eq!(got.read_percent, 80);
    let sizes = [4096, 16_384, 16_384].map(BlockSizes::Fixed);
    assert_eq!(got.block_sizes, sizes);
    assert_eq!(got.runtime, Some(Nanos::from_secs(180)));
    assert_eq!(got.ramp, Nanos::from_millis(500));
    assert_eq!(got.size, Some(Extent::Percent(50)));
    assert_eq!(got.offset, Extent::Bytes(1 << 30));
    assert_eq!(got.rate[0], Some(Rate::Requests(100)));
    assert_eq!(got.rate[2], Some(Rate::Requests(200)));
    assert_eq!(got.rate_process, RateProcess::Poisson);
    assert_eq!(got.thinktime, Nanos::from_millis(5));
    assert_eq!(got.start_delay, (Nanos::from_secs(1), Nanos::from_secs(3)));
    assert_eq!(got.generator, Generator::Lfsr);
    assert_eq!(got.seed, Some(77));
    assert_eq!(got.distribution, Distribution::Zipf { theta: 1.2 });
    assert_eq!(got.bw_log.as_deref(), Some("x"));
    assert_eq!(got.iops_log.as_deref(), Some(""));
    assert_eq!(got.log_interval, Nanos::from_secs(1));
    assert_eq!(got.percentiles, [50.0, 99.999]);
    assert_eq!((got.fsync_every, got.end_fsync), (32, true));
    assert!(got.stonewall && got.group_reporting && got.norandommap && got.time_based);
}

#[test]
fn block_sizes_by_direction() {
    let fixed = |text: &str| spec(text).block_sizes;
    assert_eq!(
        fixed("bs=8k,32k,"),
        [8192, 32_768, 4096].map(BlockSizes::Fixed)
    );
    assert_eq!(fixed("bs=,8k"), [4096, 8192, 8192].map(BlockSizes::Fixed));
    assert_eq!(fixed("bs=,8k,"), [4096, 8192, 4096].map(BlockSizes::Fixed));
    let range = BlockSizes::Range {
        min: 1024,
        max: 4096,
    };
    assert_eq!(fixed("bsrange=4k:1k,8k-8k")[0], range);
    assert_eq!(fixed("bsrange=4k:1k,8k-8k")[1], BlockSizes::Fixed(8192));
    let split = |text: &str| match &fixed(text)[0] {
        BlockSizes::Split(weights) => weights.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        split("bssplit=4k/10:64k/50:32k/40"),
        [(4096, 10), (65_536, 50), (32_768, 40)]
    );
    assert_eq!(
        split("bssplit=4k/50:1k/:32k/"),
        [(4096, 50), (1024, 25), (32_768, 25)]
    );
    // Shares of 100,000 requests of fio 3.33, rounded: the size with the greatest percentage has
    // the missing ones.
    assert_eq!(split("bssplit=4k/50:8k/20"), [(4096, 80), (8192, 20)]);
    assert_eq!(
        split("bssplit=4k/60:8k/30:64k/5"),
        [(4096, 65), (8192, 30), (65_536, 5)]
    );
    assert_eq!(
        split("bssplit=64k/5:8k/30:4k/20"),
        [(65_536, 5), (8192, 75), (4096, 20)]
    );
    assert_eq!(split("bssplit=4k/50:6k/50"), [(4096, 50), (4096, 50)]);
    assert!(error("[j]\nbssplit=4k/60:8k/60").contains("add up to 120"));
}

#[test]
fn kb_base_counts_wherever_it_stands() {
    assert_eq!(
        spec("size=1m\nkb_base=1000").size,
        Some(Extent::Bytes(1_000_000))
    );
    assert_eq!(spec("size=1mi").size, Some(Extent::Bytes(1_000_000)));
}

#[test]
fn rwmixwrite_overrides() {
    assert_eq!(spec("rwmixread=80\nrwmixwrite=40").read_percent, 60);
    assert_eq!(spec("time_based=0").runtime, None);
}

#[test]
fn a_synchronous_engine_has_one_request_outstanding() {
    assert_eq!(spec("iodepth=32\nioengine=psync").iodepth, 1);
    assert_eq!(spec("ioengine=libaio\niodepth=32").iodepth, 32);
    let text = "[global]\nioengine=sync\niodepth=8\nrw=read\n[a]\n[b]\nioengine=io_uring\n";
    let file = JobFile::parse(text).unwrap();
    let depths: Vec<u32> = file.jobs.iter().map(|job| job.spec.iodepth).collect();
    assert_eq!(depths, [1, 8]);
}

#[test]
fn times_that_are_none_are_errors_of_that_time() {
    for option in ["startdelay", "runtime", "timeout", "ramp_time", "thinktime"] {
        for (value, problem) in [
            ("18921600000s", "is more than 53375 days"),
            ("600y", "is not a whole number with one of the units"),
            ("", "a value is missing"),
        ] {
            let got = error(&format!("[j]\n{option}={value}\n"));
            let place = format!("job file, line 2, section [j]: option `{option}={value}`: ");
            let shown = if value.is_empty() {
                String::new()
            } else {
                format!("`{value}` ")
            };
            assert!(
                got.starts_with(&format!("{place}{shown}{problem}")),
                "{got}"
            );
            assert!(
                got.contains("; allowed: a ") && got.contains("ms, s"),
                "{got}"
            );
        }
    }
    let range = error("[j]\nstartdelay=1s-600y\n");
    assert!(range.contains("`600y` is not a whole number"), "{range}");
    let range = error("[j]\nstartdelay=18921600000:5\n");
    assert!(range.contains("`18921600000` is more than"), "{range}");
}

#[test]
fn errors_name_option_section_file_line_and_what_is_allowed() {
    let got = error("[global]\nbs=4k\n[job one]\nrw=randwrite\nzone_mode=8\n");
    assert!(
        got.starts_with(
            "job file, line 5, section [job one]: option `zone_mode` is not known, or cannot"
        ),
        "{got}"
    );
    assert!(
        got.contains("Honoured are: ") && got.contains("rate_iops") && got.contains(" prio=0, "),
        "{got}"
    );
    assert!(error("[j]\niodpth=3").contains("Did you mean `iodepth`?"));
    assert!(
        error("[j]\nrw=randread:8k").contains("randrw"),
        "allowed values"
    );
    assert!(error("[j]\nbs=1000").contains("multiple of 512"));
    assert!(error("[j]\nruntime=1.5").contains("whole number"));
    assert!(error("[j]\ntime_based\n").contains("needs `runtime`"));
    assert!(error("[j]\niodepth\n").contains("a value is missing"));
    assert!(error("[j]\niodepth=0\n").contains("1 to 65536"));
    for (zones, problem) in [
        ("zoned:1/2", "add up to 1 instead of 100"),
        ("zoned:60/50:50/50", "add up to 110"),
        ("zoned:60/50:40/60", "the sizes add up to 110 %"),
        ("zoned:100", "a zone lacks a size"),
        ("zoned:60/100:40", "a zone lacks a size"),
        ("zoned_abs:60/8k:40", "the zone `40` lacks a size in bytes"),
        ("zoned:x/10:40/90", "`x` is not a percentage"),
        ("zoned", "a value is missing"),
    ] {
        let got = error(&format!("[j]\nrandom_distribution={zones}"));
        assert!(got.contains(problem), "{got}");
    }
    let both = "rw=randread\nrandom_generator=lfsr\nrandom_distribution=zoned:100/10";
    assert!(error(&format!("[j]\n{both}\n")).contains("random_generator=lfsr"));
    assert!(error("[j]\nrandom_distribution=normal:5").contains("cannot be simulated"));
    assert!(error("[j]\nrandom_distribution=zipf:1.0").contains("fio refuses"));
    assert!(error("[j]\nrandom_distribution=pareto:1.5").contains("between 0 and 1"));
    assert!(error("[j]\nrate_process=uniform").contains("allowed: linear, poisson"));
    for both in ["rate=1m\nrate_iops=4", "rate_iops=4\nrate=1m"] {
        assert!(error(&format!("[j]\n{both}\n")).contains("exclude each other"));
    }
    assert!(error("rw=read\n[j]\n").contains("outside of any section"));
    assert!(error("[global]\nrw=read\n").contains("no job"));
    assert!(error("").contains("no job"));
    assert!(error("[j\nrw=read").contains("a section reads `[name]`"));
    assert!(error("[j]\nsize=${SIZE}\n").contains("line 2"));
    assert!(error("[j]\ninclude other.fio\n").contains("line 2"));
}

#[test]
fn includes_and_variables_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    write(
        "main.fio",
        "[global]\ninclude sub/common.fio\n[j]\ninclude job.fio\ndirectory=${STEND_NOT_SET}x\n",
    );
    write("sub/common.fio", "iodepth=8\ninclude deeper.fio\n");
    write("sub/deeper.fio", "bs=16k\n");
    write("job.fio", "rw=randread\n");
    let file = JobFile::read(&folder.path().join("main.fio")).unwrap();
    let spec = &file.jobs[0].spec;
    assert_eq!((spec.iodepth, spec.rw.random), (8, true));
    assert_eq!(spec.block_sizes[0], BlockSizes::Fixed(16_384));
    assert_eq!(file.jobs[0].options["directory"], "x");
    assert_eq!(
        JobFile::parse(&file.text.to_string()).unwrap().jobs[0].spec,
        *spec
    );

    write("job.fio", "rw=randread\nnumjobs=$ncpus\n");
    let file = JobFile::read(&folder.path().join("main.fio")).unwrap();
    let processors = std::thread::available_parallelism().unwrap().get();
    assert_eq!(file.jobs[0].spec.numjobs as usize, processors);

    // The size of the machine's memory, as fio has it.
    write("job.fio", "rw=randread\nsize=$mb_memory\nbs=512\n");
    let file = JobFile::read(&folder.path().join("main.fio")).unwrap();
    let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
    let total = meminfo.split_ascii_whitespace().nth(1).unwrap();
    let mib = total.parse::<u64>().unwrap() / 1024;
    assert_eq!(file.jobs[0].spec.size, Some(Extent::Bytes(mib)));

    write("job.fio", "rw=randread\nfoo=1\n");
    let error = JobFile::read(&folder.path().join("main.fio"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("job.fio, line 2, section [j]: option `foo`"),
        "{error}"
    );
    write("job.fio", "[inner]\n");
    let error = JobFile::read(&folder.path().join("main.fio"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("no section"), "{error}");
    write("job.fio", "include job.fio\n");
    let error = JobFile::read(&folder.path().join("main.fio"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("nested"), "{error}");
    let error = jobfile::flatten(&folder.path().join("none.fio"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot be read"), "{error}");
}

#[test]
fn a_byte_that_is_not_utf_8_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (main, included) = (folder.path().join("m.fio"), folder.path().join("i.fio"));
    std::fs::write(&main, b"[j]\nrw=read\n# caf\xe9\n").unwrap();
    let error = || JobFile::read(&main).unwrap_err().to_string();
    assert!(
        error().ends_with("m.fio, line 3: the byte 0xe9 is not UTF-8: save the file as UTF-8"),
        "{}",
        error()
    );
    std::fs::write(&main, "[j]\ninclude i.fio\n").unwrap();
    std::fs::write(&included, b"\nbs=\xff\n").unwrap();
    assert!(
        error().contains("i.fio, line 2: the byte 0xff"),
        "{}",
        error()
    );
}

#[test]
fn modifiers_of_rw() {
    let got = spec("rw=read:-8k");
    assert_eq!((got.skip_bytes, got.random_run), (-8192, 1));
    assert_eq!(spec("rw=write:112k").skip_bytes, 112 << 10);
    assert_eq!(spec("rw=randread:8").random_run, 8);
    assert_eq!(spec("rw=randread:8\nrw=randread").random_run, 1);
    assert_eq!(spec("rw=trimwrite").rw.mix, Mix::TrimWrite);
    for bad in ["read:4", "randread:0", "randread:4k", "read:", "read:-"] {
        assert!(
            error(&format!("[j]\nrw={bad}\n")).contains("after a colon"),
            "{bad}"
        );
    }
    assert!(error("[j]\nrw=read:-8k\noffset=8k\n").contains("line 3"));
    assert_eq!(
        spec("percentage_random=50,,20").random_percent,
        [50, 100, 20]
    );
    for (zones, problem) in [
        ("zonesize=8k", "needs `zonemode=strided`"),
        ("zonemode=strided", "is needed by"),
        (
            "zonemode=strided\nzonesize=8k\nzonerange=4k",
            "above `zonerange`",
        ),
        ("zonemode=strided\nzonesize=8k\nrw=rw", "one direction"),
        (
            "zonemode=strided\nzonesize=8k\nrw=randread\npercentage_random=50",
            "`percentage_random`",
        ),
        (
            "zonemode=strided\nzonesize=8k\ntime_based\nruntime=9",
            "with `time_based`",
        ),
        (
            "zonemode=strided\nzonesize=8k\nfilesize=1m\nsize=50%",
            "a percentage as `size`",
        ),
    ] {
        let got = error(&format!("[j]\n{zones}\n"));
        assert!(
            got.contains("option `zonesize`") && got.contains(problem),
            "{got}"
        );
    }
    let got = error("[a]\n[a]\n[b]\nwait_for=a\n");
    assert!(got.contains("several jobs before this one"), "{got}");
    assert!(error("[j]\nrw=randrw:8\n").contains("two directions"));
    let got = error("[a]\nwait_for=b\n[b]\n");
    assert!(
        got.contains("`wait_for=b`: no job before this one"),
        "{got}"
    );
}

#[test]
fn options_stand_in_one_table_only() {
    let mut names: Vec<&str> = options::OPTIONS
        .iter()
        .flat_map(|def| [def.name, def.alias])
        .filter(|name| !name.is_empty())
        .chain(accepted::ACCEPTED.iter().map(|(name, _)| *name))
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "an option is named twice");
    for (name, values) in accepted::ACCEPTED {
        let value = match values {
            Values::Bool | Values::Flag => "1".to_owned(),
            Values::Number(low, _) => low.to_string(),
            Values::Words(words) => words[0].to_owned(),
            Values::Text => "x".to_owned(),
        };
        spec(&format!("{name}={value}"));
    }
}

/// fio 3.33 refuses each of these values.
#[test]
fn options_of_the_host_have_only_fio_s_values() {
    for (line, allowed) in [
        ("direct=maybe", "0 or 1"),
        ("direct=2", "0 or 1"),
        ("direct", "0 or 1"),
        ("invalidate=7", "0 or 1"),
        ("thread=yes", "nothing, 0 or 1"),
        ("fallocate=foo", "none, native, posix, keep, truncate, 0, 1"),
        ("nice=20", "-20 to 19"),
        ("lockmem=foo", "a whole number"),
        ("dedupe_percentage=101", "0 to 100"),
    ] {
        let got = error(&format!("[j]\n{line}\n"));
        let expected = format!("job file, line 2, section [j]: option `{line}`: ");
        assert!(got.starts_with(&expected), "{got}");
        assert!(got.ends_with(&format!("; allowed: {allowed}")), "{got}");
    }
    for line in ["direct=0x1", "thread", "nice=-20", "mem=mmaphuge:/x"] {
        spec(line);
    }
}

#[test]
fn defaults_that_change_nothing_are_accepted() {
    for line in [
        "verify=0",
        "prio=0",
        "prioclass=0",
        "slat_percentiles=0",
        "unified_rw_reporting=none",
        "exitall=0",
        "flow=0",
        "thinktime_spin=0",
    ] {
        assert_eq!(spec(line), Spec::default(), "{line}");
    }
    assert!(error("[j]\nverify=crc33\n").contains("fio has no check `crc33`"));
    assert!(error("[j]\nverify_backlog=8\n").contains("allowed: 0"));
    for other in ["time_based\nruntime=1", "loops=2", "flow=1"] {
        let text = format!("[j]\nrw=write\nverify=md5\n{other}\n");
        assert!(error(&text).contains("option `verify`"), "{text}");
        JobFile::parse(&text.replace("md5", "md5\ndo_verify=0")).unwrap();
    }
    for wait in ["stonewall", "wait_for=a"] {
        let text = format!("[a]\nflow=1\n[b]\nflow=1\n{wait}\n");
        assert!(error(&text).contains("must begin together"), "{text}");
        JobFile::parse(&text.replace("[b]", "[b]\nflow_id=2")).unwrap();
    }
    assert_eq!(spec("bs=$pagesize").block_sizes[0], BlockSizes::Fixed(4096));
    for keyword in ["$ncpus", "$mb_memory"] {
        let text = format!("[j]\nnumjobs={keyword}\n");
        assert!(error(&text).contains("only known for job files"));
    }
    for other in ["io_size=1m", "filesize=1m", "number_ios=4"] {
        assert!(error(&format!("[j]\nloops=2\n{other}\n")).contains("option `loops`"));
    }
}

#[test]
fn engines_that_no_drive_can_serve_are_refused() {
    for (engine, problem) in [
        (
            "libaoi",
            "fio has no engine `libaoi`; did you mean `libaio`?",
        ),
        (
            "nosuchengine",
            "fio has no engine `nosuchengine`; allowed: libaio, io_uring,",
        ),
        ("net", "`net` moves no data to or from a drive"),
        ("exec", "`exec` moves no data"),
        ("filecreate", "`filecreate` moves no data"),
        ("ftruncate", "`ftruncate` moves no data"),
        ("libpmem", "the target of `libpmem` is not a block device"),
        ("external:/opt/x.so", "the target of `external` is not"),
    ] {
        let got = error(&format!("[j]\nioengine={engine}\n"));
        assert!(
            got.contains(problem) && got.contains("allowed: libaio"),
            "{got}"
        );
    }
    for engine in ["sync", "libaio", "io_uring", "posixaio", "nbd", "null"] {
        spec(&format!("ioengine={engine}"));
    }
}

/// Lines that are valid in any section.
fn valid_line() -> impl Strategy<Value = String> {
    let size = (1u64..2000).prop_map(|n| (n * 512).to_string());
    prop_oneof![
        size.clone().prop_map(|n| format!("bs={n}")),
        (1u64..64).prop_map(|n| format!("bs={n}k,{n}m,4k")),
        (1u64..64, 1u64..64).prop_map(|(a, b)| format!("bsrange={a}k-{b}K")),
        size.prop_map(|n| format!("offset = {n}")),
        (1u32..100).prop_map(|n| format!("size={n}%")),
        (1u32..1000).prop_map(|n| format!("iodepth={n}")),
        (1u32..99).prop_map(|n| format!("rwmixwrite={n}")),
        (1u32..99).prop_map(|n| format!("runtime={n}ms")),
        (1u32..99).prop_map(|n| format!("rate_iops={n},,{n}k")),
        Just("rate_process=poisson".to_string()),
        (1u32..99).prop_map(|n| format!("random_distribution=zipf:1.{n}")),
        (1u32..99).prop_map(|n| format!("percentile_list={n}:{n}.5")),
        (1u32..99).prop_map(|n| format!("startdelay={n}-{}ms", n + 1)),
        Just("norandommap".to_string()),
        Just("stonewall=1   ; why".to_string()),
        Just("filename=/dev/null".to_string()),
        Just("# nothing".to_string()),
        prop::sample::select(vec!["read", "randwrite", "rw", "randrw", "trim"])
            .prop_map(|rw| format!("rw={rw}")),
    ]
}

fn valid_file() -> impl Strategy<Value = String> {
    let section = |name: &'static str| {
        prop::collection::vec(valid_line(), 0..12)
            .prop_map(move |lines| format!("[{name}]\n{}\n", lines.join("\n")))
    };
    (
        section("global"),
        section("a"),
        section("global"),
        section("b c"),
    )
        .prop_map(|(g, a, h, b)| g + &a + &h + &b)
}

proptest! {
    #[test]
    fn written_files_read_as_the_same(text in valid_file()) {
        let file = JobFile::parse(&text).unwrap();
        let again = JobFile::parse(&file.text.to_string()).unwrap();
        prop_assert_eq!(&file.global_options, &again.global_options);
        for (one, two) in file.jobs.iter().zip(&again.jobs) {
            prop_assert_eq!(&one.spec, &two.spec);
            prop_assert_eq!(&one.options, &two.options);
            prop_assert_eq!(&one.name, &two.name);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        let _ = JobFile::parse(&text);
        let _ = JobFile::parse(&format!("[j]\n{text}"));
    }

    #[test]
    fn any_value_is_read_or_refused(
        index in 0..options::OPTIONS.len(),
        value in "[-0-9a-zA-Z%:/,. x]{0,24}",
    ) {
        let _ = JobFile::parse(&format!("[j]\n{}={value}", options::OPTIONS[index].name));
    }

    #[test]
    fn sizes_scale(number in 0u64..1_000_000, power in 0usize..4) {
        let letter = ["", "k", "m", "g"][power];
        let expected = number.checked_mul(1024u64.pow(power as u32));
        let got = jobfile::units::bytes(&format!("{number}{letter}"), 1024).ok();
        prop_assert_eq!(got, expected);
    }
}

#[test]
fn directions_are_named_in_fio_s_order() {
    assert_eq!(
        Direction::ALL.map(Direction::name),
        ["read", "write", "trim"]
    );
}
