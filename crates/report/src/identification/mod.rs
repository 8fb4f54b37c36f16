//! The page of an identification: the known and unknown properties of the inside of a drive, and
//! pictures of the evidence.

mod drawing;
mod durable;
mod pictures;
mod reads;
mod writes;

use std::borrow::Cow;

use askama::Template;
use stend_analysis::words::capitalised;
use stend_identify::infer;
use stend_identify::naming::Group;
use stend_identify::observed::Observed;
use stend_identify::property::{Identification, Property};
use stend_language::{Language, Text, current, say, text};

use crate::assets::Assets;
use crate::chart::ChartData;
use crate::error::ReportError;
use crate::number;
use crate::view::{Block, Contents};
use pictures::{Drawn, Picture};

/// Source of the observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A simulated drive was probed.
    Simulated,
    /// A real drive or file was probed.
    Real,
    /// A review was read; nothing was probed.
    Review,
}

impl Origin {
    fn badge(self) -> String {
        say(match self {
            Origin::Simulated => "inside-badge-simulated",
            Origin::Real => "inside-badge-real",
            Origin::Review => "inside-badge-review",
        })
    }

    fn note(self) -> String {
        say(match self {
            Origin::Simulated => "inside-note-simulated",
            Origin::Real => "inside-note-real",
            Origin::Review => "inside-note-review",
        })
    }
}

/// A link to a picture in the page.
struct Link {
    anchor: String,
    title: String,
}

impl Link {
    fn to(picture: &Picture) -> Link {
        Link {
            anchor: picture.anchor.clone(),
            title: picture.title.clone(),
        }
    }
}

/// A property that was inferred.
struct Told {
    name: String,
    value: String,
    /// The 90 % interval; empty if there is none.
    interval: String,
    evidence: String,
    links: Vec<Link>,
}

/// The known properties of a group.
struct Known {
    title: String,
    told: Vec<Told>,
}

/// The pictures of a group.
struct Section {
    anchor: String,
    /// Title of the group.
    group: String,
    title: String,
    /// Bars, each with an anchor.
    bars: Vec<(String, Block)>,
    charts: Block,
}

#[derive(Template)]
#[template(path = "identification.html")]
struct Page<'a> {
    assets: Assets,
    contents: Vec<Contents>,
    target: &'a str,
    capacity: String,
    badge: String,
    simulated: bool,
    note: String,
    left_out: String,
    known: Vec<Known>,
    /// Names of the unknown properties, with the reasons.
    unknown: Vec<(String, String)>,
    sections: Vec<Section>,
    reproduce: &'a str,
}

impl Page<'_> {
    fn page_title(&self) -> String {
        text!("inside-title", target = self.target)
    }
}

/// Returns the page of an identification and its observations.
pub(crate) fn render(
    identification: &Identification,
    seen: &Observed,
    (origin, reproduce): (Origin, &str),
) -> Result<String, ReportError> {
    let identification = &*in_language(identification, seen);
    let mut data = ChartData {
        subject: text!("inside-subject", target = &identification.target),
        ..ChartData::default()
    };
    let pictures = pictures::drawn(identification, seen, &mut data);
    let known = known(identification, &pictures);
    let unknown = identification.properties.iter().filter(|p| !p.told);
    let unknown = unknown.map(|property| {
        let why = property.why_not.as_deref().unwrap_or_default();
        (property.name(), number::bound(&capitalised(why)))
    });
    let sections = sections(pictures);
    let page = Page {
        assets: Assets::embedding(&data)?,
        contents: contents(&sections),
        target: &identification.target,
        capacity: number::capacity(identification.capacity_bytes),
        badge: origin.badge(),
        simulated: origin == Origin::Simulated,
        note: origin.note(),
        left_out: left_out(identification),
        known,
        unknown: unknown.collect(),
        sections,
        reproduce,
    };
    page.render()
        .map_err(|error| ReportError::Render(error.to_string()))
}

/// Returns the identification in the current language; the document is in English.
fn in_language<'a>(document: &'a Identification, seen: &Observed) -> Cow<'a, Identification> {
    match current() {
        Language::English => Cow::Borrowed(document),
        _ => Cow::Owned(infer(&document.target, seen)),
    }
}

/// Lists groups of probes that were skipped for lack of time.
fn left_out(identification: &Identification) -> String {
    let groups = identification.left_out.iter();
    groups
        .map(|group| Text::named("probe", group).to_string())
        .collect::<Vec<_>>()
        .join("; ")
}

fn known(identification: &Identification, pictures: &[Picture]) -> Vec<Known> {
    let told = |property: &Property| {
        let links = pictures
            .iter()
            .filter(|picture| picture.properties.contains(&&*property.id));
        let interval = property.interval_words();
        Told {
            name: property.name(),
            value: number::bound(&property.value_words()),
            interval: number::bound(&interval.unwrap_or_default()),
            evidence: number::bound(&capitalised(&property.evidence)),
            links: links.map(Link::to).collect(),
        }
    };
    let known = Group::ALL.into_iter().map(|group| {
        let of_group = identification.properties.iter();
        let of_group = of_group.filter(|property| property.told && property.group() == group);
        Known {
            title: group.title(),
            told: of_group.map(told).collect(),
        }
    });
    known.filter(|known| !known.told.is_empty()).collect()
}

fn sections(pictures: Vec<Picture>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (number, group) in Group::ALL.into_iter().enumerate() {
        let (mut bars, mut figures) = (Vec::new(), Vec::new());
        for picture in pictures.iter().filter(|picture| picture.group == group) {
            match &picture.drawn {
                Drawn::Bars(chart) => {
                    let block = Block {
                        bars: vec![chart.clone()],
                        ..Block::default()
                    };
                    bars.push((picture.anchor.clone(), block));
                }
                Drawn::Chart(figure) => figures.push(figure.clone()),
            }
        }
        if !bars.is_empty() || !figures.is_empty() {
            sections.push(Section {
                anchor: format!("pictures-{}", number + 1),
                group: group.title(),
                title: text!("inside-pictures", group = group.title()),
                bars,
                charts: Block::drawn(figures, Vec::new()),
            });
        }
    }
    sections
}

fn contents(sections: &[Section]) -> Vec<Contents> {
    let first = [
        Contents::new("known", &say("inside-known")),
        Contents::new("unknown", &say("inside-unknown")),
    ];
    let pictures = sections
        .iter()
        .map(|section| Contents::new(&section.anchor, &section.group));
    let last = Contents::new("reproduce", &say("how-to-reproduce"));
    first.into_iter().chain(pictures).chain([last]).collect()
}
