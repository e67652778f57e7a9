//! A picture of one line, for a profile or a readme.

use super::escape;

pub const TYPE: &str = "image/svg+xml";

const HEIGHT: usize = 20;
/// Of a character of the font below, on average; `textLength` makes it so with other fonts.
const CHARACTER: usize = 7;
const PADDING: usize = 6;

/// What is ranked on the left, the place on the right. No id stands in it.
pub fn write(label: &str, place: &str) -> String {
    let width = |text: &str| text.chars().count() * CHARACTER;
    let (remaining, right) = (width(label), width(place));
    let label = escape(label);
    let (middle, end) = (remaining + 2 * PADDING, remaining + right + 4 * PADDING);
    let text = |x: usize, length: usize, text: &str| format!("<text x=\"{x}\" y=\"14\" textLength=\"{length}\">{text}</text>");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{end}\" height=\"{HEIGHT}\" role=\"img\" aria-label=\"{label}: {place}\">\
         <title>{label}: {place}</title><rect width=\"{end}\" height=\"{HEIGHT}\" rx=\"3\" fill=\"#b8431f\"/>\
         <path d=\"M3 0H{middle}V{HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z\" fill=\"#403c35\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">{}{}</g></svg>\n",
        text(PADDING, remaining, &label),
        text(middle + PADDING, right, place),
    )
}
