//! Articles with the editions by which their findings are checked.

use std::path::{Path, PathBuf};

use stend_analysis::claims::Article;
use stend_method::Edition;
use stend_model::{Files, Model};

use crate::check::check;
use crate::error::ClaimsError;

/// An article of which the edition measures every figure.
pub struct CheckedArticle {
    article: Article,
    edition: Edition,
    /// Folder of the files that it names.
    folder: PathBuf,
    /// Name for errors.
    file: String,
}

impl CheckedArticle {
    /// Reads the articles that are built into the program.
    ///
    /// # Errors
    /// Errors of [`CheckedArticle::read`].
    pub fn shipped() -> Result<Vec<CheckedArticle>, ClaimsError> {
        let one = |name: &&str| {
            let text = Article::shipped_text(name).unwrap_or_default();
            let file = format!("claims/{name}.toml (built in)");
            CheckedArticle::parse(text, file, Path::new(""))
        };
        Article::shipped().iter().map(one).collect()
    }

    /// Reads files; no two of them may have the same id.
    ///
    /// # Errors
    /// [`ClaimsError::Input`] for a file that cannot be read, is wrong, or checks figures that its
    /// edition does not measure; [`ClaimsError::File`] for a wrong edition.
    pub fn read(paths: &[PathBuf]) -> Result<Vec<CheckedArticle>, ClaimsError> {
        let mut articles: Vec<CheckedArticle> = Vec::new();
        for path in paths {
            let text = std::fs::read_to_string(path).map_err(|error| {
                ClaimsError::Input(format!(
                    "{}: the findings could not be read: {error}",
                    path.display()
                ))
            })?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let one = CheckedArticle::parse(&text, path.display().to_string(), folder)?;
            if articles
                .iter()
                .any(|other| other.article.id == one.article.id)
            {
                return Err(ClaimsError::Input(format!(
                    "{}: another file has the id {} too; give each article its own",
                    path.display(),
                    one.article.id
                )));
            }
            articles.push(one);
        }
        Ok(articles)
    }

    fn parse(text: &str, file: String, folder: &Path) -> Result<CheckedArticle, ClaimsError> {
        let article =
            Article::parse(text, &file).map_err(|error| ClaimsError::Input(error.to_string()))?;
        let name = &article.edition;
        let edition = match is_file(name) {
            true => Edition::load(&folder.join(name).display().to_string())?,
            false => Edition::load(name).map_err(|error| {
                let line = article.edition_line;
                ClaimsError::Input(format!("{file}:{line}: edition: {error}"))
            })?,
        };
        check(&article, &edition, &file)?;
        Ok(CheckedArticle {
            article,
            edition,
            folder: folder.to_path_buf(),
            file,
        })
    }

    /// The article.
    pub fn article(&self) -> &Article {
        &self.article
    }

    /// Returns the article with only one of its findings.
    pub(crate) fn with_finding(&self, finding: usize) -> CheckedArticle {
        let mut article = self.article.clone();
        article.findings = vec![self.article.findings[finding].clone()];
        CheckedArticle {
            article,
            edition: self.edition.clone(),
            folder: self.folder.clone(),
            file: self.file.clone(),
        }
    }

    /// Returns the article for drives with 1/`by` of their capacity, and an edition with 1/`by` of
    /// the times; results are scaled back ([`Edition::scaled`]).
    ///
    /// # Errors
    /// [`ClaimsError::Input`] for an edition that cannot be scaled.
    pub fn scaled(&self, by: u32) -> Result<CheckedArticle, ClaimsError> {
        let edition = self.edition.scaled(by).map_err(|problem| {
            let id = &self.edition.id;
            ClaimsError::Input(format!("edition {id} cannot be scaled: {problem}"))
        })?;
        Ok(CheckedArticle {
            article: self.article.clone(),
            edition,
            folder: self.folder.clone(),
            file: self.file.clone(),
        })
    }

    /// The edition that it names.
    pub fn edition(&self) -> &Edition {
        &self.edition
    }

    /// Name for errors.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Reads the model of a drive that it names.
    pub(crate) fn model(&self, name: &str) -> Result<Model, ClaimsError> {
        Ok(self.files(name)?.model()?)
    }

    /// Name of a drive that is the same in all articles.
    pub(crate) fn key(&self, name: &str) -> String {
        match is_file(name) {
            true => self.folder.join(name).display().to_string(),
            false => name.to_owned(),
        }
    }

    /// Reads the files of a drive that it names.
    pub(crate) fn files(&self, name: &str) -> Result<Files, ClaimsError> {
        if is_file(name) {
            return Ok(Files::read(&self.folder.join(name))?);
        }
        Files::shipped(name).ok_or_else(|| {
            ClaimsError::Input(format!(
                "{}: {}. A model file is named by its path, ending in .toml; --drives leaves \
                 drives out",
                self.file,
                stend_model::unknown_model(name)
            ))
        })
    }
}

/// True if a name is that of a file, relative to the article's folder.
fn is_file(name: &str) -> bool {
    name.ends_with(".toml")
}
