// What every kernel uses.

const UNREACHABLE: u32 = 0xffffffffu;

/// The number of this workgroup; launches with many groups have two dimensions.
fn workgroup_number(id: vec3<u32>, count: vec3<u32>) -> u32 {
    return id.y * count.x + id.x;
}

/// The sum of two costs, or UNREACHABLE if it is not a finite cost.
fn add_costs(a: u32, b: u32) -> u32 {
    let sum = a + b;
    return select(sum, UNREACHABLE, sum < a);
}
