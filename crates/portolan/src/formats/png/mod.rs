//! Maps and terrain from PNG pictures, one pixel per cell.
//!
//! Reads every colour type and bit depth, interlaced or not, and the first picture of an animation.
//! Samples are scaled to 0..=255; a colour counts as its luminance, (299 R + 587 G + 114 B) / 1000
//! (Rec. 601). Pictures are decoded row by row. Nothing is allocated before the header is checked
//! against the length of the file.

use std::io::Cursor;

use png::{ColorType, DecodingError, Limits, Reader, Transformations};

use crate::formats::error::{FilePosition, FormatError, Problem};
use crate::formats::terrain::TerrainRows;
use crate::grid::Grid;

/// The largest picture, in pixels.
const MAX_PIXELS: u64 = 1 << 27;

/// The widest picture; the decoder holds a few whole rows.
const MAX_WIDTH: u64 = 1 << 20;

/// The memory limit of the decoder for everything except pixels.
const DECODER_BYTES: usize = 16 << 20;

/// The largest possible expansion of a deflate stream.
const MAX_EXPANSION: u64 = 1032;

/// Reads a picture as an eight-connected grid of one terrain, corners never cut: pixels of a
/// luminance below 128, and pixels that are more than half transparent, are blocked.
pub fn read_map(bytes: &[u8]) -> Result<Grid, FormatError> {
    let mut picture = Picture::open(bytes)?;
    let (width, height) = (picture.width, picture.height);
    // One bit per pixel, since the pixels of an interlaced picture do not come row by row.
    let mut words = vec![0u64; (width as usize * height as usize).div_ceil(64)];
    picture.for_each_pixel(|x, y, pixel| {
        let bit = y as usize * width as usize + x as usize;
        let is_free = pixel.luminance >= 128 && pixel.alpha >= 128;
        words[bit / 64] |= u64::from(is_free) << (bit % 64);
        Ok(())
    })?;
    let mut bits = 0..;
    let is_free =
        |_, _| bits.next().is_some_and(|bit: usize| words[bit / 64] >> (bit % 64) & 1 != 0);
    Grid::from_fn(width, height, is_free)
        .map_err(|error| FormatError { position: None, problem: Problem::Grid(error) })
}

/// Reads a picture as terrain: the luminance of a pixel is the factor of the cell, so black is an
/// error. Transparency is ignored.
pub fn read_terrain(bytes: &[u8]) -> Result<TerrainRows, FormatError> {
    let mut picture = Picture::open(bytes)?;
    let (width, height) = (picture.width, picture.height);
    let mut factors = vec![0; width as usize * height as usize];
    picture.for_each_pixel(|x, y, pixel| {
        if pixel.luminance == 0 {
            let position = FilePosition::Pixel { x, y };
            return Err(FormatError::at(position, Problem::ZeroFactor));
        }
        factors[y as usize * width as usize + x as usize] = pixel.luminance;
        Ok(())
    })?;
    Ok(TerrainRows { width, height, factors })
}

/// A picture of checked size.
struct Picture<'a> {
    reader: Reader<Cursor<&'a [u8]>>,
    width: u32,
    height: u32,
}

#[derive(Clone, Copy)]
struct Pixel {
    luminance: u8,
    alpha: u8,
}

/// A part of an interlaced picture: every `step`th pixel from `first` on, in x and in y.
struct Pass {
    first: (u32, u32),
    step: (u32, u32),
}

const WHOLE: &[Pass] = &[Pass { first: (0, 0), step: (1, 1) }];

/// The Adam7 passes of the PNG specification, section 8.2.
const INTERLACED: &[Pass] = &[
    Pass { first: (0, 0), step: (8, 8) },
    Pass { first: (4, 0), step: (8, 8) },
    Pass { first: (0, 4), step: (4, 8) },
    Pass { first: (2, 0), step: (4, 4) },
    Pass { first: (0, 2), step: (2, 4) },
    Pass { first: (1, 0), step: (2, 2) },
    Pass { first: (0, 1), step: (1, 2) },
];

impl<'a> Picture<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let limits = Limits { bytes: DECODER_BYTES };
        let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let info = decoder.read_header_info().map_err(picture_error)?;
        let (width, height) = info.size();
        let pixels = u64::from(width) * u64::from(height);
        check_most("columns", u64::from(width), MAX_WIDTH)?;
        check_most("pixels", pixels, MAX_PIXELS)?;
        let most =
            (bytes.len() as u64).saturating_mul(MAX_EXPANSION) * 8 / info.bits_per_pixel() as u64;
        if pixels > most {
            let problem = Problem::ImplausibleHeader { what: "pixels", announced: pixels, most };
            return Err(FormatError { position: None, problem });
        }
        let reader = decoder.read_info().map_err(picture_error)?;
        // The first picture of an animation must be a whole one.
        let frame = reader.info().frame_control();
        if frame.is_some_and(|frame| (frame.width, frame.height) != (width, height)) {
            return Err(damaged("the first frame does not cover the picture"));
        }
        Ok(Self { reader, width, height })
    }

    /// Visits every pixel once, row by row within each pass, then checks the rest of the file.
    fn for_each_pixel(
        &mut self,
        mut visit: impl FnMut(u32, u32, Pixel) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let (color, _) = self.reader.output_color_type();
        let passes = if self.reader.info().interlaced { INTERLACED } else { WHOLE };
        for &Pass { first: (left, top), step: (dx, dy) } in passes {
            // A pass without columns has no rows in the file.
            if left >= self.width {
                continue;
            }
            for y in (top..self.height).step_by(dy as usize) {
                let row = self.reader.next_row().map_err(picture_error)?;
                let row = row.ok_or_else(|| damaged("it ends before its last row"))?;
                let xs = (left..self.width).step_by(dx as usize);
                for (x, samples) in xs.zip(row.data().chunks_exact(color.samples())) {
                    visit(x, y, Pixel::new(color, samples))?;
                }
            }
        }
        self.reader.finish().map_err(picture_error)
    }
}

impl Pixel {
    fn new(color: ColorType, samples: &[u8]) -> Self {
        let luminance =
            |r, g, b| ((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)) / 1000) as u8;
        match (color, samples) {
            (ColorType::Rgb, &[r, g, b]) => Self { luminance: luminance(r, g, b), alpha: 255 },
            (ColorType::Rgba, &[r, g, b, alpha]) => Self { luminance: luminance(r, g, b), alpha },
            (ColorType::GrayscaleAlpha, &[luminance, alpha]) => Self { luminance, alpha },
            _ => Self { luminance: samples[0], alpha: 255 },
        }
    }
}

fn check_most(what: &'static str, found: u64, most: u64) -> Result<(), FormatError> {
    if found <= most {
        return Ok(());
    }
    Err(FormatError { position: None, problem: Problem::TooLarge { what, found, most } })
}

fn picture_error(error: DecodingError) -> FormatError {
    match error {
        DecodingError::IoError(_) => damaged("it ends too early"),
        error => damaged(&error.to_string()),
    }
}

fn damaged(reason: &str) -> FormatError {
    FormatError { position: None, problem: Problem::Picture { reason: reason.to_owned() } }
}

#[cfg(test)]
mod tests;
