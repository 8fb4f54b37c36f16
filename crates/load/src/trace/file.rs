//! Traces in files.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use stend_base::Op;
use stend_config::FileError;

use super::line::Line;
use super::{Requests, Trace, TraceRequest, blkparse, iolog, msr};

/// Maximum length of a line of a trace, bytes: this bounds the amount that is read at once.
const LINE_BYTES_MAX: u64 = 4096;

/// Lines that may precede the one by which a format is recognised: blkparse can begin with
/// messages.
const LINES_TO_RECOGNISE: usize = 1000;

/// Format of a trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// fio's iolog, version 2: waits between requests.
    IologV2,
    /// fio's iolog, version 3: a time for each request.
    IologV3,
    /// The output of blkparse.
    Blkparse,
    /// CSV of the MSR Cambridge traces.
    MsrCambridge,
}

impl Format {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::IologV2 => "fio iolog, version 2",
            Format::IologV3 => "fio iolog, version 3",
            Format::Blkparse => "blkparse",
            Format::MsrCambridge => "MSR Cambridge CSV",
        }
    }
}

/// A trace in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFile {
    path: PathBuf,
    format: Format,
    only: Option<String>,
}

/// State of a format's parser between lines.
enum Parser {
    Iolog(iolog::Parser),
    Blkparse(blkparse::Parser),
    Msr(msr::Parser),
}

impl TraceFile {
    /// Opens a file and recognises its format by its content.
    ///
    /// `only` selects the requests to one of several disks: a device of blkparse (`8,0`), a file
    /// name of an iolog, a disk of MSR Cambridge (`usr.0`).
    ///
    /// # Errors
    /// [`FileError`] if the file cannot be read or has no known format.
    pub fn open(path: &Path, only: Option<&str>) -> Result<TraceFile, FileError> {
        let mut lines = Lines::open(path)?;
        while let Some(line) = lines.next()? {
            let format = match line {
                iolog::HEADER_V2 => Some(Format::IologV2),
                iolog::HEADER_V3 => Some(Format::IologV3),
                _ if msr::is_row(line) => Some(Format::MsrCambridge),
                _ if blkparse::is_event(line) => Some(Format::Blkparse),
                _ => None,
            };
            if let Some(format) = format {
                return Ok(TraceFile {
                    path: path.to_path_buf(),
                    format,
                    only: only.map(str::to_string),
                });
            }
            if lines.number >= LINES_TO_RECOGNISE {
                break;
            }
        }
        let what = match lines.number {
            0 => "the file is empty".to_string(),
            n => format!("none of the first {n} lines belongs to a trace of a known format"),
        };
        let problem = format!(
            "{what}; expected is `{}` or `{}` on the first line, the text that blkparse prints, \
             or rows Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime (MSR \
             Cambridge). Unpack a compressed trace first",
            iolog::HEADER_V2,
            iolog::HEADER_V3
        );
        Err(FileError::of_file(&lines.name, problem))
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }
}

impl Trace for TraceFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn requests(&self) -> Result<Requests<'_>, FileError> {
        Ok(Box::new(Reader {
            lines: Lines::open(&self.path)?,
            parser: match self.format {
                Format::IologV2 => Parser::Iolog(iolog::Parser::new(2)),
                Format::IologV3 => Parser::Iolog(iolog::Parser::new(3)),
                Format::Blkparse => Parser::Blkparse(blkparse::Parser::default()),
                Format::MsrCambridge => Parser::Msr(msr::Parser::default()),
            },
            only: self.only.as_deref(),
            disk: None,
            next: None,
            found: 0,
            ended: false,
        }))
    }
}

/// Reads requests line by line.
struct Reader<'a> {
    lines: Lines,
    parser: Parser,
    only: Option<&'a str>,
    /// The disk of the first request, if none was selected.
    disk: Option<String>,
    /// The request that follows a flush of the same line.
    next: Option<TraceRequest>,
    found: u64,
    ended: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<Option<TraceRequest>, FileError> {
        if let Some(request) = self.next.take() {
            return Ok(Some(request));
        }
        while let Some(line) = self.lines.next()? {
            let parsed = match &mut self.parser {
                Parser::Iolog(parser) => parser.line(line),
                Parser::Blkparse(parser) => parser.line(line),
                Parser::Msr(parser) => parser.line(line),
            };
            let (disk, mut request, flush_before) = match parsed {
                Ok(Line::Nothing) => continue,
                Ok(Line::End) => break,
                Ok(Line::Request {
                    disk,
                    request,
                    flush_before,
                }) => (disk, request, flush_before),
                Err(problem) => return Err(self.lines.error(problem)),
            };
            match (self.only, &self.disk) {
                (Some(only), _) if !disk.is(only) => continue,
                (None, Some(first)) if !disk.is(first) => {
                    let problem = format!(
                        "a request to `{}` after those to `{first}`: choose one with --only \
                        {first}",
                        disk.name()
                    );
                    return Err(self.lines.error(problem));
                }
                (None, None) => self.disk = Some(disk.name()),
                _ => {}
            }
            request.line = self.lines.number as u64;
            self.found += 1;
            if !flush_before {
                return Ok(Some(request));
            }
            self.next = Some(request);
            return Ok(Some(TraceRequest {
                at: request.at,
                op: Op::Flush,
                line: request.line,
                ..TraceRequest::default()
            }));
        }
        if self.found > 0 {
            return Ok(None);
        }
        let problem = match self.only {
            Some(only) => format!("no request goes to `{only}`, which --only asks for"),
            None => "there is no request in the trace".to_string(),
        };
        Err(FileError::of_file(&self.lines.name, problem))
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<TraceRequest, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read().transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

/// A file line by line, in one buffer.
struct Lines {
    name: String,
    reader: BufReader<File>,
    buffer: Vec<u8>,
    number: usize,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, FileError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| {
            FileError::of_file(&name, format!("the trace cannot be read: {error}"))
        })?;
        if file
            .metadata()
            .is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
        {
            let problem = "a trace is read twice, which no pipe allows: name a regular file";
            return Err(FileError::of_file(&name, problem.to_owned()));
        }
        Ok(Lines {
            name,
            reader: BufReader::with_capacity(1 << 16, file),
            buffer: Vec::new(),
            number: 0,
        })
    }

    /// The next line without surrounding blanks, and without the byte-order mark that editors may
    /// add before the first.
    fn next(&mut self) -> Result<Option<&str>, FileError> {
        self.buffer.clear();
        let read = self
            .reader
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut self.buffer);
        if matches!(read, Ok(0)) {
            return Ok(None);
        }
        self.number += 1;
        if let Err(error) = read {
            return Err(self.error(format!("the line cannot be read: {error}")));
        }
        if self.buffer.len() as u64 == LINE_BYTES_MAX && self.buffer.last() != Some(&b'\n') {
            return Err(self.error(format!(
                "the line is longer than {LINE_BYTES_MAX} bytes; no trace has such lines"
            )));
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(text.trim_start_matches('\u{feff}').trim())),
            Err(_) => Err(FileError::of_line(
                &self.name,
                self.number,
                "the line is not text; unpack a compressed or binary trace first",
            )),
        }
    }

    fn error(&self, problem: String) -> FileError {
        FileError::of_line(&self.name, self.number, problem)
    }
}
