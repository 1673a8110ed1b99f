//! Background traffic at work.

mod datagrams;
mod draw;

pub(crate) use datagrams::DatagramSource;
