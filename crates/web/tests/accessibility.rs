//! The pages for people who do not see them, use a phone, prefer dark mode or have no mouse.

use serde_json::json;

use crate::axe::axe;
use crate::chromium::Browser;

/// Asserts that axe-core finds nothing serious in the page, with folded parts opened.
pub fn assert_no_barrier(browser: &mut Browser, name: &str) {
    assert_eq!(barriers(browser, &json!({})), [""; 0], "{name}");
}

/// Asserts the same for rules that depend only on colours.
pub fn assert_contrast(browser: &mut Browser, name: &str) {
    let rules = json!({"runOnly": ["color-contrast"]});
    assert_eq!(
        barriers(browser, &rules),
        [""; 0],
        "{name} in these colours"
    );
}

/// Returns axe's serious and critical findings: rule and the first places; empty without axe.
fn barriers(browser: &mut Browser, options: &serde_json::Value) -> Vec<String> {
    let Some(source) = axe() else {
        return Vec::new();
    };
    if browser.value("typeof axe") == "undefined" {
        browser.value(&format!("{source}; 0"));
    }
    // A report is checked separately; the thousands of dots of a chart are one picture with a
    // description.
    let said = browser.value(&format!(
        "(async () => {{
          const folded = [...document.querySelectorAll('details:not([open])')];
          folded.forEach((one) => {{ one.open = true; }});
          const {{ violations }} = await axe.run(
            {{ exclude: ['.main-svg'] }}, {{ iframes: false, ...{options} }});
          folded.forEach((one) => {{ one.open = false; }});
          return violations.filter((one) => ['serious', 'critical'].includes(one.impact))
            .map((one) => [one.id, ...one.nodes.slice(0, 3).map((node) => node.html)].join(' '));
        }})()"
    ));
    let found = said.as_array().expect("a list").iter();
    found.map(ToString::to_string).collect()
}

/// Asserts that Tab reaches everything that can be clicked, in the order of the page, and that each
/// element shows its focus.
pub fn assert_reached_by_tab(browser: &mut Browser, name: &str) {
    let left = browser.value(
        "window.toReach = [...document.querySelectorAll(
            'a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary')]
          .filter((one) => one.checkVisibility());
         document.activeElement?.blur();
         window.toReach.length",
    );
    let mut left = left.as_u64().expect("a number");
    for _ in 0..2 * left {
        browser.type_key("Tab");
        let now = browser.value(
            "(() => { const one = document.activeElement, { outlineStyle } = getComputedStyle(one);
               if (one === window.toReach[0] && outlineStyle !== 'none') window.toReach.shift();
               return window.toReach.length; })()",
        );
        left = now.as_u64().expect("a number");
        if left == 0 {
            return;
        }
    }
    let next = browser.value("window.toReach[0].outerHTML");
    panic!("{name}: by Tab nobody comes to, or sees, {left} elements, the first of them {next}");
}

#[test]
fn barriers_are_seen() {
    let (Some(mut browser), Some(_)) = (Browser::start(), axe()) else {
        return;
    };
    browser.open(
        "data:text/html,<html lang=en><title>t</title><style>
           @media (prefers-color-scheme: dark) { p { color: %23777; background: %23888; } }</style>
         <main><h1>h</h1><p>pale</p><img src='data:,'></main>",
    );
    let found = barriers(&mut browser, &json!({}));
    assert!(
        found.len() == 1 && found[0].contains("image-alt"),
        "{found:?}"
    );
    browser.dark(true);
    let found = barriers(&mut browser, &json!({"runOnly": ["color-contrast"]}));
    assert!(found.len() == 1 && found[0].contains("pale"), "{found:?}");
    // A link that does not show its focus, and one that cannot be reached.
    for link in ["style=outline:none", "tabindex=-1"] {
        browser.open(&format!(
            "data:text/html,<a href=x>a</a><a href=y {link}>b</a>"
        ));
        let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            assert_reached_by_tab(&mut browser, "it");
        }));
        assert!(looked.is_err(), "{link}");
    }
}
