//! What the peers share: questions, what lookups touched, and how it is told.
use std::time::Instant;

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A file of hexadecimal addresses from the image base, one a line.
pub fn read_addresses(path: &str, base: u64) -> Outcome<Vec<u64>> {
    let text = std::fs::read_to_string(path)?;
    let parsed = text.lines().map(|line| u64::from_str_radix(line.trim().trim_start_matches("0x"), 16));
    parsed.map(|address| Ok(address? + base)).collect()
}

/// What a round of lookups touched; summed, so that nothing can be left out by the optimiser.
#[derive(Default)]
pub struct Touched {
    pub hits: u64,
    pub frames: u64,
    pub bytes: u64,
    pub lines: u64,
}

/// How an answer is given: with `print`, frames go to stdout as llvm-symbolizer prints them.
pub struct Options {
    pub demangle: bool,
    pub print: bool,
    pub rounds: u64,
    pub base: u64,
}

impl Options {
    pub fn read(words: &[&str]) -> Outcome<Self> {
        let number_after = |name: &str, default: u64| match words.iter().position(|word| *word == name) {
            Some(at) => Ok(words.get(at + 1).ok_or(format!("{name} needs a number"))?.parse()?),
            None => Ok::<u64, Box<dyn std::error::Error>>(default),
        };
        let (demangle, print) = (words.contains(&"--demangle"), words.contains(&"--print"));
        Ok(Self { demangle, print, rounds: number_after("--rounds", 1)?, base: number_after("--base", 0)? })
    }
}

impl Touched {
    pub fn add_frame(&mut self, name: &str, path: &str, line: u32, options: &Options) {
        self.frames += 1;
        self.bytes += (name.len() + path.len()) as u64;
        self.lines += u64::from(line);
        if options.print {
            println!("{name}\n{path}:{line}:0");
        }
    }

    /// After the last frame of an address. `before`: how many frames there were before the first.
    pub fn end_answer(&mut self, before: u64, options: &Options) {
        self.hits += u64::from(self.frames != before);
        if options.print {
            println!();
        }
    }

    pub fn tell(&self, started: Instant, lookups: u64) {
        let (seconds, count) = (started.elapsed().as_secs_f64(), lookups as f64);
        println!(
            "seconds={:.6} lookups_per_s={:.0} hits={:.4} frames={:.4} text_bytes={:.1} line_sum={}",
            seconds,
            count / seconds,
            self.hits as f64 / count,
            self.frames as f64 / count,
            self.bytes as f64 / count,
            self.lines
        );
    }
}
