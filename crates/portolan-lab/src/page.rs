//! The files of the page, embedded. They need no build step: what lies in `page/` is what the
//! browser gets.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct PageFile {
    /// Its path below the page's address, such as `js/main.js`.
    pub path: &'static str,
    /// Its contents.
    pub contents: &'static str,
}

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(PageFile { path: $path, contents: include_str!(concat!("../page/", $path)) }),*]
    };
}

/// All files. The first is the page itself.
///
/// ```
/// assert!(portolan_lab::page::FILES[0].contents.contains("<title>"));
/// ```
pub const FILES: &[PageFile] = files![
    "index.html",
    "css/lab.css",
    "js/agents.js",
    "js/chart.js",
    "js/grid_view.js",
    "js/main.js",
    "js/map_panel.js",
    "js/needs_grid.js",
    "js/palette.js",
    "js/running_chart.js",
    "js/shared_handle.js",
    "js/store.js",
    "js/tabs/compare/chart.js",
    "js/tabs/compare/export.js",
    "js/tabs/compare/view.js",
    "js/tabs/crowds/view.js",
    "js/tabs/edits/view.js",
    "js/tabs/edits/world.js",
    "js/tabs/hierarchies/drawings.js",
    "js/tabs/hierarchies/texts.js",
    "js/tabs/hierarchies/view.js",
    "js/tabs/landmarks/drawing.js",
    "js/tabs/landmarks/lessons.js",
    "js/tabs/landmarks/scene.js",
    "js/tabs/landmarks/view.js",
    "js/tabs/roads/canvas.js",
    "js/tabs/roads/gl.js",
    "js/tabs/roads/index.js",
    "js/tabs/roads/road_map.js",
    "js/tabs/roads/view.js",
    "js/tabs/search/pane.js",
    "js/tabs/search/player.js",
    "js/tabs/search/view.js",
    "js/ui.js",
    "js/wire.js",
];

/// The file at this path.
pub fn file(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

impl PageFile {
    /// The media type, for the header `Content-Type`.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit_once('.') {
            Some((_, "html")) => "text/html; charset=utf-8",
            Some((_, "css")) => "text/css; charset=utf-8",
            Some((_, "js")) => "text/javascript; charset=utf-8",
            Some((_, "svg")) => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The paths of all files below a folder.
    fn paths(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                paths(root, &path, found);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                found.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }

    #[test]
    fn every_file_of_the_page_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut on_disk = Vec::new();
        paths(&root, &root, &mut on_disk);
        on_disk.sort();
        let mut embedded: Vec<_> = FILES.iter().map(|file| file.path.to_owned()).collect();
        embedded.sort();
        assert_eq!(embedded, on_disk);
    }
}
