//! Links and queues: disciplines, changes, varying rates and delays.

mod changes;
mod delay_schedules;
mod queues;
mod rate_traces;
mod users;
