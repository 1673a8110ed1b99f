//! Agreement with other implementations, on the traces in the folder `reference`.

mod comparison;
mod l4s;
mod linux;
mod ns2;
mod reference;
