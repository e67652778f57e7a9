//! Details that an item's own page tells: Open Graph, JSON-LD (schema.org) and the title.

use std::borrow::Cow;

use chrono::NaiveDate;
use html_escape::decode_html_entities;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Details, Kind};

/// What `src/edge/page.js` read.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Answer {
    Redirect { redirect: String },
    PageMeta(PageMeta),
}

#[derive(Deserialize)]
pub(super) struct PageMeta {
    title: String,
    metas: Vec<(String, String)>,
    documents: Vec<String>,
}

impl PageMeta {
    /// What is allowed of it, with the page's address; `None` without a title. `strip` is left out where the title ends with it, and so is the
    /// site's name.
    pub(super) fn details(&self, url: &str, strip: Option<&str>) -> Option<Details> {
        let documents: Vec<Value> = self.documents.iter().filter_map(|text| serde_json::from_slice(text.as_bytes()).ok()).collect();
        let document = documents.iter().find_map(article);
        let of_document = |name: &str| document.as_ref().and_then(|document| words(document.get(name)?).into_iter().next());
        let meta = |names: &[&str]| names.iter().find_map(|name| self.metas(name).next());
        let title = meta(&["og:title", "twitter:title"])
            .or_else(|| of_document("headline"))
            .or_else(|| of_document("name"))
            .or_else(|| Some(decoded(&self.title)).filter(|title| !title.is_empty()))?;
        let names = self.metas("og:site_name").chain(self.metas("application-name")).chain(documents.iter().filter_map(site_name));
        let title = strip.and_then(|end| beginning(&title, end)).unwrap_or(title);
        let title = names.into_iter().find_map(|name| without_site(&title, &name)).unwrap_or(title);
        let mut tags: Vec<String> = self.metas("article:tag").collect();
        if let (true, Some(keywords)) = (tags.is_empty(), document.as_ref().and_then(|document| document.get("keywords"))) {
            tags = words(keywords).iter().flat_map(|words| words.split(',')).map(tidy).collect();
        }
        let tags: Vec<String> = tags.iter().map(|tag| cut(tag, 64)).filter(|tag| !tag.is_empty()).take(20).collect();
        let published_at = meta(&["article:published_time"]).or_else(|| of_document("datePublished"));
        let found = [
            ("title", Some(json!(cut(&title, 300)))),
            ("url", Some(json!(url))),
            ("image", meta(&["og:image", "og:image:url", "twitter:image"]).or_else(|| of_document("image")).map(Value::String)),
            ("category", meta(&["article:section"]).or_else(|| of_document("articleSection")).map(|text| json!(cut(&text, 64)))),
            ("author", of_document("author").or_else(|| meta(&["author", "article:author"])).map(Value::String)),
            ("published_at", published_at.map(|text| json!(instant(&text)))),
            ("tags", (!tags.is_empty()).then(|| json!(tags))),
        ];
        let mut details = Map::new();
        for (name, value) in found {
            let one: Map<String, Value> = value.into_iter().map(|value| (name.to_owned(), value)).collect();
            // A page may say anything: what is not allowed is left out.
            if let Ok(one) = Details::read(Kind::Item, &one) {
                details.extend(one.into_json());
            }
        }
        details.contains_key("title").then(|| Details::read(Kind::Item, &details).ok()).flatten()
    }

    fn metas(&self, wanted: &str) -> impl Iterator<Item = String> {
        let named = self.metas.iter().filter(move |(name, _)| name == wanted);
        named.map(|(_, content)| decoded(content)).filter(|content| !content.is_empty())
    }
}

/// The object of a JSON-LD document that the page is about: the first one with a headline, else with a name and a type that is no part of
/// the site.
fn article(document: &Value) -> Option<Map<String, Value>> {
    let objects = objects(document);
    let is_site = |object: &Map<String, Value>| {
        let types = object.get("@type").map(words).unwrap_or_default();
        types.iter().any(|name| matches!(name.as_str(), "WebSite" | "Organization" | "Person" | "BreadcrumbList" | "WebPage"))
    };
    let with = |name: &str| objects.iter().find(|object| object.contains_key(name) && !is_site(object));
    with("headline").or_else(|| with("name")).map(|object| (*object).clone())
}

/// The objects of a document: itself, or those of its list or graph.
fn objects(document: &Value) -> Vec<&Map<String, Value>> {
    let listed: Vec<&Value> = match document {
        Value::Array(list) => list.iter().collect(),
        Value::Object(object) => {
            object.get("@graph").and_then(Value::as_array).map_or_else(|| vec![document], |graph| graph.iter().collect())
        }
        _ => Vec::new(),
    };
    listed.into_iter().filter_map(Value::as_object).collect()
}

/// The name of the site, where a JSON-LD document says it.
fn site_name(document: &Value) -> Option<String> {
    let is_site = |object: &&Map<String, Value>| object.get("@type").is_some_and(|kind| words(kind).iter().any(|kind| kind == "WebSite"));
    objects(document).into_iter().find(is_site).and_then(|site| words(site.get("name")?).into_iter().next())
}

/// What stands before the end of a title, if that is not all of it.
fn beginning(title: &str, end: &str) -> Option<String> {
    title.strip_suffix(end).or_else(|| title.strip_suffix(end.trim())).map(str::trim).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// A title without the name of its site, and without what stands between them.
fn without_site(title: &str, name: &str) -> Option<String> {
    const BETWEEN: [char; 10] = ['|', '-', '–', '—', '·', '•', ':', '«', '»', '/'];
    let rest = beginning(title, name)?;
    rest.strip_suffix(BETWEEN).map(str::trim_end).filter(|rest| !rest.is_empty()).map(str::to_owned)
}

/// The texts of a value of JSON-LD: itself, those of a list, or the name or address of an object.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![tidy(text)].into_iter().filter(|text| !text.is_empty()).collect(),
        Value::Array(list) => list.iter().flat_map(words).collect(),
        Value::Object(object) => object.get("name").or_else(|| object.get("url")).map(words).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A text of HTML: without references, and in one line.
fn decoded(text: &str) -> String {
    let text: Cow<'_, str> = decode_html_entities(text);
    tidy(&text)
}

fn tidy(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn cut(text: &str, max: usize) -> String {
    text.chars().take(max).collect()
}

/// A date alone is taken for its beginning, in UTC.
fn instant(text: &str) -> String {
    match NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        Ok(_) => format!("{text}T00:00:00Z"),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(title: &str, metas: &[(&str, &str)], documents: &[Value]) -> Option<Value> {
        let metas = metas.iter().map(|(name, content)| ((*name).into(), (*content).into())).collect();
        let message = PageMeta { title: title.into(), metas, documents: documents.iter().map(Value::to_string).collect() };
        message.details("/a", None).map(|details| Value::Object(details.into_json()))
    }

    #[test]
    fn what_pages_say() {
        let article = json!({ "@context": "https://schema.org", "@graph": [
            { "@type": "WebSite", "name": "A paper" },
            { "@type": ["NewsArticle"], "headline": "Head &amp; line", "image": [{ "url": "https://x/i.png" }], "articleSection": ["sport"],
              "author": [{ "@type": "Person", "name": "Ann" }], "keywords": "a, b ,,c", "datePublished": "2026-11-20" } ] });
        for (title, metas, documents, expected) in [
            ("A  &amp;\n B", &[][..], &[][..], Some(json!({ "title": "A & B", "url": "/a" }))),
            (
                "x",
                &[("og:title", "Caf&eacute; &#x27;1&#39;"), ("og:image", "javascript:1"), ("article:tag", "t"), ("article:tag", "u")],
                &[],
                Some(json!({ "title": "Café '1'", "url": "/a", "tags": ["t", "u"] })),
            ),
            (
                "x",
                &[("article:published_time", "yesterday"), ("article:section", "news")],
                &[json!("nothing"), article],
                Some(json!({ "title": "Head &amp; line", "url": "/a", "image": "https://x/i.png", "category": "news", "author": "Ann",
                    "tags": ["a", "b", "c"] })),
            ),
            ("x", &[], &[json!({ "@type": "Product", "name": "A chair" })], Some(json!({ "title": "A chair", "url": "/a" }))),
            (" ", &[("og:image", "https://x/y")], &[], None),
        ] {
            assert_eq!(details(title, metas, documents), expected, "{metas:?}");
        }
        let site = json!({ "@type": "WebSite", "name": "A paper" });
        for (title, metas, documents, strip, expected) in [
            ("Goals – A paper", &[][..], &[][..], None, "Goals – A paper"),
            ("Goals – A paper", &[], &[], Some(" – A paper"), "Goals"),
            ("Goals | sport – A paper", &[], &[], Some("– A paper"), "Goals | sport"),
            (" – A paper", &[], &[], Some(" – A paper"), "– A paper"),
            ("Goals | A paper", &[("og:site_name", "A paper")], &[], None, "Goals"),
            ("Goals of A paper", &[("og:site_name", "A paper")], &[], None, "Goals of A paper"),
            ("A paper", &[("og:site_name", "A paper")], &[], None, "A paper"),
            ("Goals · A paper", &[], std::slice::from_ref(&site), None, "Goals"),
            ("x", &[("og:title", "Goals: A paper"), ("application-name", "A paper")], &[], None, "Goals"),
        ] {
            let metas = metas.iter().map(|(name, content)| ((*name).into(), (*content).into())).collect();
            let message = PageMeta { title: title.into(), metas, documents: documents.iter().map(Value::to_string).collect() };
            let details = message.details("/a", strip).expect("a title");
            assert_eq!(details.get("title"), Some(&json!(expected)), "{title} {strip:?}");
        }
        assert_eq!(instant("2026-11-20"), "2026-11-20T00:00:00Z");
        let long = details(&"é".repeat(400), &[], &[]).expect("a title");
        assert_eq!(long["title"].as_str().map(|title| title.chars().count()), Some(300));
    }
}
