//! The contents and the format of capture files.

pub(super) mod packet;
pub(super) mod pcapng;
