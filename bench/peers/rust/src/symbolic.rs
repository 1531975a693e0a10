//! The `symbolic` crates.
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use symbolic_common::{ByteView, Language};
use symbolic_debuginfo::Object;
use symbolic_demangle::{Demangle, DemangleOptions};
use symbolic_ppdb::{PortablePdb, PortablePdbCache, PortablePdbCacheConverter};
use symbolic_symcache::{SymCache, SymCacheConverter};

use crate::common::{read_addresses, Options, Outcome, Touched};

fn told(started: Instant, path: &str) -> Outcome<()> {
    let bytes = std::fs::metadata(path)?.len();
    println!("seconds={:.6} bytes={}", started.elapsed().as_secs_f64(), bytes);
    Ok(())
}

pub fn convert(from: &str, to: &str) -> Outcome<()> {
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

pub fn convert_ppdb(from: &str, to: &str) -> Outcome<()> {
    let started = Instant::now();
    let view = ByteView::open(from)?;
    let mut converter = PortablePdbCacheConverter::new();
    converter.process_portable_pdb(&PortablePdb::parse(&view)?)?;
    let mut out = BufWriter::new(File::create(to)?);
    converter.serialize(&mut out)?;
    out.flush()?;
    told(started, to)
}

fn one_round(cache: &SymCache, addresses: &[u64], options: &Options, touched: &mut Touched) {
    for &address in addresses {
        let before = touched.frames;
        for location in cache.lookup(address) {
            let function = location.function();
            let path = location.file().map(|file| file.full_path()).unwrap_or_default();
            let demangled = if options.demangle {
                function.name_for_demangling().demangle(DemangleOptions::complete())
            } else {
                None
            };
            touched.add_frame(demangled.as_deref().unwrap_or(function.name()), &path, location.line(), options);
        }
        touched.end_answer(before, options);
    }
}

pub fn lookup(cache_path: &str, addresses_path: &str, words: &[&str]) -> Outcome<()> {
    let options = Options::read(words)?;
    let view = ByteView::open(cache_path)?;
    let cache = SymCache::parse(&view)?;
    let addresses = read_addresses(addresses_path, 0)?;
    let mut touched = Touched::default();
    let started = Instant::now();
    for _ in 0..options.rounds {
        one_round(&cache, &addresses, &options, &mut touched);
    }
    touched.tell(started, options.rounds * addresses.len() as u64);
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

pub fn method_lookup(cache_path: &str, questions_path: &str, options: &[&str]) -> Outcome<()> {
    let Options { print, rounds, .. } = Options::read(options)?;
    let view = ByteView::open(cache_path)?;
    let cache = PortablePdbCache::parse(&view)?;
    let questions = read_questions(questions_path)?;
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
