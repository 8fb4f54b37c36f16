//! Requests from Python. They are converted with Python's lock, some thousand at a time, and
//! simulated without it.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString, PyTuple};
use stend_base::{Nanos, Op};
use stend_config::FileError;
use stend_load::trace::{Fit, OPS, SECTOR_BYTES, TraceRequest, fit, op_index, op_name};

use crate::errors::input;
use crate::worker::Pipe;

/// Largest number of requests that are converted at a time.
const CHUNK: usize = 16_384;

/// Latest time of a request, s: over thirty years.
const TIME_S_MAX: f64 = 1e9;

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Capacity of the drive.
    pub capacity_bytes: u64,
    /// Treatment of a request that does not fit the drive.
    pub fit: Fit,
}

impl Room {
    /// Checks a request, and makes it fit the drive.
    fn request(
        &self,
        number: u64,
        time_s: f64,
        op: Op,
        (offset_bytes, len_bytes): (u64, u64),
    ) -> PyResult<TraceRequest> {
        if !(0.0..=TIME_S_MAX).contains(&time_s) {
            return Err(input(format!(
                "request {number}: a time of {time_s} s: it must be from 0 to {TIME_S_MAX:e} s"
            )));
        }
        let at = Nanos((time_s * 1e9).round() as u64);
        let bare = TraceRequest {
            at,
            op,
            line: number,
            ..TraceRequest::default()
        };
        if op == Op::Flush {
            return Ok(bare);
        }
        if len_bytes == 0 {
            let op = op_name(op);
            return Err(input(format!("request {number}: a {op} of 0 bytes")));
        }
        let whole = TraceRequest {
            offset_bytes,
            len_bytes,
            ..bare
        };
        let fitted = fit(whole, self.capacity_bytes, self.fit);
        fitted.map_err(|_| input(self.misfit(&whole)))
    }

    #[cold]
    fn misfit(&self, request: &TraceRequest) -> String {
        let what = format!(
            "request {}: a {} of {} bytes at {}",
            request.line,
            op_name(request.op),
            request.len_bytes,
            request.offset_bytes
        );
        let whole = (request.offset_bytes | request.len_bytes).is_multiple_of(SECTOR_BYTES);
        let hint = match self.fit {
            Fit::Refuse => "; wrap=True makes it fit",
            Fit::Wrap => "",
        };
        match whole {
            true => format!(
                "{what} is beyond the {} bytes of the drive{hint}",
                self.capacity_bytes
            ),
            false => {
                format!("{what} does not consist of whole sectors of {SECTOR_BYTES} bytes{hint}")
            }
        }
    }
}

/// Python iterator over requests.
pub struct Source<'py> {
    items: Bound<'py, PyIterator>,
    /// True if each item is a tuple of four arrays; else it is one request.
    of_arrays: bool,
    room: Room,
    /// Arrays that are being converted, and the index of their next request.
    arrays: Option<(Columns<'py>, usize)>,
    requests: u64,
}

/// Times in s, operations by number, offsets and lengths in bytes.
type Columns<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
);

impl<'py> Source<'py> {
    /// Creates the source of the requests of an iterator.
    pub fn new(items: &Bound<'py, PyAny>, of_arrays: bool, room: Room) -> PyResult<Source<'py>> {
        Ok(Source {
            items: items.try_iter()?,
            of_arrays,
            room,
            arrays: None,
            requests: 0,
        })
    }

    /// Returns the next requests; an empty vector after the last.
    pub fn next(&mut self) -> PyResult<Vec<TraceRequest>> {
        match self.of_arrays {
            true => self.next_of_arrays(),
            false => self.next_of_tuples(),
        }
    }

    fn next_of_tuples(&mut self) -> PyResult<Vec<TraceRequest>> {
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut items = self.items.clone();
        while chunk.len() < CHUNK {
            let Some(item) = items.next() else { break };
            self.requests += 1;
            chunk.push(self.of_tuple(&item?)?);
        }
        Ok(chunk)
    }

    fn of_tuple(&self, item: &Bound<'py, PyAny>) -> PyResult<TraceRequest> {
        let number = self.requests;
        let wrong = |what: &str| {
            input(format!(
                "request {number}: {what}; a request is a tuple (time_s, op, offset_bytes, \
                 length_bytes)"
            ))
        };
        let other;
        let tuple = match item.cast::<PyTuple>() {
            Ok(tuple) => tuple,
            Err(_) => {
                let sequence = item
                    .try_iter()
                    .and_then(|i| i.collect::<PyResult<Vec<_>>>());
                let values = sequence.map_err(|_| wrong(&format!("{item} is not a tuple")))?;
                other = PyTuple::new(item.py(), values)?;
                &other
            }
        };
        if tuple.len() != 4 {
            return Err(wrong(&format!("it has {} values", tuple.len())));
        }
        let time_s: f64 = tuple
            .get_item(0)?
            .extract()
            .map_err(|_| wrong("its time is not a number"))?;
        let op = op_of(&tuple.get_item(1)?).map_err(|what| wrong(&what))?;
        let bytes = |index: usize, name: &str| -> PyResult<u64> {
            let value = tuple.get_item(index)?;
            let bytes = value.extract();
            bytes.map_err(|_| {
                wrong(&format!(
                    "its {name} is {value}, no whole number from 0 to 2^64 - 1"
                ))
            })
        };
        let range = (bytes(2, "offset")?, bytes(3, "length")?);
        self.room.request(number, time_s, op, range)
    }

    fn next_of_arrays(&mut self) -> PyResult<Vec<TraceRequest>> {
        loop {
            let Some((columns, from)) = self.arrays.take() else {
                let Some(item) = self.items.clone().next() else {
                    return Ok(Vec::new());
                };
                self.arrays = Some((item?.extract()?, 0));
                continue;
            };
            let chunk = self.of_arrays(&columns, from)?;
            if !chunk.is_empty() {
                self.arrays = Some((columns, from + chunk.len()));
                return Ok(chunk);
            }
        }
    }

    fn of_arrays(&mut self, columns: &Columns<'py>, from: usize) -> PyResult<Vec<TraceRequest>> {
        let (times, ops, offsets, lengths) = (
            columns.0.try_readonly()?,
            columns.1.try_readonly()?,
            columns.2.try_readonly()?,
            columns.3.try_readonly()?,
        );
        let (times, ops) = (times.as_slice()?, ops.as_slice()?);
        let (offsets, lengths) = (offsets.as_slice()?, lengths.as_slice()?);
        let end = times.len().min(from + CHUNK);
        let mut chunk = Vec::with_capacity(end - from);
        for index in from..end {
            self.requests += 1;
            let number = self.requests;
            let op = OPS.get(usize::from(ops[index])).copied();
            let op = op.ok_or_else(|| {
                let op = ops[index];
                input(format!("request {number}: {}", unknown_op(op)))
            })?;
            let range = (offsets[index], lengths[index]);
            chunk.push(self.room.request(number, times[index], op, range)?);
        }
        Ok(chunk)
    }
}

fn unknown_op(op: impl std::fmt::Display) -> String {
    format!("there is no operation {op}; there are read (0), write (1), trim (2) and flush (3)")
}

fn op_of(value: &Bound<'_, PyAny>) -> Result<Op, String> {
    if let Ok(name) = value.cast::<PyString>() {
        let name = name.to_str().map_err(|_| unknown_op(value))?;
        let op = OPS.into_iter().find(|op| op_name(*op) == name);
        return op.ok_or_else(|| unknown_op(format!("\"{name}\"")));
    }
    let number: Option<usize> = value.extract().ok();
    let op = number.and_then(|number| OPS.get(number).copied());
    op.ok_or_else(|| unknown_op(value))
}

/// Iterator over the single requests of a pipe.
pub struct Piped<'a> {
    pipe: &'a Pipe<Vec<TraceRequest>>,
    chunk: std::vec::IntoIter<TraceRequest>,
}

impl Piped<'_> {
    /// Creates the iterator over all requests of a pipe.
    pub fn new(pipe: &Pipe<Vec<TraceRequest>>) -> Piped<'_> {
        Piped {
            pipe,
            chunk: Vec::new().into_iter(),
        }
    }
}

impl Iterator for Piped<'_> {
    type Item = Result<TraceRequest, FileError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(request) = self.chunk.next() {
                return Some(Ok(request));
            }
            self.chunk = self.pipe.next()?.into_iter();
        }
    }
}

/// Returns the index of an operation in results, by its name.
pub fn index_of(name: &str) -> PyResult<usize> {
    let op = OPS.into_iter().find(|op| op_name(*op) == name);
    op.map(op_index)
        .ok_or_else(|| input(unknown_op(format!("\"{name}\""))))
}
