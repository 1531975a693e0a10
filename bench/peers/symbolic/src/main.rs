//! What the `symbolic` crates take for the jobs of symcached, so that bench/run.py can compare them in one run.
//!
//!     symbolic_peer convert FILE OUT    a native debug file to a SymCache file
//!     symbolic_peer ppdb FILE OUT       a Portable PDB to a PortablePdbCache file
//!     symbolic_peer lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N]
//!     symbolic_peer method-lookup CACHE QUESTIONS [--print] [--rounds N]
//!
//! ADDRESSES: a file of hexadecimal addresses from the image base, one a line. QUESTIONS: a file of lines
//! "ROW IL_OFFSET", both decimal. One thread. The last line printed is `name=value` pairs, the same that bench_lookup
//! and bench_method_lookup print.
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use symbolic_common::{ByteView, Language};
use symbolic_debuginfo::Object;
use symbolic_demangle::{Demangle, DemangleOptions};
use symbolic_ppdb::{PortablePdb, PortablePdbCache, PortablePdbCacheConverter};
use symbolic_symcache::{SymCache, SymCacheConverter};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "usage: symbolic_peer convert|ppdb FILE OUT
       symbolic_peer lookup CACHE ADDRESSES [--demangle] [--print] [--rounds N]
       symbolic_peer method-lookup CACHE QUESTIONS [--print] [--rounds N]";

fn told(started: Instant, path: &str) -> Outcome<()> {
    let bytes = std::fs::metadata(path)?.len();
    println!("seconds={:.6} bytes={}", started.elapsed().as_secs_f64(), bytes);
    Ok(())
}

fn convert(from: &str, to: &str) -> Outcome<()> {
    let started = Instant::now();
    let view = ByteView::open(from)?;
    let object = Object::parse(&view)?;
    let mut converter = SymCacheConverter::new();
    converter.process_object(&object)?;
    let mut out = BufWriter::new(File::create(to)?);
    converter.serialize(&mut out)?;
    out.flush()?;
    told(started, to)
}

fn convert_ppdb(from: &str, to: &str) -> Outcome<()> {
    let started = Instant::now();
    let view = ByteView::open(from)?;
    let mut converter = PortablePdbCacheConverter::new();
    converter.process_portable_pdb(&PortablePdb::parse(&view)?)?;
    let mut out = BufWriter::new(File::create(to)?);
    converter.serialize(&mut out)?;
    out.flush()?;
    told(started, to)
}

fn read_addresses(path: &str) -> Outcome<Vec<u64>> {
    let text = std::fs::read_to_string(path)?;
    let parsed = text.lines().map(|line| u64::from_str_radix(line.trim().trim_start_matches("0x"), 16));
    Ok(parsed.collect::<Result<_, _>>()?)
}

/// What a round of lookups touched; summed, so that nothing can be left out by the optimiser.
#[derive(Default)]
struct Touched {
    hits: u64,
    frames: u64,
    bytes: u64,
    lines: u64,
}

/// With `print`, frames go to stdout as llvm-symbolizer prints them.
fn one_round(cache: &SymCache, addresses: &[u64], demangle: bool, print: bool) -> Touched {
    let mut touched = Touched::default();
    for &address in addresses {
        let before = touched.frames;
        for location in cache.lookup(address) {
            let function = location.function();
            let path = location.file().map(|file| file.full_path()).unwrap_or_default();
            let demangled = if demangle {
                function.name_for_demangling().demangle(DemangleOptions::complete())
            } else {
                None
            };
            let name = demangled.as_deref().unwrap_or(function.name());
            touched.frames += 1;
            touched.bytes += (name.len() + path.len()) as u64;
            touched.lines += u64::from(location.line());
            if print {
                println!("{name}\n{path}:{}:0", location.line());
            }
        }
        touched.hits += u64::from(touched.frames != before);
        if print {
            println!();
        }
    }
    touched
}

fn rounds_of(options: &[&str]) -> Outcome<u64> {
    match options.iter().position(|option| *option == "--rounds") {
        Some(at) => Ok(options.get(at + 1).ok_or(USAGE)?.parse()?),
        None => Ok(1),
    }
}

fn lookup(cache_path: &str, addresses_path: &str, options: &[&str]) -> Outcome<()> {
    let rounds = rounds_of(options)?;
    let view = ByteView::open(cache_path)?;
    let cache = SymCache::parse(&view)?;
    let addresses = read_addresses(addresses_path)?;
    let (demangle, print) = (options.contains(&"--demangle"), options.contains(&"--print"));
    let mut total = Touched::default();
    let started = Instant::now();
    for _ in 0..rounds {
        let round = one_round(&cache, &addresses, demangle, print);
        total.hits += round.hits;
        total.frames += round.frames;
        total.bytes += round.bytes;
        total.lines += round.lines;
    }
    let seconds = started.elapsed().as_secs_f64();
    let count = (rounds * addresses.len() as u64) as f64;
    println!(
        "seconds={:.6} lookups_per_s={:.0} hits={:.4} frames={:.4} text_bytes={:.1} line_sum={}",
        seconds,
        count / seconds,
        total.hits as f64 / count,
        total.frames as f64 / count,
        total.bytes as f64 / count,
        total.lines
    );
    Ok(())
}

/// Rows of methods, 1-based, and IL offsets.
fn read_questions(path: &str) -> Outcome<Vec<(u32, u32)>> {
    let text = std::fs::read_to_string(path)?;
    text.lines()
        .map(|line| {
            let (row, il_offset) = line.split_once(' ').ok_or("not a row and an IL offset")?;
            Ok((row.parse()?, il_offset.parse()?))
        })
        .collect()
}

fn method_lookup(cache_path: &str, questions_path: &str, options: &[&str]) -> Outcome<()> {
    let rounds = rounds_of(options)?;
    let view = ByteView::open(cache_path)?;
    let cache = PortablePdbCache::parse(&view)?;
    let questions = read_questions(questions_path)?;
    let print = options.contains(&"--print");
    let (mut hits, mut bytes, mut lines, mut languages) = (0u64, 0u64, 0u64, 0u64);
    let started = Instant::now();
    for _ in 0..rounds {
        for &(row, il_offset) in &questions {
            let found = cache.lookup(row, il_offset);
            if let Some(place) = found {
                hits += 1;
                bytes += place.file_name.len() as u64;
                lines += u64::from(place.line);
                languages += u64::from(place.file_lang != Language::Unknown);
            }
            if print {
                match found {
                    Some(place) => println!("{}:{}", place.file_name, place.line),
                    None => println!(),
                }
            }
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let count = (rounds * questions.len() as u64) as f64;
    println!(
        "seconds={:.6} lookups_per_s={:.0} hits={:.4} languages={:.4} text_bytes={:.1} line_sum={}",
        seconds,
        count / seconds,
        hits as f64 / count,
        languages as f64 / count,
        bytes as f64 / count,
        lines
    );
    Ok(())
}

fn run(arguments: &[&str]) -> Outcome<()> {
    match arguments {
        ["convert", from, to] => convert(from, to),
        ["ppdb", from, to] => convert_ppdb(from, to),
        ["lookup", cache, addresses, options @ ..] => lookup(cache, addresses, options),
        ["method-lookup", cache, questions, options @ ..] => method_lookup(cache, questions, options),
        _ => Err(USAGE.into()),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = run(&arguments) {
        eprintln!("symbolic_peer: {error}");
        std::process::exit(1);
    }
}
