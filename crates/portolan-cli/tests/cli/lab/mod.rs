//! The server of `portolan lab`: who may use it, what it bears, how it starts and stops. What the
//! page shows is tested in a browser; see `crates/portolan-lab/browser`.

#[cfg(feature = "lab")]
mod requests;
#[cfg(feature = "lab")]
mod server;
#[cfg(feature = "lab")]
mod sockets;
#[cfg(feature = "lab")]
mod starting;

#[test]
#[cfg(not(feature = "lab"))]
fn a_program_without_the_lab_says_so() {
    let ran = crate::folder::Folder::new().run("lab");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    assert!(ran.err.starts_with("error: this program was built without its feature `lab`\nhelp: "));
}
