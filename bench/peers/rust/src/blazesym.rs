//! blazesym, on a debug file or on a GSYM file.
use std::time::Instant;

use blazesym::symbolize::source::{Elf, GsymFile, Source};
use blazesym::symbolize::{CodeInfo, Input, Symbolized, Symbolizer};
use blazesym::Addr;

use crate::common::{read_addresses, Options, Outcome, Touched};

fn add_frame(name: &str, code: Option<&CodeInfo>, options: &Options, touched: &mut Touched) {
    let path = code.map(|code| code.to_path()).unwrap_or_default();
    let line = code.and_then(|code| code.line).unwrap_or_default();
    touched.add_frame(name, &path.to_string_lossy(), line, options);
}

/// All addresses at once, as is its fastest way.
fn one_round(
    symbolizer: &Symbolizer,
    source: &Source,
    addresses: &[Addr],
    options: &Options,
    touched: &mut Touched,
) -> Outcome<()> {
    for answer in symbolizer.symbolize(source, Input::VirtOffset(addresses))? {
        let before = touched.frames;
        if let Symbolized::Sym(symbol) = &answer {
            for inlined in symbol.inlined.iter().rev() {
                add_frame(&inlined.name, inlined.code_info.as_ref(), options, touched);
            }
            add_frame(&symbol.name, symbol.code_info.as_deref(), options, touched);
        }
        touched.end_answer(before, options);
    }
    Ok(())
}

/// Rounds after the first are timed, as that opens the file, unless there is only one.
pub fn lookup(path: &str, addresses_path: &str, words: &[&str]) -> Outcome<()> {
    let options = Options::read(words)?;
    let is_gsym = path.ends_with(".gsym");
    let source = if is_gsym { Source::from(GsymFile::new(path)) } else { Source::from(Elf::new(path)) };
    let symbolizer = Symbolizer::builder().enable_demangling(options.demangle).build();
    let addresses = read_addresses(addresses_path, options.base)?;
    let (mut touched, mut started) = (Touched::default(), Instant::now());
    for round in 0..options.rounds {
        if round == 1 {
            (touched, started) = (Touched::default(), Instant::now());
        }
        one_round(&symbolizer, &source, &addresses, &options, &mut touched)?;
    }
    let timed = if options.rounds > 1 { options.rounds - 1 } else { 1 };
    touched.tell(started, timed * addresses.len() as u64);
    Ok(())
}
