//! Pictures: they decode, have the right size, and show what they should where they should.

use std::io::Cursor;

use crate::folder::Folder;

const GROUND: [u8; 3] = [0xf9, 0xf7, 0xf1];
const SEARCHED: [u8; 3] = [0xb5, 0xdb, 0xf3];
const BLOCKED: [u8; 3] = [0x2b, 0x36, 0x45];
const PATH: [u8; 3] = [0xd5, 0x5e, 0x00];
const START: [u8; 3] = [0x00, 0x9e, 0x73];
const GOAL: [u8; 3] = [0x7a, 0x3e, 0x9d];

struct Picture {
    width: u32,
    height: u32,
    colours: Vec<u8>,
}

impl Picture {
    fn decode(bytes: Vec<u8>) -> Self {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut colours = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut colours).unwrap();
        assert_eq!(frame.color_type, png::ColorType::Rgb);
        Self { width: frame.width, height: frame.height, colours }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let pixel = (y * self.width + x) as usize * 3;
        self.colours[pixel..pixel + 3].try_into().unwrap()
    }

    /// The middle of a square cell.
    fn cell(&self, side: u32, x: u32, y: u32) -> [u8; 3] {
        self.at(x * side + side / 2, y * side + side / 2)
    }
}

#[test]
fn a_grid_shows_walls_search_path_and_ends() {
    let folder = Folder::filled();
    folder.succeed("query small.map --from 2,2 --to 4,2 --picture path.png");
    let picture = Picture::decode(folder.read("path.png"));
    assert_eq!((picture.width, picture.height), (800, 500));
    let cell = |x, y| picture.cell(100, x, y);
    assert_eq!(cell(2, 2), START);
    assert_eq!(cell(4, 2), GOAL);
    assert_eq!(cell(3, 0), BLOCKED);
    assert_eq!(cell(3, 4), PATH);
    assert_eq!(cell(7, 0), GROUND);
    assert_eq!(picture.at(3 * 100 + 5, 4 * 100 + 5), SEARCHED, "the door, beside the path");
}

#[test]
fn terrain_is_shaded() {
    let folder = Folder::filled();
    folder.write("small.ter", "11111119\n11111111\n11111111\n11111111\n11111111\n");
    let words = "query small.map --from 0,0 --to 0,1 --terrain small.ter --picture";
    folder.succeed(&format!("{words} path.png"));
    let picture = Picture::decode(folder.read("path.png"));
    assert_eq!(picture.cell(100, 7, 4), GROUND);
    assert_eq!(picture.cell(100, 7, 0), [0xb9, 0x9c, 0x6b], "dear ground is darker");
}

#[test]
fn hex_rows_are_shifted() {
    let folder = Folder::new();
    folder.write("hex.drawing", "#. / #.");
    folder.succeed("query hex.drawing --moves hex --from 1,0 --to 1,1 --picture hex.png");
    let picture = Picture::decode(folder.read("hex.png"));
    assert_eq!((picture.width, picture.height), (250, 203));
    assert_eq!(picture.at(50, 58), BLOCKED);
    assert_eq!(picture.at(100, 144), BLOCKED, "the second row lies half a cell to the right");
    assert_eq!(picture.at(10, 144), [255; 3], "and leaves room beside it");
    assert_eq!(picture.at(150, 58), START);
    assert_eq!(picture.at(200, 144), GOAL);
}

#[test]
fn huge_maps_are_scaled_down() {
    let folder = Folder::new();
    let row = format!("{}\n", ".".repeat(9000));
    folder.write("wide.map", format!("type octile\nheight 6\nwidth 9000\nmap\n{}", row.repeat(6)));
    folder.succeed("query wide.map --from 0,3 --to 8999,3 --picture wide.png");
    let picture = Picture::decode(folder.read("wide.png"));
    assert_eq!((picture.width, picture.height), (3000, 2));
}

#[test]
fn graphs_are_drawn_by_their_coordinates() {
    let folder = Folder::filled();
    let words = "query small.gr --coordinates small.co --from 1 --to 3 --picture";
    folder.succeed(&format!("{words} roads.png"));
    let picture = Picture::decode(folder.read("roads.png"));
    // 50 x 20 units in 1152 pixels and a margin of 24; north is up.
    assert_eq!((picture.width, picture.height), (1200, 509));
    assert_eq!(picture.at(24, 508 - 24), START);
    assert_eq!(picture.at(1175, 24), GOAL);
    assert_eq!(picture.at(600, 508 - 24), PATH);
}

#[test]
fn no_path_is_drawn_too() {
    let folder = Folder::filled();
    folder.succeed("query small.map --from 0,0 --to 7,0 --picture none.png");
    let picture = Picture::decode(folder.read("none.png"));
    assert_eq!((picture.cell(100, 0, 0), picture.cell(100, 7, 0)), (START, GOAL));
    folder.succeed("query small.map --from 1,1 --to 1,1 --picture same.svg");
    assert!(folder.read("same.svg").ends_with(b"</svg>\n"));
}

#[test]
fn svg_is_compact_and_shows_the_same() {
    let folder = Folder::new();
    folder.succeed("generate rooms --size 64 --room 8 --seed 2 -o rooms.map");
    for moves in ["eight", "hex"] {
        let words = format!("query rooms.map --from 3,3 --to 60,60 --moves {moves} --picture");
        folder.succeed(&format!("{words} rooms.svg"));
        let text = String::from_utf8(folder.read("rooms.svg")).unwrap();
        assert!(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\""), "{text}");
        assert!(text.matches("<path").count() < 8, "{moves}");
        for colour in [GROUND, SEARCHED, BLOCKED, PATH, START, GOAL] {
            let [red, green, blue] = colour;
            let name = format!("#{red:02x}{green:02x}{blue:02x}");
            assert!(text.contains(&name), "{moves}: {name} in {text}");
        }
    }
}

#[test]
fn pictures_are_the_same_every_time() {
    let folder = Folder::filled();
    for file in ["a.png", "b.png", "a.svg", "b.svg"] {
        folder.succeed(&format!("query small.map --from 2,2 --to 4,2 --picture {file}"));
    }
    assert_eq!(folder.read("a.png"), folder.read("b.png"));
    assert_eq!(folder.read("a.svg"), folder.read("b.svg"));
}
