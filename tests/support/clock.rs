//! A clock that tests move, for one redis-server: the handle on the preloaded shim, whose file format clock.c documents.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, SystemTime};

/// The true time plus an offset, which is 0 until the clock is set; or an instant at which it stands still.
pub struct Clock {
    path: PathBuf,
    file: File,
}

impl Clock {
    /// A clock whose file lies in `folder`.
    pub fn new(folder: &Path) -> Self {
        let path = folder.join("clock");
        let file = File::create(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let clock = Self { path, file };
        clock.write(0, 0);
        clock
    }

    /// Lets a program live on this clock.
    pub fn preload(&self, command: &mut Command) {
        command.env("LD_PRELOAD", library()).env("EDGEBOARD_CLOCK_FILE", &self.path);
    }

    /// Moves the clock to an instant (Unix milliseconds), from which it goes on: servers read that millisecond or a later one.
    pub fn set(&self, unix_ms: i64) {
        let wanted = i128::from(unix_ms) * 1_000_000;
        self.write(i64::try_from(wanted - true_time_ns()).expect("within 292 years of the true time"), 0);
    }

    /// Stops the clock at an instant (Unix milliseconds): what servers do there they do in no time.
    pub fn stop_at(&self, unix_ms: i64) {
        self.write(0, unix_ms * 1_000_000);
    }

    fn write(&self, offset_ns: i64, stop_ns: i64) {
        let bytes = [offset_ns.to_le_bytes(), stop_ns.to_le_bytes()].concat();
        self.file.write_all_at(&bytes, 0).expect("the clock's file is writable");
    }
}

/// Waits, for some seconds at most, until `done` answers something.
pub fn until<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let deadline = true_time_ns() + 10_000_000_000;
    loop {
        if let Some(answer) = done() {
            return answer;
        }
        assert!(true_time_ns() < deadline, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[expect(clippy::disallowed_methods, reason = "the offset of a moved clock is reckoned from the true time")]
fn true_time_ns() -> i128 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later than 1970");
    i128::try_from(since.as_nanos()).expect("a time of these centuries")
}

/// The shim, compiled when it is missing or older than its source. Other test programs may do so at the same time.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (source, built) = (project.join("tests/support/clock.c"), project.join("target/edgeboard-clock.so"));
        let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        if changed(&built).is_some_and(|built| Some(built) >= changed(&source)) {
            return built;
        }
        let unfinished = built.with_extension(format!("so.{}", std::process::id()));
        fs::create_dir_all(project.join("target")).expect("target is writable");
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).args([&unfinished, &source]).output();
        match compiled {
            Ok(output) => {
                assert!(output.status.success(), "cc failed on tests/support/clock.c:\n{}", String::from_utf8_lossy(&output.stderr));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => panic!("no C compiler (cc) on PATH: apt-get install gcc libc6-dev"),
            Err(error) => panic!("cc: {error}"),
        }
        fs::rename(&unfinished, &built).expect("target is writable");
        built
    })
}
