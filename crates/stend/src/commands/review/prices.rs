//! Prices of the drives of a review.

use stend_record::review::{Review, TargetInfo};

use crate::args::{DrivePrice, ReviewArgs};
use crate::failure::Failure;
use crate::typed::word;

/// Prices of the drives of a review.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Prices(Vec<DrivePrice>);

impl Prices {
    /// Returns the prices in a review: the user need not repeat them.
    pub(super) fn of(review: &Review) -> Prices {
        let own = review.target.price.clone();
        let own = own.map(|price| DrivePrice { rival: None, price });
        let rivals = review.rivals.iter().filter_map(|rival| {
            Some(DrivePrice {
                rival: Some(rival.target.name.clone()),
                price: rival.target.price.clone()?,
            })
        });
        Prices(own.into_iter().chain(rivals).collect())
    }

    /// Returns the typed prices, and those of an earlier review for the other drives.
    ///
    /// # Errors
    /// If a price is of a drive that is not among the rivals, or a drive has two.
    pub(super) fn typed(args: &ReviewArgs, earlier: Option<&Review>) -> Result<Prices, Failure> {
        let mut prices = Prices::default();
        for typed in &args.price {
            if let Some(name) = typed
                .rival
                .as_ref()
                .filter(|name| !args.against.contains(name))
            {
                let rivals = match args.against.is_empty() {
                    true => "there is none".to_owned(),
                    false => format!("there are: {}", args.against.join(", ")),
                };
                return Err(Failure::Input(format!(
                    "--price {name}=…: no rival has this name; {rivals}. Without NAME= it is the \
                     price of the drive under test"
                )));
            }
            if prices.has(typed) {
                let of = typed.rival.as_deref().unwrap_or("the drive under test");
                return Err(Failure::Input(format!("--price: two prices of {of}")));
            }
            prices.0.push(typed.clone());
        }
        let earlier = earlier.map(Prices::of).unwrap_or_default();
        let others = earlier.0.into_iter().filter(|one| !prices.has(one));
        let others: Vec<DrivePrice> = others.collect();
        prices.0.extend(others);
        // In one order, so that the same prices are the same command.
        let place = |one: &DrivePrice| args.against.iter().position(|name| one.is_of(name));
        prices.0.sort_by_key(place);
        Ok(prices)
    }

    fn has(&self, other: &DrivePrice) -> bool {
        self.0.iter().any(|one| one.rival == other.rival)
    }

    /// Sets the prices of the drives.
    pub(super) fn set(&self, review: &mut Review) {
        let of = |rival: Option<&str>| {
            let mut all = self.0.iter();
            let found = all.find(|one| one.rival.as_deref() == rival);
            found.map(|one| one.price.clone())
        };
        review.target.price = of(None);
        for rival in &mut review.rivals {
            let target: &mut TargetInfo = &mut rival.target;
            target.price = of(Some(&target.name)).or(target.price.take());
        }
    }

    /// Formats the options that state them.
    pub(super) fn options(&self) -> String {
        let option = |one: &DrivePrice| {
            let typed = match &one.rival {
                None => one.price.typed(),
                Some(rival) => format!("{rival}={}", one.price.typed()),
            };
            format!(" --price {}", word(&typed))
        };
        self.0.iter().map(option).collect()
    }
}
