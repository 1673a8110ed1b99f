//! Agreement with other implementations, on the traces in the folder `reference`.

mod comparison;
mod linux;
mod ns2;
mod reference;
