//! What is special about Atlas as a file: the file says which form it has.

use portolan::atlas::{Atlas, AtlasConfig, AtlasForm, AtlasLabels, Form};
use portolan::generate::Rooms;
use portolan::store::IndexFile;
use portolan::{Build, Engine, Map};
use portolan_testkit::forms;
use portolan_testkit::index_file::bytes_of;

fn rooms() -> Map {
    Rooms { width: 40, height: 32, room: 7, ..Rooms::default() }.generate().unwrap().into()
}

/// The form without why it was chosen.
fn form_of(atlas: &Atlas) -> (AtlasLabels, usize) {
    let AtlasForm { labels, regions, .. } = atlas.form();
    (labels, regions)
}

#[test]
fn the_form_is_the_files() {
    let map = rooms();
    for form in [Form::Fastest, Form::Uniform, Form::General, Form::Climb] {
        let built = Atlas::build(&map, &forms::config(form, 10)).unwrap();
        let index = IndexFile::from_bytes(bytes_of(&built)).unwrap();
        assert_eq!(index.engine(), Engine::name(&built));
        for asked in [Form::Fastest, Form::General, Form::Climb] {
            // A limit is for what is built.
            let config = AtlasConfig { memory_limit: 1.into(), ..forms::config(asked, 3) };
            let opened = Atlas::open(&index, &map, &config).unwrap();
            assert_eq!(Engine::name(&opened), Engine::name(&built));
            assert_eq!(form_of(&opened), form_of(&built));
        }
    }
}
