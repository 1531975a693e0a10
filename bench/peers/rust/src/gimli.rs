//! gimli's `addr2line`, which reads the debug file itself and keeps no cache.
use std::time::Instant;

use addr2line::Loader;

use crate::common::{read_addresses, Options, Outcome, Touched};

fn one_round(loader: &Loader, addresses: &[u64], options: &Options, touched: &mut Touched) -> Outcome<()> {
    for &address in addresses {
        let before = touched.frames;
        let mut frames = loader.find_frames(address).map_err(|error| error.to_string())?;
        while let Some(frame) = frames.next().map_err(|error| error.to_string())? {
            let (path, line) = match &frame.location {
                Some(place) => (place.file.unwrap_or_default(), place.line.unwrap_or_default()),
                None => ("", 0),
            };
            let name = match &frame.function {
                Some(function) if options.demangle => function.demangle()?,
                Some(function) => function.raw_name()?,
                None => "??".into(),
            };
            touched.add_frame(&name, path, line, options);
        }
        touched.end_answer(before, options);
    }
    Ok(())
}

/// Rounds after the first are timed, as that reads the units, unless there is only one.
pub fn lookup(path: &str, addresses_path: &str, words: &[&str]) -> Outcome<()> {
    let options = Options::read(words)?;
    let loader = Loader::new(path).map_err(|error| error.to_string())?;
    let addresses = read_addresses(addresses_path, options.base)?;
    let (mut touched, mut started) = (Touched::default(), Instant::now());
    for round in 0..options.rounds {
        if round == 1 {
            (touched, started) = (Touched::default(), Instant::now());
        }
        one_round(&loader, &addresses, &options, &mut touched)?;
    }
    let timed = if options.rounds > 1 { options.rounds - 1 } else { 1 };
    touched.tell(started, timed * addresses.len() as u64);
    Ok(())
}
