//! Many runs at once: a pool of threads that needs no interpreter; the calling thread feeds it and collects the
//! results.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use vegas_quic_sim::Quic;
use vegas_results::arrow_array::RecordBatch;
use vegas_results::{Finished, Rows, Series, run_row};
use vegas_sim::{Limits, scenario};

use crate::own::known_to_python;
use crate::results::table::Table;
use crate::template::{Template, names, parse};

/// The interval between checks for signals.
const GLANCE: Duration = Duration::from_millis(50);
/// The longest wait for threads that have been stopped.
const PARTING: Duration = GLANCE;
/// The interval between deliveries of finished runs.
const DELIVERY: Duration = Duration::from_millis(100);
/// The runs that wait for a thread: enough that no thread idles while the interpreter makes more.
const WAITING_RUNS: usize = 1024;
/// The limit on time series that wait for delivery, bytes: above it threads wait too, so that memory stays bounded.
const WAITING_SERIES_BYTES: usize = 32 << 20;

/// A run to do: its place in the plan, the replaced values as JSON text, and its seed.
type Run = (u64, String, u64);

/// Makes runs of `template` on `jobs` threads, with the interpreter released.
///
/// `runs` yields tuples of place, replaced values (JSON text) and seed. `deliver` is called some times a second with a
/// table of the runs finished since its last call: `place`, `error` (missing if all went well) and the totals of flows,
/// links and traffic. With `series`, of "flows" and "links", the table has each run's series as a Parquet file in
/// columns `series.flows` and `series.links`. Limits of a run: `events`; `memory_bytes`; `wall_s`, by the clock. Ends
/// early when a signal handler, `runs` or `deliver` raises.
#[pyfunction]
#[pyo3(signature = (template, runs, jobs, deliver, *, series=Vec::new(), events=None, memory_bytes=None, wall_s=None))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of a Python function")]
pub(crate) fn sweep(
    py: Python<'_>,
    template: &Template,
    runs: &Bound<'_, PyAny>,
    jobs: usize,
    deliver: &Bound<'_, PyAny>,
    series: Vec<String>,
    events: Option<u64>,
    memory_bytes: Option<u64>,
    wall_s: Option<f64>,
) -> PyResult<()> {
    let wall = wall_s.map(Duration::try_from_secs_f64).transpose().map_err(|e| PyValueError::new_err(e.to_string()))?;
    let limits = Limits { events, memory_bytes };
    let rows = Rows::with_series(kept(&series)?);
    let order = Arc::new(Order { template: Arc::clone(&template.inner), limits, wall, rows });
    let pool = Arc::new(Pool::default());
    let mut runs = runs.try_iter()?;
    let begun = (0..jobs.max(1)).try_for_each(|_| {
        let (pool, order) = (Arc::clone(&pool), Arc::clone(&order));
        Builder::new().spawn(move || pool.work(&order)).map(drop)
    });
    let done = begun.map_err(PyErr::from).and_then(|()| drive(py, &pool, &mut runs, deliver));
    pool.stop();
    // a thread within a library's call, such as one that compresses a table, cannot be stopped: it is abandoned. One
    // that calls Python is waited for, as an ending interpreter must not be called any more
    py.detach(|| pool.wait_for_threads(jobs.max(1), PARTING));
    done
}

fn kept(names: &[String]) -> PyResult<Vec<Series>> {
    let named = |name: &String| Series::ALL.into_iter().find(|series| series.name() == name);
    let unknown = |name: &String| PyValueError::new_err(format!("series: {name:?} was given; \"flows\" or \"links\""));
    names.iter().map(|name| named(name).ok_or_else(|| unknown(name))).collect()
}

/// Feeds the pool and delivers its results, until there are no more runs.
fn drive(py: Python<'_>, pool: &Pool, runs: &mut Bound<'_, PyIterator>, deliver: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut exhausted = false;
    let mut delivered_at = now();
    loop {
        while !exhausted && pool.lock().waiting.len() < WAITING_RUNS {
            match runs.next() {
                Some(run) => pool.add(run?.extract()?),
                None => exhausted = true,
            }
        }
        let idle = py.detach(|| pool.wait_for_news(exhausted));
        py.check_signals()?;
        if idle || pool.is_full() || delivered_at.elapsed() >= DELIVERY {
            let tables = py.detach(|| Finished::tables(pool.take_finished()));
            for table in tables.map_err(|error| PyRuntimeError::new_err(error.to_string()))? {
                deliver.call1((Table::new(table),))?;
            }
            delivered_at = now();
        }
        if idle && exhausted {
            return Ok(());
        }
    }
}

/// The settings that all runs share.
struct Order {
    template: Arc<scenario::Template>,
    limits: Limits,
    wall: Option<Duration>,
    rows: Rows,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Run>,
    finished: Vec<Finished>,
    series_bytes: usize,
    /// The number of runs under way.
    running: usize,
    /// The number of runs under way that call Python.
    calling_python: usize,
    stopped: bool,
    threads_ended: usize,
}

impl State {
    fn is_full(&self) -> bool {
        self.series_bytes >= WAITING_SERIES_BYTES
    }

    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }

    /// Returns whether a thread must wait: no run is left for it, or the series that wait for delivery are too large.
    fn must_wait(&self) -> bool {
        self.waiting.is_empty() || self.is_full()
    }
}

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    /// Signals that there is work, or that none will come.
    work: Condvar,
    /// Signals that the calling thread has something to do.
    news: Condvar,
}

impl Pool {
    /// Locks the state. A poisoned lock is accepted: a thread that panicked outside a run left the state unchanged.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, run: Run) {
        self.lock().waiting.push_back(run);
        self.work.notify_one();
    }

    /// Waits briefly for room in the queue or the end of all runs; returns whether all are finished.
    fn wait_for_news(&self, exhausted: bool) -> bool {
        let busy = |state: &mut State| match exhausted {
            _ if state.is_full() => false,
            true => state.running > 0 || !state.waiting.is_empty(),
            false => state.waiting.len() > WAITING_RUNS / 2,
        };
        let waited = self.news.wait_timeout_while(self.lock(), GLANCE, busy);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_idle()
    }

    fn is_full(&self) -> bool {
        self.lock().is_full()
    }

    fn take_finished(&self) -> Vec<Finished> {
        let mut state = self.lock();
        if state.is_full() {
            self.work.notify_all();
        }
        state.series_bytes = 0;
        std::mem::take(&mut state.finished)
    }

    fn stop(&self) {
        self.lock().stopped = true;
        self.work.notify_all();
    }

    fn wait_for_threads(&self, threads: usize, at_most: Duration) {
        let ended = self.news.wait_timeout_while(self.lock(), at_most, |state| state.threads_ended < threads);
        let (state, _) = ended.unwrap_or_else(PoisonError::into_inner);
        let calls = self.news.wait_while(state, |state| state.calling_python > 0);
        drop(calls.unwrap_or_else(PoisonError::into_inner));
    }

    fn work(self: &Arc<Self>, order: &Order) {
        while let Some((place, replaced, seed)) = self.next_run() {
            let finished = Finished { place, row: self.run(order, &replaced, seed) };
            let bytes = finished.series_bytes();
            let mut state = self.lock();
            state.running -= 1;
            state.series_bytes += bytes;
            state.finished.push(finished);
            if state.is_full() || state.is_idle() {
                self.news.notify_one();
            }
        }
        self.lock().threads_ended += 1;
        self.news.notify_one();
    }

    fn next_run(&self) -> Option<Run> {
        let waited = self.work.wait_while(self.lock(), |state| state.must_wait() && !state.stopped);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.stopped {
            return None;
        }
        let run = state.waiting.pop_front()?;
        state.running += 1;
        // once on the way down and not with every run, because the calling thread needs a core to wake up on
        if state.waiting.len() == WAITING_RUNS / 2 {
            self.news.notify_one();
        }
        Some(run)
    }

    fn run(self: &Arc<Self>, order: &Order, replaced: &str, seed: u64) -> Result<RecordBatch, String> {
        let (started, wall, pool) = (now(), order.wall, Arc::clone(self));
        let replaced = parse(replaced)?;
        let stop = move || {
            if pool.lock().stopped {
                return Some("interrupted".into());
            }
            let wall = wall.filter(|wall| started.elapsed() >= *wall)?;
            Some(format!("time limit of {} s reached", wall.as_secs_f64()))
        };
        let make = || run_row(&order.template, &replaced, seed, order.limits, &order.rows, Some(&Quic), stop);
        let document = order.template.document(&replaced, seed);
        if !document.is_ok_and(|document| names(&document, &["python"])) {
            return make();
        }
        self.lock().calling_python += 1;
        let row = known_to_python(make);
        self.lock().calling_python -= 1;
        self.news.notify_one();
        row
    }
}

fn now() -> Instant {
    Instant::now()
}
