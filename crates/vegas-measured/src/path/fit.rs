//! Which service explains the round-trip times: the one with the queueing after which they vary least.

use super::evidence::{Busy, Evidence};
use super::queue::limit;
use super::service::{Crossing, OPPORTUNITY_BYTES, Service};

/// A service with how well it explains the round-trip times.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub(super) service: Service,
    /// What is left of the variation of the round-trip times within a second, ns.
    pub(super) left: f64,
    /// And over the whole capture, ns.
    pub(super) left_overall: f64,
    /// The rates between which it explains them about as well, Mb/s.
    pub(super) between_mbps: (f64, f64),
}

/// Round-trip times are compared within windows of this length, as the path's own delay may change.
const WINDOW_NS: i64 = 1_000_000_000;
/// The most samples that a service is judged by.
const JUDGED: usize = 20_000;
/// The part of the deviations that counts: the rest are delayed acknowledgements and other exceptions.
const COUNTED: f64 = 0.9;
/// A service of more numbers has to leave less than this part of the variation that the simpler one leaves.
const BETTER: f64 = 0.7;
/// One that leaves up to this much is as good.
const SAME: f64 = 1.1;
/// What no service explains: interrupts, schedulers, clocks, ns.
const NOISE_NS: f64 = 200_000.0;

impl Evidence {
    /// Chooses the samples that services are judged by: of packets that waited, and no more of those that did not.
    pub(super) fn choose(&mut self, base: i64) {
        let limit = base + (base / 20).max(1_000_000);
        let (waited, others): (Vec<_>, Vec<_>) = self.samples.iter().copied().partition(|(_, rtt)| *rtt > limit);
        let thinned = |samples: Vec<(usize, i64)>, most: usize| {
            let step = samples.len().div_ceil(most.max(1)).max(1);
            samples.into_iter().step_by(step).collect::<Vec<_>>()
        };
        let waited = thinned(waited, JUDGED);
        self.judged = thinned(others, waited.len().max(20));
        self.judged.extend(waited);
        self.judged.sort_unstable();
    }

    /// Returns the round-trip times of packets that found next to no queue, without what the service adds, in the order
    /// of time, ns.
    pub(super) fn residuals(&self, crossings: &[Crossing]) -> Vec<(i64, i64)> {
        let few = 2 * u64::from(self.packet);
        let found_none = self.samples.iter().filter(|(number, _)| crossings[*number].backlog <= few);
        found_none.map(|(number, rtt)| (self.arrivals[*number].at, rtt - crossings[*number].delay)).collect()
    }

    /// Returns how far the round-trip times vary that the service does not explain, ns: within a second, and over the
    /// whole capture.
    fn left(&self, service: &Service) -> (f64, f64) {
        let crossings = service.carry(&self.arrivals, self.limit);
        let residual = |(number, rtt): &(usize, i64)| (self.arrivals[*number].at, rtt - crossings[*number].delay);
        let mut residuals: Vec<(i64, i64)> = self.judged.iter().map(residual).collect();
        let mut deviations = Vec::with_capacity(residuals.len());
        for window in residuals.chunk_by_mut(|one, other| one.0 / WINDOW_NS == other.0 / WINDOW_NS) {
            deviate(window, &mut deviations);
        }
        let within = mean_of(&mut deviations, COUNTED);
        deviations.clear();
        deviate(&mut residuals, &mut deviations);
        (within, mean_of(&mut deviations, 1.0))
    }

    /// Returns the service that explains the round-trip times best; the simplest of those that are about as good.
    pub(super) fn best(&self, busy: &Busy) -> Fit {
        // a queue that stands for long shows the rate so well that rates in steps miss it
        let constants = [busy.rate, self.about(busy)].map(|rate| self.constant(rate, 0.0));
        let [exact, coarse] = constants;
        let constant = if coarse.left < exact.left { coarse } else { exact };
        let mut best = constant.clone();
        // a bucket shows after a silence only: the delay is another one from then on
        let bucket = self.bucket(&constant).filter(|fit| fit.left <= SAME * best.left + NOISE_NS / 10.0);
        best = bucket.filter(|fit| is_better(fit.left_overall, best.left_overall)).unwrap_or(best);
        let rates = [busy.rate, constant.service.mbps() * 1e6];
        let periodic = rates
            .into_iter()
            .filter_map(|rate| self.periodic(rate))
            .min_by(|one, other| one.left.total_cmp(&other.left));
        for candidate in [periodic, self.recorded(busy.base, &constant)].into_iter().flatten() {
            best = if is_better(candidate.left, best.left) { candidate } else { best };
        }
        best
    }

    /// Returns about the constant rate that explains the round-trip times best, of all that the deliveries allow.
    fn about(&self, busy: &Busy) -> f64 {
        const STEP: f64 = 1.04;
        let (low, high) = (busy.rate.min(busy.most) / 2.0, busy.most * 1.5);
        let steps = ((high / low).ln() / STEP.ln()).ceil() as i32;
        let rates = (0..=steps).map(|step| low * STEP.powi(step));
        let judged = rates.map(|rate| (rate, self.left(&Service::Constant { rate, burst: 0.0 }).0));
        judged.min_by(|one, other| one.1.total_cmp(&other.1)).map_or(busy.rate, |(rate, _)| rate)
    }

    /// Returns the best constant rate near `rate`, behind a bucket of `burst` bytes.
    fn constant(&self, rate: f64, burst: f64) -> Fit {
        let left = |rate: f64| self.left(&Service::Constant { rate, burst }).0;
        let (mut best, mut least) = (rate, f64::MAX);
        let mut width: f64 = 1.06;
        for points in [6, 6, 6, 6] {
            let middle = best;
            for point in -points..=points {
                let rate = middle * width.powf(f64::from(point) / f64::from(points));
                let found = left(rate);
                if found < least {
                    (best, least) = (rate, found);
                }
            }
            width = width.powf(1.5 / f64::from(points));
        }
        let enough = 1.1 * least + 0.1 * NOISE_NS;
        let edge = |up: bool| {
            let mut edge = best;
            for step in 1..=40 {
                let rate = best * (1.0 + 0.001 * 1.2_f64.powi(step)).powf(if up { 1.0 } else { -1.0 });
                if left(rate) > enough {
                    break;
                }
                edge = rate;
            }
            edge / 1e6
        };
        let service = Service::Constant { rate: best, burst };
        let (left, left_overall) = self.left(&service);
        Fit { service, left, left_overall, between_mbps: (edge(false), edge(true)) }
    }

    /// Returns the best token bucket.
    fn bucket(&self, constant: &Fit) -> Option<Fit> {
        let Service::Constant { rate, .. } = constant.service else { return None };
        let packet = f64::from(self.packet);
        let bursts = (1..=9).map(|power| packet * f64::from(1 << power));
        let quick = bursts.map(|burst| (burst, self.left(&Service::Constant { rate, burst }).1));
        let (mut burst, _) = quick.min_by(|one, other| one.1.total_cmp(&other.1))?;
        for scale in [1.35, 1.1, 1.03] {
            let near = [burst / scale, burst, burst * scale]
                .map(|burst| (burst, self.left(&Service::Constant { rate, burst }).1));
            burst = near.into_iter().min_by(|one, other| one.1.total_cmp(&other.1))?.0;
        }
        Some(self.constant(rate, burst))
    }

    /// Returns the best period of opportunities near a rate, bits a second, where several packets share one.
    fn periodic(&self, rate: f64) -> Option<Fit> {
        const STEPS: i32 = 75;
        const PHASES: i32 = 250;
        const ABOUT: f64 = 1.5;
        if self.packet * 3 > OPPORTUNITY_BYTES * 2 {
            return None;
        }
        let (period, seen, step) = self.period(f64::from(OPPORTUNITY_BYTES) * 8e9 / rate)?;
        let fit = |phase: f64, bytes: f64| {
            let service = Service::Periodic { period, phase, bytes };
            let ((left, left_overall), mbps) = (self.left(&service), service.mbps());
            Fit { service, left, left_overall, between_mbps: (mbps * (1.0 - step), mbps * (1.0 + step)) }
        };
        let least = |fits: &mut dyn Iterator<Item = (f64, f64)>| {
            fits.map(|(phase, bytes)| (fit(phase, bytes), phase, bytes))
                .min_by(|one, other| one.0.left_overall.total_cmp(&other.0.left_overall))
        };
        // what a link adds to each packet takes its part: 4 bytes of a tun, 14 of Ethernet; Mahimahi's opportunities
        // have 4 more themselves
        let sizes = || {
            (0..=STEPS).map(|step| f64::from(OPPORTUNITY_BYTES) * (1.003 - 0.05 * f64::from(step) / f64::from(STEPS)))
        };
        let (_, _, bytes) = least(
            &mut sizes().flat_map(|bytes| (0..3).map(move |third| (seen - period * f64::from(third) / 3.0, bytes))),
        )?;
        // of the phases that explain the round-trip times about as well, the one that explains the losses
        let phases = (0..PHASES).map(|part| seen - period * f64::from(part) / f64::from(PHASES));
        let fits: Vec<Fit> = phases.map(|phase| fit(phase, bytes)).collect();
        let least = fits.iter().map(|fit| fit.left_overall).min_by(f64::total_cmp)?;
        let enough = |fit: &Fit| fit.left_overall <= ABOUT * least;
        let best = fits.into_iter().filter(enough).min_by_key(|fit| self.unexplained_losses(&fit.service))?;
        Some(best)
    }

    /// Returns how many losses and acceptances no limit of the queue explains.
    fn unexplained_losses(&self, service: &Service) -> u64 {
        let found = limit(&self.arrivals, &service.carry(&self.arrivals, self.limit));
        found.map_or(0, |limit| limit.lost_with_room + limit.accepted_beyond)
    }

    /// Returns the period near `about` at which deliveries come, when one came, and the part by which the period may be
    /// wrong, ns.
    fn period(&self, about: f64) -> Option<(f64, f64, f64)> {
        const COHERENT: f64 = 0.7;
        const PERIODS_MAX: f64 = 2000.0;
        let first = self.deliveries.first()?.0;
        let within = |at: &f64| *at < PERIODS_MAX * about;
        let times: Vec<f64> = self.deliveries.iter().map(|(at, _)| (at - first) as f64).take_while(within).collect();
        let step = about / times.last()?.max(about) / 4.0;
        let points = (0.04 / step).ceil().min(4000.0) as i32;
        let coherence = |period: f64| {
            let angle = |at: &f64| (at / period).fract() * std::f64::consts::TAU;
            let (sin, cos) =
                times.iter().fold((0.0, 0.0), |(sin, cos), at| (sin + angle(at).sin(), cos + angle(at).cos()));
            // no `hypot`: glibc's is of 2.35, and the wheel runs with 2.34
            ((sin * sin + cos * cos).sqrt() / times.len() as f64, sin.atan2(cos))
        };
        let candidates = (-points..=points)
            .map(|point| about * (1.0 + f64::from(point) * step))
            .map(|period| (period, coherence(period)));
        let (period, (found, angle)) = candidates.max_by(|one, other| one.1.0.total_cmp(&other.1.0))?;
        // acknowledgements come a constant time after the opportunities
        let seen = first as f64 + angle / std::f64::consts::TAU * period;
        (found >= COHERENT).then_some((period, seen, step.min(0.02)))
    }

    /// Returns opportunities as the deliveries show them: one for each 1500 bytes, and while no queue stands the number
    /// around it.
    fn recorded(&self, base: i64, constant: &Fit) -> Option<Fit> {
        let times = super::trace::opportunities(self, base, constant.service.mbps() * 1e6)?;
        let service = Service::Recorded { times };
        let ((left, left_overall), mbps) = (self.left(&service), service.mbps());
        Some(Fit { service, left, left_overall, between_mbps: (mbps, mbps) })
    }
}

impl Fit {
    /// The rate as it is, where there is no queue to fit a service to.
    pub(super) fn of(busy: &Busy) -> Self {
        let service = Service::Constant { rate: busy.rate, burst: 0.0 };
        let between_mbps = (busy.between.0 / 1e6, busy.between.1 / 1e6);
        Fit { service, left: 0.0, left_overall: 0.0, between_mbps }
    }
}

fn is_better(left: f64, before: f64) -> bool {
    left < BETTER * before && left + NOISE_NS < before
}

/// Adds how far each is from the middle of them.
fn deviate(residuals: &mut [(i64, i64)], deviations: &mut Vec<f64>) {
    residuals.sort_unstable_by_key(|(_, residual)| *residual);
    let middle = residuals.get(residuals.len() / 2).map_or(0, |(_, residual)| *residual);
    deviations.extend(residuals.iter().map(|(_, residual)| (residual - middle).abs() as f64));
}

/// The mean of the least of them, of this part of all.
fn mean_of(deviations: &mut [f64], part: f64) -> f64 {
    deviations.sort_unstable_by(f64::total_cmp);
    let counted = (deviations.len() as f64 * part).ceil() as usize;
    deviations[..counted].iter().sum::<f64>() / counted.max(1) as f64
}
