//! Devices that are lost or have no memory left.

use portolan::{Grid, Map, Settings};

use super::*;
use crate::field::{GpuCrowd, GpuFields};
use crate::registry::METHODS;
use crate::tables::GpuTables;

fn gpu() -> Gpu {
    Gpu::new().expect("a GPU, or a software driver")
}

fn map() -> Map {
    Grid::new(20, 20).expect("a size").into()
}

fn assert_lost<T>(result: Result<T, GpuError>, what: &str) {
    let error = result.err();
    assert!(matches!(error, Some(GpuError::Lost { .. })), "{what}: {error:?}");
}

/// Loses the device: unnoticed, or as a host reports it.
fn lose(gpu: &Gpu, is_reported: bool) {
    gpu.device().destroy();
    if is_reported {
        gpu.report_lost("destroyed");
    }
}

#[test]
fn contents_of_all_sizes_arrive() {
    let gpu = gpu();
    for size in [0, 1, 3, 4, 15, 17, QUEUED_BYTES, QUEUED_BYTES + 1, PIECE_BYTES + 9] {
        let contents: Vec<u8> = (0..size).map(|at| (at * 7 % 251) as u8).collect();
        let buffer = gpu.upload("bytes", &contents).expect("memory");
        let words = read_words(&gpu, "bytes", &buffer, buffer.size() / 4).expect("memory");
        let found: &[u8] = bytemuck::cast_slice(&words);
        assert!(found[..size] == contents && found[size..].iter().all(|&byte| byte == 0));
    }
}

#[test]
fn nothing_is_built_on_a_lost_device() {
    for is_reported in [false, true] {
        for method in METHODS {
            let gpu = gpu();
            lose(&gpu, is_reported);
            let engine = method.build(&gpu, &map(), &Settings::default());
            assert_lost(engine, method.name);
        }
        let gpu = gpu();
        lose(&gpu, is_reported);
        assert_lost(GpuFields::build(&gpu, &map()), "fields");
        assert_lost(GpuTables::new(&gpu), "tables");
    }
}

#[test]
fn engines_of_a_lost_device_report_it_again_and_again() {
    let requests = [(0, 399), (399, 0)];
    for method in METHODS {
        for (is_reported, is_warm) in [(false, false), (true, false), (false, true), (true, true)] {
            let gpu = gpu();
            let engine = method.build(&gpu, &map(), &Settings::default()).expect("a grid");
            if is_warm {
                engine.distances(&requests).expect("a working device");
                engine.find_all(&requests).expect("a working device");
            }
            lose(&gpu, is_reported);
            for _ in 0..3 {
                assert_lost(engine.distances(&requests), method.name);
                assert_lost(engine.find_all(&requests), method.name);
            }
        }
    }
}

#[test]
fn fields_and_crowds_of_a_lost_device_report_it() {
    for is_reported in [false, true] {
        let gpu = gpu();
        let fields = GpuFields::build(&gpu, &map()).expect("a grid");
        let mut field = fields.field(&[0]).expect("a working device");
        let mut crowd = GpuCrowd::new(&fields, &[(21, 0)]).expect("a working device");
        lose(&gpu, is_reported);
        assert_lost(crowd.advance(&[&field], 1), "advance");
        assert_lost(crowd.positions(), "positions");
        assert_lost(fields.refill(&mut field, &[1]), "refill");
        assert_lost(fields.field(&[1]), "field");
        assert_lost(field.costs(), "costs");
        assert_lost(GpuCrowd::new(&fields, &[(21, 0)]), "crowd");
    }
}

/// Uploads until there is no memory left. The rest of the process needs some, too.
#[test]
#[ignore = "run by `uploads_without_memory_are_errors` in a process with little memory"]
fn upload_until_memory_is_out() {
    let gpu = gpu();
    let contents = vec![1_u8; 3 * PIECE_BYTES];
    let mut buffers = Vec::new();
    let error = loop {
        match gpu.upload("labels", &contents) {
            Ok(buffer) => buffers.push(buffer),
            Err(error) => break error,
        }
        assert!(buffers.len() < 1000, "the process has no limit");
    };
    let what = "labels";
    assert!(matches!(error, GpuError::OutOfMemory { what: w, .. } if w == what), "{error:?}");
    // The device still works.
    buffers.clear();
    gpu.upload("labels", &contents[..PIECE_BYTES]).expect("memory");
}

#[test]
#[cfg(target_os = "linux")]
fn uploads_without_memory_are_errors() {
    if !gpu().is_software() {
        return;
    }
    let tests = std::env::current_exe().expect("this program");
    let test = "device::tests::upload_until_memory_is_out";
    // In KiB, so that the first, second or third piece finds no memory.
    for limit in [2_000_000, 2_033_000, 2_066_000] {
        let script = format!("ulimit -v {limit} && exec \"$0\" --ignored --exact {test}");
        let child = std::process::Command::new("sh").args(["-c", &script]).arg(&tests).output();
        let child = child.expect("a shell");
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && output.contains("1 passed"), "{limit}: {output}");
    }
}
