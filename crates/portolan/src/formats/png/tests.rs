use png::{BitDepth, ColorType};

use super::*;

/// A picture of raw samples, rows packed as the bit depth says.
fn encode(size: (u32, u32), color: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
    encode_with(size, color, depth, samples, |_| {})
}

fn encode_with(
    (width, height): (u32, u32),
    color: ColorType,
    depth: BitDepth,
    samples: &[u8],
    set: impl FnOnce(&mut png::Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    set(&mut encoder);
    encoder.write_header().unwrap().write_image_data(samples).unwrap();
    bytes
}

fn check(bytes: &[u8], expected: &str) {
    let grid = read_map(bytes).unwrap();
    let mut drawing = Vec::new();
    crate::formats::ascii::write(&grid, &[], &mut drawing).unwrap();
    assert_eq!(String::from_utf8(drawing).unwrap().trim_end().replace('\n', "/"), expected);
}

fn check_refused(bytes: &[u8], expected: &str) {
    for message in [read_map(bytes).map(drop), read_terrain(bytes).map(drop)] {
        let message = message.unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

/// A chunk with its length and checksum.
fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&name[..], data].concat();
    let crc = !body.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ (0xedb8_8320 * (crc & 1)))
    });
    [&(data.len() as u32).to_be_bytes()[..], &body, &crc.to_be_bytes()].concat()
}

/// A picture with this size in its header and this deflate stream.
fn claim(width: u32, height: u32, depth: u8, color: u8, interlace: u8, stream: &[u8]) -> Vec<u8> {
    let header =
        [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth, color, 0, 0, interlace]]
            .concat();
    let chunks = [chunk(b"IHDR", &header), chunk(b"IDAT", stream), chunk(b"IEND", &[])].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunks].concat()
}

/// A deflate stream of stored blocks.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks = data.chunks(0xffff);
    let last = blocks.len().saturating_sub(1);
    for (index, block) in blocks.enumerate() {
        let length = block.len() as u16;
        stream.push(u8::from(index == last));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

#[test]
fn dark_is_blocked() {
    check(
        &encode((3, 2), ColorType::Grayscale, BitDepth::Eight, &[0, 127, 128, 255, 200, 1]),
        "##./..#",
    );
    check(&encode((3, 1), ColorType::Grayscale, BitDepth::One, &[0b1010_0000]), ".#.");
    check(&encode((3, 1), ColorType::Grayscale, BitDepth::Two, &[0b1101_1000]), ".#.");
    check(&encode((3, 1), ColorType::Grayscale, BitDepth::Four, &[0x87, 0xf0]), ".#.");
    check(&encode((2, 1), ColorType::Grayscale, BitDepth::Sixteen, &[0x80, 0, 0x7f, 0xff]), ".#");
}

#[test]
fn colours_count_by_their_luminance() {
    let colours = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 90, 0];
    check(&encode((4, 1), ColorType::Rgb, BitDepth::Eight, &colours), "#.#.");
    let wide: Vec<u8> = colours.iter().flat_map(|&sample| [sample, 0]).collect();
    check(&encode((4, 1), ColorType::Rgb, BitDepth::Sixteen, &wide), "#.#.");
    let palette =
        encode_with((4, 1), ColorType::Indexed, BitDepth::Two, &[0b0001_1011], |encoder| {
            encoder.set_palette(colours.to_vec());
            encoder.set_trns(vec![255, 255, 255, 127]);
        });
    check(&palette, "#.##");
}

#[test]
fn transparent_is_blocked() {
    check(&encode((2, 1), ColorType::GrayscaleAlpha, BitDepth::Eight, &[255, 127, 255, 128]), "#.");
    let samples = [255, 255, 255, 0, 255, 255, 255, 255];
    check(&encode((2, 1), ColorType::Rgba, BitDepth::Eight, &samples), "#.");
}

#[test]
fn interlaced_pictures_are_read_alike() {
    for (width, height) in [(1, 1), (1, 9), (4, 3), (5, 1), (8, 8), (17, 13)] {
        let is_free = |x: u32, y: u32| (x * 5 + y * 3 + x * y) % 7 > 2;
        let mut raw = Vec::new();
        for &Pass { first: (left, top), step: (dx, dy) } in INTERLACED {
            for y in (top..height).step_by(dy as usize).filter(|_| left < width) {
                raw.push(0);
                let row = (left..width).step_by(dx as usize);
                raw.extend(row.map(|x| if is_free(x, y) { 255 } else { 1 }));
            }
        }
        let bytes = claim(width, height, 8, 0, 1, &stored(&raw));
        assert_eq!(read_map(&bytes).unwrap(), Grid::from_fn(width, height, is_free).unwrap());
        assert_eq!(read_terrain(&bytes).unwrap().factors[0], 1);
    }
}

#[test]
fn grey_is_the_terrain_factor() {
    let bytes = encode((3, 1), ColorType::Grayscale, BitDepth::Eight, &[1, 9, 255]);
    let terrain = read_terrain(&bytes).unwrap();
    assert_eq!((terrain.width, terrain.height), (3, 1));
    assert_eq!(terrain.factors, [1, 9, 255]);
    let black = encode((2, 2), ColorType::Grayscale, BitDepth::Eight, &[1, 1, 0, 1]);
    let message = read_terrain(&black).unwrap_err().to_string();
    assert!(
        message.starts_with("pixel 0,1: a terrain factor from 1 to 255 was expected"),
        "{message}"
    );
}

#[test]
fn hostile_headers_allocate_nothing() {
    check_refused(&claim(u32::MAX, u32::MAX, 16, 6, 0, &[]), "4294967295 columns are too many");
    check_refused(
        &claim(1 << 30, 1, 16, 6, 0, &[]),
        "1073741824 columns are too many, at most 1048576",
    );
    check_refused(
        &claim(1 << 16, 1 << 16, 1, 0, 1, &[]),
        "4294967296 pixels are too many, at most 134217728",
    );
    check_refused(&claim(1 << 14, 1 << 13, 1, 0, 0, &[]), "134217728 pixels were announced");
    check_refused(&claim(0, 5, 8, 0, 0, &[]), "decoding it failed");
}

#[test]
fn damaged_pictures_are_refused() {
    let whole = claim(2, 2, 8, 0, 0, &stored(&[0, 1, 2, 0, 3, 4]));
    assert!(read_map(&whole).is_ok());
    for length in 0..whole.len() {
        assert!(read_map(&whole[..length]).is_err(), "cut to {length} of {} bytes", whole.len());
    }
    let mut bad = whole.clone();
    let data = whole.windows(4).position(|name| name == b"IDAT").unwrap() + 4;
    bad[data + 9] ^= 1;
    check_refused(&bad, "decoding it failed");
    check_refused(&claim(2, 2, 8, 0, 0, &stored(&[0, 1, 2])), "decoding it failed");
    check_refused(b"P5 2 2 255 abcd", "decoding it failed");
}
