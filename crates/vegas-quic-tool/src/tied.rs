//! Ending with the program that started this one, however that program ended: its end of the pipe at the standard input
//! closes.

use std::future::Future;
use std::io::Read;

use crate::Fallible;

/// Runs the work; if `tied`, it ends when the standard input does.
pub(crate) async fn while_needed(tied: bool, work: impl Future<Output = Fallible<()>>) -> Fallible<()> {
    if !tied {
        return work.await;
    }
    let (over, is_over) = tokio::sync::oneshot::channel();
    // a thread of its own: a blocking read in tokio's threads would keep the program from ending
    std::thread::spawn(move || {
        let mut ignored = [0; 64];
        while std::io::stdin().read(&mut ignored).is_ok_and(|read| read > 0) {}
        let _ = over.send(());
    });
    tokio::select! {
        done = work => done,
        _ = is_over => Ok(()),
    }
}
