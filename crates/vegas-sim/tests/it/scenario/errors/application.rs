//! Applications of flows.

use super::{GOOD, check};

#[test]
fn phases() {
    let good = format!(
        "{GOOD}application = [{{ kind = \"rate\", rate = \"1mbit\", duration = \"5s\" }}, {{ kind = \"requests\", size = \"10kb\" }}]\n"
    );
    check(
        &good,
        &[
            (
                "\"rate\",",
                "\"steady\",",
                ":14: flow.0.application.0.kind: \"steady\" is not what an application does; expected one of bulk, idle, \
                 rate, on-off, requests, video, media",
            ),
            (
                ", duration = \"5s\"",
                "",
                ":14: flow.0.application.0.duration: is missing: the phases after this one would never come; give a time such \
                 as \"10s\"",
            ),
            (
                "duration = \"5s\"",
                "duration = \"0s\"",
                ":14: flow.0.application.0.duration: is 0; write a time above 0, such as \"1s\"",
            ),
            (
                "rate = \"1mbit\"",
                "rate = \"0bit\"",
                ":14: flow.0.application.0.rate: a rate of 0 sends nothing; write 1bit or more, or a phase of kind \"idle\"",
            ),
            (", size = \"10kb\"", "", ":14: flow.0.application.1.size: is missing; give one, such as size = \"10kb\""),
            (
                "size = \"10kb\"",
                "size = \"10kb\", on = \"1s\"",
                ":14: flow.0.application.1.on: means nothing in a phase of kind \"requests\"; leave it out, or set \
                 flow.0.application.1.kind to \"on-off\"",
            ),
        ],
    );
}

#[test]
fn video() {
    let good = format!("{GOOD}application = [{{ kind = \"video\", ladder = [\"1mbit\", \"2mbit\"] }}]\n");
    check(
        &good,
        &[
            (
                "\"2mbit\"",
                "\"1mbit\"",
                ":14: flow.0.application.0.ladder: does not ascend; write rates such as [\"1mbit\", \"2.5mbit\", \"5mbit\"]",
            ),
            (
                "\"2mbit\"]",
                "\"2mbit\"], segment = \"8s\", buffer = \"6s\"",
                ":14: flow.0.application.0.buffer: is shorter than one segment of video; lengthen it",
            ),
        ],
    );
}

#[test]
fn media() {
    let good =
        format!("{GOOD}application = [{{ kind = \"media\", layers = [{{ every = \"20ms\", size = \"80b\" }}] }}]\n");
    let at = "flow.0.application.0";
    check(
        &good,
        &[
            (
                ", layers = [{ every = \"20ms\", size = \"80b\" }]",
                "",
                &format!(
                    ":14: {at}.layers: is missing; give one, such as layers = [{{ every = \"20ms\", size = \"80b\" }}]"
                ),
            ),
            (
                "{ every = \"20ms\", size = \"80b\" }",
                "",
                &format!(":14: {at}.layers: is empty; write a layer such as {{ every = \"20ms\", size = \"80b\" }}"),
            ),
            (
                "every = \"20ms\"",
                "every = \"20us\"",
                &format!(":14: {at}.layers.0.every: is too short; write 100us or more"),
            ),
            (
                "size = \"80b\"",
                "size = \"2gb\"",
                &format!(":14: {at}.layers.0.size: is too large for a frame; write 1gb at most"),
            ),
            (
                "\"80b\" }",
                "\"80b\", give_up = \"0s\" }",
                &format!(":14: {at}.layers.0.give_up: is 0; write a time above 0, such as \"1s\""),
            ),
            (
                "kind = \"media\"",
                "kind = \"media\", duration = \"5s\"",
                &format!(
                    ":14: {at}.kind: \"media\" lasts as long as the flow; leave out duration and other phases, and give the \
                     flow a stop"
                ),
            ),
            (
                "application =",
                "size = \"1mb\"\napplication =",
                ":14: flow.0.size: goes with no media; leave it out, and give the flow a stop",
            ),
        ],
    );
}
