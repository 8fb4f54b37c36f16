//! A price on the command line.

use std::str::FromStr;

use stend_record::review::Price;

/// A price as it is typed: `79.90 EUR` for the drive under test, `RIVAL=89.90 EUR` for a rival.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivePrice {
    /// The rival, as it was typed; `None` for the drive under test.
    pub rival: Option<String>,
    /// The price.
    pub price: Price,
}

impl FromStr for DrivePrice {
    type Err = String;

    fn from_str(text: &str) -> Result<DrivePrice, String> {
        // The path of a rival may contain the sign, a price does not.
        let (rival, price) = match text.rsplit_once('=') {
            Some((rival, price)) => (Some(rival.to_owned()), price),
            None => (None, text),
        };
        let price = price.parse()?;
        Ok(DrivePrice { rival, price })
    }
}

impl DrivePrice {
    /// True if it is the price of this rival.
    pub fn is_of(&self, name: &str) -> bool {
        self.rival.as_deref() == Some(name)
    }
}
