//! Negotiation of the export and of the format of replies.

use super::{Export, PAYLOAD_BYTES_MAX, PREFERRED_BYTES, SECTOR_BYTES};

/// "NBDMAGIC".
const NBD_MAGIC: u64 = 0x4e42_444d_4147_4943;
/// "IHAVEOPT".
pub(super) const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;

const FIXED_NEWSTYLE: u16 = 1;
const NO_ZEROES: u16 = 2;

/// Maximum length of an option: names have up to 4 KiB, and an option contains few of them.
pub(super) const OPTION_BYTES_MAX: u32 = 64 << 10;

mod option {
    pub const EXPORT_NAME: u32 = 1;
    pub const ABORT: u32 = 2;
    pub const LIST: u32 = 3;
    pub const INFO: u32 = 6;
    pub const GO: u32 = 7;
    pub const STRUCTURED_REPLY: u32 = 8;
}

mod answer {
    pub const ACK: u32 = 1;
    pub const SERVER: u32 = 2;
    pub const INFO: u32 = 3;
    pub const UNSUPPORTED: u32 = (1 << 31) + 1;
    pub const INVALID: u32 = (1 << 31) + 3;
    pub const UNKNOWN: u32 = (1 << 31) + 6;
}

mod info {
    pub const EXPORT: u16 = 0;
    pub const NAME: u16 = 1;
    pub const DESCRIPTION: u16 = 2;
    /// A code, not a size.
    pub const BLOCK_SIZES: u16 = 3;
}

/// State of the negotiation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Negotiated {
    no_zeroes: bool,
    pub structured: bool,
}

/// Next stage after an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another option.
    Option,
    /// Requests.
    Transmission,
    /// End of the connection.
    End,
}

/// Appends the server's greeting.
pub(super) fn greet(out: &mut Vec<u8>) {
    out.extend(NBD_MAGIC.to_be_bytes());
    out.extend(OPTION_MAGIC.to_be_bytes());
    out.extend((FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes());
}

impl Negotiated {
    /// Parses the client's flags; `None` if it requests an unknown feature.
    pub fn of_flags(flags: u32) -> Option<Negotiated> {
        let known = u32::from(FIXED_NEWSTYLE | NO_ZEROES);
        (flags & !known == 0).then_some(Negotiated {
            no_zeroes: flags & u32::from(NO_ZEROES) != 0,
            structured: false,
        })
    }

    /// Answers an option.
    pub fn option(&mut self, export: &Export, option: u32, data: &[u8], out: &mut Vec<u8>) -> Next {
        match option {
            option::EXPORT_NAME => {
                if !is_name_of(data, export) {
                    // The only answer to this option is to disconnect.
                    return Next::End;
                }
                out.extend(export.size_bytes.to_be_bytes());
                out.extend(export.flags().to_be_bytes());
                if !self.no_zeroes {
                    out.extend([0; 124]);
                }
                return Next::Transmission;
            }
            option::ABORT => {
                answer(out, option, answer::ACK, &[]);
                return Next::End;
            }
            option::LIST if data.is_empty() => {
                let mut server = (export.name.len() as u32).to_be_bytes().to_vec();
                server.extend(export.name.as_bytes());
                server.extend(export.description.as_bytes());
                answer(out, option, answer::SERVER, &server);
                answer(out, option, answer::ACK, &[]);
            }
            option::STRUCTURED_REPLY if data.is_empty() => {
                self.structured = true;
                answer(out, option, answer::ACK, &[]);
            }
            option::LIST | option::STRUCTURED_REPLY => {
                answer(out, option, answer::INVALID, b"it has no data");
            }
            option::INFO | option::GO => match wanted(data) {
                None => answer(out, option, answer::INVALID, b"its data is cut off"),
                Some((name, _)) if !is_name_of(name, export) => {
                    answer(out, option, answer::UNKNOWN, b"there is no such export");
                }
                Some((_, infos)) => {
                    describe(export, option, &infos, out);
                    if option == option::GO {
                        return Next::Transmission;
                    }
                }
            },
            _ => answer(out, option, answer::UNSUPPORTED, &[]),
        }
        Next::Option
    }
}

fn is_name_of(name: &[u8], export: &Export) -> bool {
    name.is_empty() || name == export.name.as_bytes()
}

/// The name and the kinds of information that INFO or GO requests.
fn wanted(data: &[u8]) -> Option<(&[u8], Vec<u16>)> {
    let (len, rest) = data.split_first_chunk::<4>()?;
    let len = u32::from_be_bytes(*len) as usize;
    let (name, rest) = rest.split_at_checked(len)?;
    let (count, rest) = rest.split_first_chunk::<2>()?;
    let count = usize::from(u16::from_be_bytes(*count));
    let (infos, []) = rest.as_chunks::<2>() else {
        return None;
    };
    let infos: Vec<u16> = infos.iter().map(|info| u16::from_be_bytes(*info)).collect();
    (infos.len() == count).then_some((name, infos))
}

fn describe(export: &Export, option: u32, infos: &[u16], out: &mut Vec<u8>) {
    let mut tell = |kind: u16, what: &[u8]| {
        let mut data = kind.to_be_bytes().to_vec();
        data.extend(what);
        answer(out, option, answer::INFO, &data);
    };
    let mut size = export.size_bytes.to_be_bytes().to_vec();
    size.extend(export.flags().to_be_bytes());
    tell(info::EXPORT, &size);
    if infos.contains(&info::NAME) {
        tell(info::NAME, export.name.as_bytes());
    }
    if infos.contains(&info::DESCRIPTION) {
        tell(info::DESCRIPTION, export.description.as_bytes());
    }
    if infos.contains(&info::BLOCK_SIZES) {
        let sizes = [SECTOR_BYTES, PREFERRED_BYTES, PAYLOAD_BYTES_MAX];
        let sizes: Vec<u8> = sizes.iter().flat_map(|size| size.to_be_bytes()).collect();
        tell(info::BLOCK_SIZES, &sizes);
    }
    answer(out, option, answer::ACK, &[]);
}

fn answer(out: &mut Vec<u8>, option: u32, kind: u32, data: &[u8]) {
    out.extend(REPLY_MAGIC.to_be_bytes());
    out.extend(option.to_be_bytes());
    out.extend(kind.to_be_bytes());
    out.extend((data.len() as u32).to_be_bytes());
    out.extend(data);
}
