//! Mail templates: the built-in ones, each replaced by the operator's file of the same name, if there is one. A faulty
//! file is reported and not used, so that it never stops mail.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};

use super::escape::{Escaped, write_value};
use super::imitations::mark_imitations;
use super::prose::{blocks, lined_blocks};
use knotpost_platform::with_causes;

/// The largest template that is read.
const MAX_BYTES: u64 = 256 << 10;

/// All templates of mails.
#[derive(Debug)]
pub(super) struct Templates {
    built_in: Environment<'static>,
    /// The templates with the operator's files in place; `None`: there are none.
    changed: Option<Environment<'static>>,
    files: Vec<String>,
    problems: Mutex<BTreeMap<String, String>>,
}

/// A file of the operator, and the error in it, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTemplate {
    /// Its path in the folder, such as `board/body.html`.
    pub file: String,
    /// Reason why the built-in template is used instead.
    pub problem: Option<String>,
}

impl Templates {
    /// The templates of this program under those of `folder`, which need not exist.
    pub(super) fn load(folder: &Path) -> Self {
        let built_in = environment();
        let (mut changed, mut files, mut problems) = (environment(), Vec::new(), BTreeMap::new());
        for (file, source) in read_folder(folder) {
            let added = source.and_then(|source| {
                if built_in.get_template(&file).is_err() {
                    return Err("there is no built-in template of this name".to_owned());
                }
                changed.add_template_owned(file.clone(), source).map_err(|error| tell(&error))
            });
            match added {
                Ok(()) => files.push(file),
                Err(problem) => {
                    tracing::error!(file, problem, "a mail template of yours is not used");
                    problems.insert(file, problem);
                }
            }
        }
        if let Err(error) = set_style(&mut changed) {
            problems.insert(STYLE.to_owned(), tell(&error));
        }
        let changed = (!files.is_empty()).then_some(changed);
        Self { built_in, changed, files, problems: Mutex::new(problems) }
    }

    /// The text a template makes of these facts.
    ///
    /// # Errors
    /// When the built-in template is faulty, or a fact is missing.
    pub(super) fn fill(&self, name: &str, facts: &Value) -> Result<String, Error> {
        let fill = |templates: &Environment<'static>| templates.get_template(name)?.render(facts);
        if let Some(changed) = &self.changed {
            match fill(changed) {
                Ok(text) => return Ok(text),
                Err(error) => self.note(name, &error),
            }
        }
        fill(&self.built_in)
    }

    /// The operator's files and the errors in them.
    pub(super) fn own(&self) -> Vec<OwnTemplate> {
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = self.files.clone();
        files.extend(problems.keys().filter(|file| !self.files.contains(file)).cloned());
        files.sort();
        files.into_iter().map(|file| OwnTemplate { problem: problems.get(&file).cloned(), file }).collect()
    }

    /// Records a failure, and logs it the first time.
    fn note(&self, name: &str, error: &Error) {
        let file = error.name().unwrap_or(name).to_owned();
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if let std::collections::btree_map::Entry::Vacant(place) = problems.entry(file.clone()) {
            let problem = tell(error);
            tracing::error!(file, problem, "a mail template of yours failed; the built-in one is used");
            place.insert(problem);
        }
    }
}

/// The kinds of mail: each has a template for its Subject.
pub fn mail_kinds() -> Vec<String> {
    let templates = environment();
    let kinds = templates.templates().filter_map(|(name, _)| name.strip_suffix("/subject.txt"));
    kinds.map(ToOwned::to_owned).collect()
}

/// An error with its causes on one line, without the lines of the template that it shows to a terminal.
fn tell(error: &Error) -> String {
    with_causes(error).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[expect(clippy::expect_used, reason = "the build has parsed the same templates")]
fn load_built_in(mut templates: &mut Environment<'static>) {
    minijinja_embed::load_templates!(templates, "mail");
    add_plain_pages(templates).expect("a page that only extends another one");
}

/// Gives the kinds of mail without a page of their own the one that says what their text says.
fn add_plain_pages(templates: &mut Environment<'static>) -> Result<(), Error> {
    let kinds = templates.templates().filter_map(|(name, _)| name.strip_suffix("/body.txt"));
    let pages: Vec<String> = kinds.map(|kind| format!("{kind}/body.html")).collect();
    for page in pages {
        if templates.get_template(&page).is_err() {
            templates.add_template_owned(page, "{% extends \"layout/plain.html\" %}")?;
        }
    }
    Ok(())
}

fn environment() -> Environment<'static> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|name| {
        if Path::new(name).extension().is_some_and(|kind| kind == "html") {
            AutoEscape::Html
        } else {
            AutoEscape::None
        }
    });
    templates.set_formatter(write_value);
    templates.add_filter("quoted", mark_imitations);
    templates.add_filter("blocks", |text: &str| Value::from(Serde(blocks(text))));
    templates
        .add_filter("lined_blocks", |text: &str, width: usize| Value::from(Serde(lined_blocks(text, width))));
    load_built_in(&mut templates);
    let styled = set_style(&mut templates);
    debug_assert!(styled.is_ok(), "the built-in style is wrong: {styled:?}");
    templates
}

/// Styles the elements of a page.
const STYLE: &str = "layout/style.html";

/// Evaluates the style once for all mails, and gives it to all templates as `css`. A page uses dozens of its lines,
/// each ready for an attribute.
fn set_style(templates: &mut Environment<'static>) -> Result<(), Error> {
    let worked_out = templates.get_template(STYLE)?.render_captured(())?;
    let style = worked_out.state();
    let line = |name: &str| {
        let line = style.lookup(name)?;
        let escaped = line.as_str().map(|line| Value::from_safe_string(Escaped(line).to_string()));
        Some((name.to_owned(), escaped.unwrap_or(line)))
    };
    let lines: BTreeMap<String, Value> = style.exports().into_iter().filter_map(line).collect();
    drop(worked_out);
    templates.add_global("css", Value::from(lines));
    Ok(())
}

/// The files in the subfolders of a folder, named as the built-in ones are.
fn read_folder(folder: &Path) -> Vec<(String, Result<String, String>)> {
    let mut found = Vec::new();
    let names = |folder: &Path| -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    };
    for kind in names(folder) {
        for part in names(&folder.join(&kind)) {
            let path = folder.join(&kind).join(&part);
            let is_template = path.extension().is_some_and(|kind| kind == "txt" || kind == "html");
            if is_template && !part.starts_with('.') {
                found.push((format!("{kind}/{part}"), read_file(&path)));
            }
        }
    }
    found
}

fn read_file(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES {
        return Err(format!("it is larger than {} KiB", MAX_BYTES >> 10));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, source) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it is made");
            fs::write(path, source).expect("it is written");
        }
        folder
    }

    fn goodbye(templates: &Templates) -> String {
        templates
            .fill("goodbye/body.txt", &context! { with_remarks => false, userid => "ann", server => "X" })
            .expect("a text")
    }

    #[test]
    fn a_kind_without_a_page_of_its_own_is_set_by_the_plain_one() {
        let facts = context! { text => "Goodbye.", layout => "layout/bare.html", subject => "S" };
        let page = |templates: &Templates| templates.fill("goodbye/body.html", &facts).expect("a page");
        let none = tempfile::tempdir().expect("a folder");
        assert!(page(&Templates::load(none.path())).contains("Goodbye."));
        let own = folder(&[("layout/plain.html", "<b>{{ text }}</b>")]);
        assert_eq!(page(&Templates::load(own.path())), "<b>Goodbye.</b>");
        let own = folder(&[("goodbye/body.html", "<i>{{ text }}</i>"), ("layout/plain.html", "-")]);
        assert_eq!(page(&Templates::load(own.path())), "<i>Goodbye.</i>");
    }

    #[test]
    fn a_file_of_the_operator_stands_for_the_built_in_one_and_for_no_other() {
        let folder = folder(&[("goodbye/body.txt", "Bye {{ userid }}!")]);
        let templates = Templates::load(folder.path());
        assert_eq!(goodbye(&templates), "Bye ann!");
        let subject = templates.fill("goodbye/subject.txt", &context! { userid => "ann" }).expect("a text");
        assert_eq!(subject.trim(), "Goodbye, ann");
        assert_eq!(templates.own(), [OwnTemplate { file: "goodbye/body.txt".into(), problem: None }]);
    }

    #[test]
    fn a_style_of_the_operator_is_on_all_pages_and_a_broken_one_on_none() {
        let page = |templates: &Templates| {
            let facts = context! {
                layout => "layout/bare.html", subject => "S", prose => [context! { kind => "rule" }],
            };
            templates.fill("layout/prose.html", &facts).expect("a page")
        };
        let built_in = page(&Templates::load(Path::new("/nowhere")));
        assert!(built_in.contains("border-top:1px solid"), "{built_in}");
        let own = folder(&[("layout/style.html", "{% set rule = 'color:\"red\"' %}{% set depth = 3 %}")]);
        let templates = Templates::load(own.path());
        assert_eq!(page(&templates).trim(), "<hr class=\"line\" style=\"color:&quot;red&quot;\">");
        // The operator's template lacks a block, so the built-in page is used.
        let message = context! { kind => "paragraph", spans => [context! { kind => "words", text => "x" }] };
        let paragraph =
            templates.fill("layout/prose.html", &context! { prose => [message] }).expect("a page");
        assert!(paragraph.contains("margin:0 0 14px"), "{paragraph}");
        let broken = folder(&[("layout/style.html", "{% set rule = nothing.at_all %}")]);
        let templates = Templates::load(broken.path());
        assert_eq!(page(&templates), built_in);
        let [told] = &templates.own()[..] else { panic!("one file") };
        assert!(told.file == "layout/style.html" && told.problem.is_some(), "{told:?}");
    }

    #[test]
    fn broken_files_give_way_to_the_built_in_ones_and_are_told_of() {
        let built_in = goodbye(&Templates::load(Path::new("/nowhere")));
        let broken = [
            ("goodbye/body.txt", "{% if %}"),
            ("goodbye/body.txt", "{{ no_such_thing }}"),
            ("goodbye/body.txt", "{{ userid|no_such_filter }}"),
            ("goodbye/nothing.txt", "x"),
        ];
        for (file, source) in broken {
            let folder = folder(&[(file, source)]);
            let templates = Templates::load(folder.path());
            assert_eq!(goodbye(&templates), built_in, "{source}");
            let own = templates.own();
            assert!(own.len() == 1 && own[0].problem.is_some(), "{source}: {own:?}");
        }
    }
}
