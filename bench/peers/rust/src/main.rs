//! What Rust's crates take for the jobs of symcached, so that bench/run.py can compare them in one run.
//!
//!     rust_peers symbolic convert FILE OUT    a native debug file to a SymCache file
//!     rust_peers symbolic ppdb FILE OUT       a Portable PDB to a PortablePdbCache file
//!     rust_peers symbolic lookup CACHE ADDRESSES [OPTION...]
//!     rust_peers symbolic method-lookup CACHE QUESTIONS [--print] [--rounds N]
//!     rust_peers gimli lookup FILE ADDRESSES [OPTION...]
//!     rust_peers blazesym lookup FILE|GSYM ADDRESSES [OPTION...]
//!
//! Options: --demangle, --print, --rounds N; --base N, decimal, is added to each address.
//! ADDRESSES: a file of hexadecimal addresses from the image base, one a line. QUESTIONS: a file of lines
//! "ROW IL_OFFSET", both decimal. One thread. The last line printed is `name=value` pairs, the same that bench_lookup
//! and bench_method_lookup print.
mod blazesym;
mod common;
mod gimli;
mod symbolic;

use common::Outcome;

const USAGE: &str = "usage: rust_peers symbolic convert|ppdb FILE OUT
       rust_peers symbolic lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N]
       rust_peers symbolic method-lookup CACHE QUESTIONS [--print] [--rounds N]
       rust_peers gimli|blazesym lookup FILE ADDRESSES [--demangle] [--print] [--rounds N] [--base N]";

fn run(arguments: &[&str]) -> Outcome<()> {
    match arguments {
        ["symbolic", "convert", from, to] => symbolic::convert(from, to),
        ["symbolic", "ppdb", from, to] => symbolic::convert_ppdb(from, to),
        ["symbolic", "lookup", cache, addresses, options @ ..] => symbolic::lookup(cache, addresses, options),
        ["symbolic", "method-lookup", cache, questions, options @ ..] => {
            symbolic::method_lookup(cache, questions, options)
        }
        ["gimli", "lookup", file, addresses, options @ ..] => gimli::lookup(file, addresses, options),
        ["blazesym", "lookup", file, addresses, options @ ..] => blazesym::lookup(file, addresses, options),
        _ => Err(USAGE.into()),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = run(&arguments) {
        eprintln!("rust_peers: {error}");
        std::process::exit(1);
    }
}
