//! Every option that the example jobs of fio use, with the values that they give it: it is
//! accepted, or refused with its line.

use stend_load::JobFile;

/// Options and values that a simulated drive has, or on which nothing depends in virtual time.
const ACCEPTED: &str = "
    allow_file_create=0 blockalign=2M blockalign=4k blocksize=4k blocksize=1M bs=4k bs=4K bs=1m
    bs=64k bsrange=512-4k bsrange=512:1M bssplit=64k/40:1024k/60,1024k/100
    bssplit=512/25:1k/:2k/:4k/ bssplit=4k/10:64k/50:32k/40 bssplit=512/50:1M/50
    buffer_compress_percentage=50 buffer_pattern=0x01 buffer_pattern=0x00 buffered=0 buffered=1
    clat_percentiles=0 continue_on_error=none continue_on_error=all cpus_allowed=0-3
    cpus_allowed_policy=split create_on_open=1 create_serialize=0 dedupe_global=1
    dedupe_mode=working_set dedupe_percentage=50 dedupe_working_set_percentage=50 direct=1
    direct=0 directory=tmp disable_clat=1 disable_lat=1 disable_slat=1 do_verify=1 do_verify=0
    error_dump=0 exitall exitall=1 fallocate=none filename=fragmented_file filename=foo
    filesize=4k filesize=1M flow=1 flow=2 flow_id=1 flow_sleep=1000 flow_sleep=100 fsync=1
    group_reporting group_reporting=1 gtod_reduce=1 ignore_error=,ENOSPC ignore_error=,EIO
    invalidate=1 io_size=4k io_size=120g iodepth=32 iodepth=16 iodepth_batch=16 iodepth_batch=1
    iodepth_batch_complete=1 iodepth_batch_complete=16 ioengine=libaio ioengine=null
    ioengine=io_uring_cmd ioengine=sync lat_percentiles=1 log_avg_msec=100 log_avg_msec=1000
    log_offset=1 loops=1 loops=4 name=test name=fio-rand-RW new_group new_group=1 nonvectored=1
    norandommap norandommap=1 nrfiles=1 numa_cpu_nodes=0 numa_cpu_nodes=0-1
    numa_mem_policy=bind:0 numa_mem_policy=interleave:0-1 number_ios=20 number_ios=1 numjobs=1
    numjobs=4 offset=0G offset=1G offset_increment=124g openfiles=1 openfiles=2 per_job_logs=0
    percentile_list=99.0:99.9:99.99:99.999:99.9999:100 ramp_time=5s ramp_time=3
    random_distribution=zoned:50/5:30/15:20/80 random_distribution=zoned:50/5:30/15:20/
    random_distribution=zipf:0.5 random_generator=lfsr randrepeat=0 rate=300,300,300 rate=1250
    rate_iops=1000 rate_iops=50 rate_process=poisson readwrite=write readwrite=read
    registerfiles=1 runtime=10 runtime=30 runtime=900 runtime=10s rw=write rw=randwrite rw=read
    rw=randread rwmixread=50 rwmixread=60 rwmixwrite=40 rwmixwrite=60 scramble_buffers=1
    size=100g size=1G size=10G size=1M sqthread_poll=1 sqthread_poll_cpu=0 startdelay=1
    startdelay=0 stonewall stonewall=1 sync=1 thinktime=2000 thread thread=1 timeout=60 unlink=0
    verify=md5 verify=crc32c verify=sha256 verify=crc32c-intel verify_async=4 verify_async=6
    verify_async_cpus=0-3 verify_dump=1 verify_fatal=1 verify_interval=512 verify_interval=1M
    verify_pattern=0xaa555aa5 verify_pattern=0xaaa verify_state_save=1 write_bw_log=test
    write_bw_log write_iops_log=log write_iops_log=t0012.fio write_lat_log=log
    write_lat_log=prio-run.log zoneskip=2g
";

/// Options of hosts, networks and other engines, of zoned drives, priorities and protection
/// information, and values that a simulated drive does not have.
const REFUSED: &str = "
    apptag=0x0888 apptag=0x0234 apptag_mask=0xFFFF arguments=%r atomic=1
    block_error_percentiles=1 brick=localhost busy_poll=0 clientname=admin cmd_type=nvme
    cmd_type=bsg cmdprio=0 cmdprio_bssplit=64k/25/1/1:64k/75/3/2:1024k/0,1024k/0
    cmdprio_bssplit=64k/100:1024k/0,1024k/0 cmdprio_class=1 cmdprio_percentage=20 cpuload=50
    cpuload=100 cpumode=noop cpumode=qsort cuda_io=cufile cuda_io=posix donorname=file.def
    donorname=e4defrag-2 exit_what=stonewall exit_what=all experimental_verify=1 fdp=1
    fdp_pli=4,5 fdp_pli=0,1,2,3 fill_device=1 gpu_dev_id=0 grace_time=0 hostname=[hostname]
    hostname=localhost http_host=s3.eu-central-1.amazonaws.com
    http_host=swift.srv.openstack.local:8081 http_mode=s3 http_mode=swift
    http_s3_region=eu-central-1 http_s3_sse_customer_algorithm=AES256 http_verbose=0 https=on
    https=off inplace=0 inplace=1 io_submit_mode=offload latency_percentile=99.9
    latency_target=500000 latency_window=5000000 libblkio_driver=io_uring
    libblkio_driver=virtio-blk-vfio-pci listen log_issue_time=1 log_prio=1 log_window_value=both
    max_open_zones=32 md_per_io_size=64 mem=cudamalloc nfs_url=nfs://127.0.0.1/nfs nr_files=32
    nrfiles=200 num_range=8 pi_act=0 pi_chk=GUARD,APPTAG,REFTAG pingpong=1 pool=rados pool=rbd
    port=[port] port=8888 prio=7 prioclass=2 prioclass=3 protocol=vsock protocol=tcp
    random_distribution=sequence:2,0,1 random_sequence_stride=0 random_sequence_stride=1
    ratemin=1024 rbdname=fio_test read_beyond_wp=0 read_iolog=iolog read_iolog=t0038.iolog
    readfua=1 rocm_io=hipfile rocm_io=posix serialize_overlap=1 sg_write_mode=verify_bytchk_01
    sg_write_mode=verify_bytchk_11 skip_bad=1 spr_num_regions=100 spr_op=0.15 sprandom=1
    ss=iops:10% ss=bw_slope:1% ss_dur=30s ss_dur=10s ss_ramp=10s ss_ramp=5s std_redirect=0
    steadystate=lat:5% steadystate_check_interval=10 steadystate_duration=300
    steadystate_ramp_time=60 threads=1 ttl=1 verb=[read/write/send/recv] verify_backlog=1
    verify_backlog=1024 verify_state_load=1 verify_write_sequence=0 volume=vol write_iolog=log
    write_iolog=iolog write_mode=write/40:zeroes/30:uncor/20:verify/10 write_mode=zone_append
    writefua=1 zone_reset_frequency=0.125 zone_reset_threshold=0.7 zonemode=zbd
";

fn read(line: &str) -> Result<(), String> {
    let job = format!("[j]\nsize=1m\n{line}\n");
    let read = JobFile::parse(&job);
    read.map(drop).map_err(|error| error.to_string())
}

#[test]
fn every_option_of_the_example_jobs_is_accepted_or_refused_with_its_line() {
    for line in ACCEPTED.split_whitespace() {
        assert_eq!(read(line), Ok(()), "{line}");
    }
    for line in REFUSED.split_whitespace() {
        let told = read(line).expect_err(line);
        let name = line.split('=').next().unwrap_or_default();
        let place = format!("line 3, section [j]: option `{name}");
        assert!(told.contains(&place), "{line}: {told}");
    }
}

/// The message about an option that needs another names that one.
#[test]
fn options_that_need_others_name_them() {
    for (lines, needed) in [
        ("time_based", "needs `runtime`"),
        ("wait_for=warmup", "no job before this one has that name"),
        ("zonemode=strided", "is needed by `zonemode=strided`"),
        ("zonesize=256m", "needs `zonemode=strided`"),
    ] {
        let told = read(lines).expect_err(lines);
        assert!(told.contains(needed), "{lines}: {told}");
    }
}
