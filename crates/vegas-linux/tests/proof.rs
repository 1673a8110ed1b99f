//! The object that goes into the kernel decides as the core does: ten million steps of random events, in the kernel and
//! here, compared one by one.
//!
//! The object's copy of the core is the function that the congestion control calls (`core_step`), run by the kernel
//! itself (BPF_PROG_TEST_RUN), after its verifier and compiler had their way with it.

mod support;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use vegas_core::Algorithm;
use vegas_core::registry::{self, Preset};
use vegas_linux::abi::{
    Config, Decision, EVENT_ACK, EVENT_DUPLICATE_ACKS, EVENT_ECN, EVENT_START, EVENT_TIMEOUT, Event,
};
use vegas_linux::choice::Choice;
use vegas_linux::object::{PROOF_STEPS, Proof, ProofStep};

const STEPS_TOTAL: usize = 10_000_000;

#[test]
fn object_and_core_decide_alike_over_ten_million_steps() {
    if !support::kernel_is_ready() {
        return;
    }
    let configs = configs();
    let batches = STEPS_TOTAL.div_ceil(PROOF_STEPS * configs.len());
    let grown = support::on_all_processors(configs.len(), |seed| compare(&configs[seed], batches, seed as u64));
    let grown: usize = grown.into_iter().sum();
    // a comparison of windows that never move would prove little
    assert!(grown > STEPS_TOTAL / 20, "the window changed in {grown} steps only");
}

/// One step told by another number is found.
#[test]
fn another_gamma_is_found_out() {
    if !support::kernel_is_ready() {
        return;
    }
    let config = Choice::of_preset("vegas", &[]).expect("a preset").config();
    let other = Config { gamma: config.gamma + 1, ..config };
    let differs = std::panic::catch_unwind(|| compare_with(&config, &other, 10, 1));
    assert!(differs.is_err(), "ten batches of another algorithm passed for the same");
}

/// Compares this many batches, and counts the steps that changed the window.
fn compare(config: &Config, batches: usize, seed: u64) -> usize {
    compare_with(config, config, batches, seed)
}

fn compare_with(config: &Config, in_core: &Config, batches: usize, seed: u64) -> usize {
    let proof = Proof::new(config).expect("the object loads");
    let algorithm = in_core.algorithm().expect("a valid configuration");
    let mut core = Core { algorithm, state: algorithm.start() };
    let mut host = Host { rng: ChaCha8Rng::seed_from_u64(seed), now_ns: 0, una: 0, next: 0, window: 0 };
    let mut steps = vec![ProofStep::default(); PROOF_STEPS];
    let mut changes = 0;
    for batch in 0..batches {
        let mut expected = Vec::with_capacity(PROOF_STEPS);
        for (number, step) in steps.iter_mut().enumerate() {
            let first = batch + number == 0;
            step.event = if first { Event { kind: EVENT_START, ..Event::default() } } else { host.event() };
            let decision = core.step(&step.event);
            changes += usize::from(decision.window_raw != host.window);
            host.window = decision.window_raw;
            expected.push(decision);
        }
        proof.run(steps.as_mut_slice().try_into().expect("a batch")).expect("the proof program runs");
        for (number, (step, expected)) in steps.iter().zip(&expected).enumerate() {
            assert_eq!(&step.decision, expected, "{config:?}: batch {batch}, step {number}: {:?}", step.event);
        }
    }
    changes
}

struct Core {
    algorithm: Algorithm,
    state: vegas_core::State,
}

impl Core {
    fn step(&mut self, event: &Event) -> Decision {
        event.apply(&self.algorithm, &mut self.state);
        Decision::of(&self.state)
    }
}

/// Every preset that goes into a kernel or will, with its own numbers and with odd ones. The kernel has its own CUBIC.
fn configs() -> Vec<Config> {
    let odd = |config: Config| Config { alpha: 2, beta: 9, gamma: 3, ssthresh: 40, max_window: 300, ..config };
    let carried =
        |preset: &&Preset| preset.composition.avoidance.kernels_own().is_none() && preset.standalone.is_none();
    let presets = registry::PRESETS.iter().filter(carried);
    let presets = presets.map(|preset| Choice::of_parts(preset).config());
    presets.flat_map(|config| [config, odd(config)]).collect()
}

/// A connection that behaves, mostly.
struct Host {
    rng: ChaCha8Rng,
    now_ns: u64,
    una: u64,
    next: u64,
    window: u64,
}

impl Host {
    fn event(&mut self) -> Event {
        match self.rng.next_u32() % 1000 {
            0 => self.restart(),
            1..4 => self.loss(),
            4 => self.anything(),
            _ => self.ack(),
        }
    }

    fn restart(&mut self) -> Event {
        (self.una, self.next) = (0, 0);
        Event { kind: EVENT_START, ..Event::default() }
    }

    fn ack(&mut self) -> Event {
        let room = (self.window >> 28).min(2000);
        self.next = self.next.max(self.una + room.max(1));
        let in_flight = self.next - self.una;
        let acked = in_flight.min(1 + u64::from(self.rng.next_u32() % 3));
        let before = self.next;
        self.una += acked;
        self.now_ns += self.below(3_000_000);
        let queue = self.below(100 + room * 20_000);
        Event {
            now_ns: self.now_ns,
            rtt_ns: if self.below(20) == 0 { 0 } else { 20_000_000 + queue },
            newest: self.una - 1,
            next: before,
            sent_ns: 0,
            forward_ns: self.below(queue + 1),
            backward_ns: self.below(2_000_000),
            acked: acked as u32,
            in_flight: in_flight as u32,
            ce_marked: (self.below(50) == 0).into(),
            kind: EVENT_ACK,
            flags: self.rng.next_u32() & 0b101,
            reserved: 0,
        }
    }

    fn loss(&mut self) -> Event {
        let kind = [EVENT_DUPLICATE_ACKS, EVENT_TIMEOUT, EVENT_ECN][self.below(3) as usize];
        self.now_ns += self.below(1_000_000_000);
        Event {
            now_ns: self.now_ns,
            sent_ns: self.now_ns - self.below(self.now_ns.clamp(1, 200_000_000)),
            in_flight: (self.next - self.una) as u32,
            next: self.next,
            kind,
            flags: self.rng.next_u32() & 0b010,
            ..Event::default()
        }
    }

    /// Any bits at all.
    fn anything(&mut self) -> Event {
        let mut word = || self.rng.next_u64();
        Event {
            now_ns: word() >> 1,
            rtt_ns: word() >> (word() % 64),
            newest: word() >> (word() % 64),
            next: word() >> (word() % 64),
            sent_ns: word(),
            forward_ns: word() >> (word() % 64),
            backward_ns: word() >> (word() % 64),
            acked: (word() as u32) | 1,
            in_flight: word() as u32 >> (word() % 32),
            ce_marked: word() as u32,
            kind: word() as u32 % 5,
            flags: word() as u32 & 0b111,
            reserved: 0,
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.next_u64() % bound
    }
}
