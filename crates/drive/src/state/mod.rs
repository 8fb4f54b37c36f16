//! The state of a drive as bytes, with its model. A drive that is read back continues exactly where
//! it was, with every pending event.
//!
//! | bytes | what |
//! |---|---|
//! | 12 | [`MAGIC`] |
//! | 4 | [`VERSION`], little-endian |
//! | | an LZ4 frame with a checksum for each block: text of the model, state of the drive |
//! | 8 | [`END`] |
//!
//! Text and state have the format of [postcard](https://postcard.jamesmunns.com); tables are stored
//! in blocks of their own. Checksums find damage; they do not protect against forgery.

mod flavor;

use std::io::{self, Read, Write};

use lz4_flex::frame::{BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use stend_model::{Model, Spec};

use crate::SimDrive;

/// The first bytes of a state.
pub const MAGIC: &[u8; 12] = b"stend-drive\n";

/// Version of the format. Raise it with every change of the fields of the simulation's structures.
pub const VERSION: u32 = 29;

/// The last bytes of a state.
const END: &[u8; 8] = b"\nthe end";

/// Reason why a state cannot be read. The messages continue the file's name.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The state does not begin with [`MAGIC`].
    #[error("is not the state of a simulated drive")]
    Foreign,
    /// The state has another version.
    #[error(
        "holds a simulated drive of format {found}, and this stend reads format {VERSION}: use \
         the stend that wrote it, or make a new drive with `stend drives create`"
    )]
    Version {
        /// Version of the state.
        found: u32,
    },
    /// The state is damaged or cut off.
    #[error(
        "is damaged ({0}): restore it from a copy, or make a new drive with `stend drives create`"
    )]
    Damaged(String),
    /// This program resolves the state's model to a different drive.
    #[error(
        "holds a drive whose model this stend reads differently ({0}): use the stend that wrote \
         it, or make a new drive with `stend drives create`"
    )]
    Model(String),
    /// The state cannot be read.
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

/// True if a file that begins with `first` (up to 12 bytes, or more) is the state of a drive, or
/// what is left of one.
pub fn is_state(first: &[u8]) -> bool {
    let len = first.len().min(MAGIC.len());
    len > 0 && first[..len] == MAGIC[..len]
}

/// Writes a drive's state.
///
/// # Errors
/// Those of `to`.
pub fn write(model: &Model, drive: &SimDrive, mut to: impl Write) -> io::Result<()> {
    write_to(model, drive, &mut to)
}

// A function of its own, so that only its wrapper is compiled for each type of stream.
fn write_to(model: &Model, drive: &SimDrive, mut to: &mut dyn Write) -> io::Result<()> {
    to.write_all(MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())?;
    let info = FrameInfo::new()
        .block_size(BlockSize::Max1MB)
        .block_checksums(true);
    let mut frame = FrameEncoder::with_frame_info(info, &mut to);
    flavor::write(&(&model.text, drive), &mut frame)?;
    frame.finish()?;
    to.write_all(END)
}

/// Reads a drive's state. `name` is for messages about its model only.
///
/// # Errors
/// [`StateError`].
pub fn read(mut from: impl Read, name: &str) -> Result<(Model, SimDrive), StateError> {
    read_from(&mut from, name)
}

fn read_from(mut from: &mut dyn Read, name: &str) -> Result<(Model, SimDrive), StateError> {
    let mut head = [0; MAGIC.len() + 4];
    let len = fill(&mut from, &mut head).map_err(StateError::Io)?;
    if !is_state(&head[..len]) {
        return Err(StateError::Foreign);
    }
    if len < head.len() {
        return Err(StateError::Damaged("it ends in its head".to_string()));
    }
    let found = u32::from_le_bytes(head[MAGIC.len()..].try_into().expect("4 bytes are left"));
    if found != VERSION {
        return Err(StateError::Version { found });
    }
    let mut frame = FrameDecoder::new(&mut from);
    let (text, drive): (String, SimDrive) = flavor::read(&mut frame)?;
    let mut one_more = [0];
    let over = frame.read(&mut one_more).map_err(unreadable)?;
    let mut end = [0; END.len() + 1];
    let len = fill(&mut from, &mut end).map_err(StateError::Io)?;
    if over > 0 || end[..len] != END[..] {
        return Err(StateError::Damaged(
            "it does not end where it should".to_string(),
        ));
    }
    let model = Model::parse(&text, &format!("{name} (model)"))
        .map_err(|error| StateError::Model(error.to_string()))?;
    if !is_of(&drive, &model.spec()) {
        return Err(StateError::Model(
            "other figures follow from it".to_string(),
        ));
    }
    Ok((model, drive))
}

/// Reads until `bytes` are full or the input ends. Returns the number of bytes read.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < bytes.len() {
        match from.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

/// Converts an error of reading a frame: of the input, or of its content.
fn unreadable(error: io::Error) -> StateError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => StateError::Damaged("it is cut off".to_string()),
        _ if error.raw_os_error().is_some() => StateError::Io(error),
        _ => StateError::Damaged(error.to_string()),
    }
}

/// True if a drive was made from this spec, apart from settings of its user.
fn is_of(drive: &SimDrive, spec: &Spec) -> bool {
    let mut native = drive.spec().clone();
    native.user_bytes = drive.native_bytes();
    native.host.write_cache = spec.host.write_cache;
    native == *spec
}
