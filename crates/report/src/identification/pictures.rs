//! The list of pictures.

use stend_identify::naming::Group;
use stend_identify::observed::Observed;
use stend_identify::property::Identification;

use super::drawing::{Drawing, Told, points};
use super::{durable, reads, writes};
use crate::bars::BarChart;
use crate::chart::ChartData;
use crate::view::Figure;

/// A picture in the page.
pub(super) struct Picture {
    pub group: Group,
    /// Id of the link target.
    pub anchor: String,
    pub title: String,
    /// Ids of the properties that it shows evidence of.
    pub properties: &'static [&'static str],
    pub drawn: Drawn,
}

/// Content of a picture.
pub(super) enum Drawn {
    Chart(Figure),
    Bars(BarChart),
}

/// Draws a picture; `None` without observations.
type Make = fn(&Told<'_>) -> Option<Drawing>;

/// Returns the pictures of a group, in reading order.
fn makes(group: Group) -> &'static [Make] {
    match group {
        Group::Cache => &[
            writes::fill,
            writes::full,
            reads::map,
            reads::full_map,
            writes::emptied,
            writes::burst,
        ],
        Group::Spare => &[
            writes::random,
            writes::fresh_random,
            writes::dirty,
            writes::recovered,
            writes::trimmed,
        ],
        Group::Reads => &[
            reads::kinds,
            reads::settled,
            reads::depths,
            reads::spans,
            reads::pairs,
            reads::far_pairs,
            reads::long,
        ],
        Group::Durability => &[durable::flushes, durable::mixed, durable::short_writes],
    }
}

/// Returns all pictures, and adds their charts to the page's data.
pub(super) fn drawn(
    identification: &Identification,
    seen: &Observed,
    data: &mut ChartData,
) -> Vec<Picture> {
    let told = Told {
        identification,
        seen,
    };
    let mut pictures: Vec<Picture> = Vec::new();
    for group in Group::ALL {
        for make in makes(group) {
            let picture = match make(&told) {
                None => continue,
                Some(Drawing::Bars(properties, chart)) => Picture {
                    group,
                    anchor: format!("bars-{}", pictures.len() + 1),
                    title: chart.title.clone(),
                    properties,
                    drawn: Drawn::Bars(chart),
                },
                Some(Drawing::Chart(properties, chart)) => {
                    let table = points(&chart);
                    let figure = chart.place(data, Some(table));
                    Picture {
                        group,
                        anchor: format!("{}-title", figure.id),
                        title: figure.title.clone(),
                        properties,
                        drawn: Drawn::Chart(figure),
                    }
                }
            };
            pictures.push(picture);
        }
    }
    pictures
}
