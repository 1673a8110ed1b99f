// The page's texts in English. Another language has the same keys, or the build fails.

export const en = {
  decimalSign: ".",
  /** Texts of the document, by the attribute `data-text`, and names of its regions, by `data-label`. */
  page: {
    scenario: "Scenario",
    share: "Copy link",
    download: "Download",
    restart: "Run again",
    speed: "Speed",
    time: "Time",
    network: "Network and flows",
    ownOpen: "Write your own algorithm",
    own: "Your own algorithm",
    file: "Scenario file",
    hint:
      "The form and the file are the same scenario. Save it, and “vegaslab run FILE” gives the same results, to the byte; so does " +
      "“vegaslab run 'LINK'” with the copied link. An algorithm in JavaScript runs on this page only.",
    whole: "Open the whole playground",
    run: "The run",
    playback: "Playback",
    path: "The path of the packets",
    controls: "The scenario",
    offer: "An algorithm in the link",
  },
  status: {
    over: "The run is over.",
    copied: "Copied",
    inAddressBar: "The link is in the address bar.",
    noScenario: (name: string) => `No shipped scenario is named ${name}.`,
    damaged: "The link is damaged: its scenario cannot be read. This is a shipped one.",
    yourScenario: "your own",
    you: "You",
  },
  offer: {
    read: (names: string) => `The link brings an algorithm, ${names}. Read it before you run it: it sees no network, no file, no clock.`,
    run: "Run it",
    leave: "Leave it out",
  },
  workshop: {
    file: "File",
    name: "Name",
    template: "New from",
    choose: "Template…",
    input: "A file with an algorithm",
    load: "Load file…",
    save: "Save file",
    remove: "Remove",
    module: (bytes: number) => `A module of ${bytes} bytes.`,
    ending: (name: string) => `${name}: a file ends in .js or .wasm`,
    tooLong: (name: string, bytes: number, most: number) => `${name}: has ${bytes} bytes; at most ${most}`,
    badName: "A name has letters, digits, - and _, and its file's ending.",
    taken: (name: string) => `There is a file ${name}.`,
    notKept: "This browser keeps no files: save yours before you close the page.",
    hint:
      "A class with on_ack and on_loss; its attribute window, in segments, is what it decides. Runs follow what you type. " +
      "This browser keeps the file, and a copied link brings it to a reader who must agree before it runs. " +
      "It sees no network, no clock and no random numbers.",
  },
  playback: {
    play: "Play",
    pause: "Pause",
    again: "Play again",
    fastest: "as fast as possible",
    faster: (times: number) => `${times} × real time`,
    real: "real time",
    slow: "slow motion, a tenth",
    of: (at: string, duration: number) => `${at} of ${duration} s`,
  },
  hand: {
    begin: "You are the congestion control",
    end: "Let the algorithm steer",
    window: "Your window",
    segments: (number: number) => `${number} segments`,
    hint:
      "You send as many segments as your window allows. Fill the path, and keep the queue short: a window above rate × round-trip time " +
      "only waits in the queue, and beyond the queue's end it is lost.",
  },
  form: {
    link: "Link",
    rate: { name: "Rate", meaning: "What the link can carry. The slowest link of a path is its bottleneck: packets wait before it." },
    delay: { name: "Delay", meaning: "The time that a packet travels on the link in one direction, without waiting." },
    queue: { name: "Queue", meaning: "The number of packets that may wait before the link. What arrives at a full queue is lost." },
    flows: { name: "Flows", meaning: "A flow is the data of one connection, from its sender to its receiver." },
    flow: "flow",
    packets: (number: number) => `${number} packets`,
    inFile: "see the file",
    beside: "Beside it, with all flows",
    nothing: "nothing",
    own: "Your own",
    parts: "own parts",
    algorithm: (flow: number) => `Algorithm of flow ${flow}`,
    remove: (flow: number) => `Remove flow ${flow}`,
    add: (flow: number) => `One more flow like ${flow}`,
    from: (start: string) => `from ${start} s`,
  },
  charts: {
    window: { name: "Window", unit: "segments", meaning: "The number of segments that a flow may have on their way without an acknowledgement." },
    rtt: { name: "Round-trip time", unit: "ms", meaning: "RTT: from a segment's departure to its acknowledgement. It is the path's own time and the waiting in queues." },
    queue: { name: "Queue", unit: "packets", meaning: "The packets that wait before the chosen link. Waiting adds to the RTT, and nothing to the throughput." },
    throughput: { name: "Throughput", unit: "Mb/s", meaning: "What arrives from a flow in each step of time, headers and retransmissions included." },
    mostInStep: "most in the step",
    label: (name: string, unit: string, from: string, to: string) => `${name} in ${unit} from ${from} to ${to} s`,
  },
  totals: {
    flow: "flow",
    goodput: { name: "goodput, Mb/s", meaning: "Data that has arrived in order, without headers and retransmissions, over the whole run." },
    rtt: { name: "mean RTT, ms", meaning: "The mean round-trip time over the run. Above the path's own time it is waiting in queues." },
    window: { name: "mean window", meaning: "The mean window over the run, in segments." },
    retransmitted: { name: "retransmitted", meaning: "Segments that the sender has retransmitted, as it takes them for lost." },
    timeouts: { name: "timeouts", meaning: "Times at which the sender heard nothing for so long that it began again with a window of one segment." },
    more: (shown: number, of: number) => ` The first ${shown} of ${of} flows are shown; the tables hold all.`,
    link: (link: string, busy: number, waiting: string, lost: string) =>
      `${link}: busy ${busy} % of the time, ${waiting} packets waiting on average, ${lost} lost.`,
    speed: (simulated: number, wall: string, times: string) => ` ${simulated} s simulated in ${wall} s, ${times} times as fast as real.`,
  },
  explain: {
    nothing: "Nothing has been sent yet.",
    one: (name: string) => `The flow (${name})`,
    several: (name: string) => `Flow ${name}`,
    you: (window: string) => `Your window is ${window} segments.`,
    window: (flow: string, doing: string, window: string) => `${flow} ${doing}; its window is ${window} segments.`,
    doing: {
      "idle": "has nothing to send",
      "slow start": "is in slow start and looks for the path's rate by doubling its window",
      "congestion avoidance": "is in congestion avoidance and changes its window by a segment a round trip at most",
      "recovery": "has lost packets and repairs the loss",
    },
    overflow: (link: string, lost: number) => `The queue of ${link} overflowed: ${lost === 1 ? "1 packet was" : `${lost} packets were`} lost in this step.`,
    idle: (link: string, part: number) => `No packet waits at ${link}: it carries ${part} % of what it could.`,
    full: (link: string) => `${link} is full, and no packet waits: what one hopes for.`,
    waiting: (link: string, waiting: number, wait: string) =>
      `${waiting === 1 ? "1 packet waits" : `${waiting} packets wait`} at ${link}, which adds about ${wait} ms to the round trip and nothing to the rate.`,
    dot: (packets: number) => `One dot is ${packets} packets.`,
  },
  picture: {
    sender: "sender",
    receiver: "receiver",
    data: "data →",
    acknowledgements: "← acknowledgements",
    waiting: (link: string, waiting: number, limit: number | null) => `${link}: ${waiting}${limit === null ? "" : ` of ${limit}`} wait`,
  },
  lessons: {
    all: "Lessons",
    title: "Six lessons: guess, run, improve",
    first: "Start with the first one, or use the laboratory below as you like.",
    place: (number: number, of: number) => `Lesson ${number} of ${of}`,
    previous: "Previous lesson",
    next: "Next lesson",
    close: "Close the lesson",
    guess: "Your guess",
    run: "Run it",
    right: (value: string) => `Right: the run gives ${value}.`,
    wrong: (guess: string, value: string) => `You guessed ${guess}; the run gives ${value}.`,
    task: "Task:",
    least: (value: string) => `at least ${value}`,
    most: (value: string) => `at most ${value}`,
    now: (value: string) => `now ${value}`,
    score: (points: number, best: number) => `Score: ${points} of 100. Your best: ${best}.`,
    done: "All goals are reached.",
  },
  figures: {
    goodput_mbps: { name: "goodput of all flows", unit: "Mb/s" },
    mean_rtt_ms: { name: "mean round-trip time", unit: "ms" },
    mean_queue_packets: { name: "packets in the queue, on average", unit: "packets" },
    least_share_percent: { name: "smallest share of a flow", unit: "%" },
    retransmitted_segments: { name: "retransmitted segments", unit: "segments" },
    own_flows: { name: "flows with your own algorithm", unit: "" },
  },
  window: {
    title: "Window and round-trip time",
    about: "How much may be on its way",
    idea:
      "A sender may have one window of segments on their way; each acknowledgement allows the next segment. So it sends one window in each " +
      "round-trip time (RTT). Here the window is fixed at 60 segments of 1000 bytes, the link carries 10 Mb/s, and the RTT is 100 ms.",
    question: "What goodput does the flow reach, in Mb/s?",
    because:
      "60 segments of 8000 bits in 0.1 s are 4.8 Mb/s; headers take a part of that. The path holds rate × RTT, about 125 segments: the " +
      "bandwidth-delay product (BDP). A smaller window leaves the link idle, and a larger one only waits in the queue.",
    task: "Press “You are the congestion control” and steer: fill the link, and keep the queue short. Begin quickly, as each second counts.",
  },
  bufferbloat: {
    title: "Bufferbloat",
    about: "A queue that is too long",
    idea:
      "CUBIC, the usual congestion control, grows its window until a packet is lost. The link carries 10 Mb/s, the path without a queue has an " +
      "RTT of 40 ms, and the queue before the link has room for 1000 packets of 1000 bytes.",
    question: "What is the mean RTT?",
    because:
      "A packet is lost only when the queue is full, so the queue stays nearly full; 1000 packets take 800 ms to leave at 10 Mb/s. Calls and games " +
      "on the same link wait, too. That is bufferbloat.",
    task: "Change only the length of the queue: keep the goodput, and bring the RTT down.",
  },
  vegas: {
    title: "Vegas's idea",
    about: "Delay as a sign of congestion",
    idea:
      "TCP Vegas does not wait for a loss. It compares the RTT with the smallest one that it has seen, computes how many of its segments wait in " +
      "queues, and keeps that number between 1 and 3. Beside it runs Reno, which needs losses. The queue has room for 200 packets.",
    question: "How many packets wait in the queue on average when Vegas is alone?",
    because:
      "Vegas fills the link with a few waiting segments, and loses none. Look at Reno's queue beside it: it fills up, overflows, and fills up again.",
    task:
      "Each Vegas flow keeps its own few segments waiting. Give the path more flows until on average 10 packets wait; the RTT is still short.",
  },
  starvation: {
    title: "Why Vegas starves",
    about: "Vegas and Reno on one link",
    idea:
      "Now one Vegas flow and one Reno flow share a link of 10 Mb/s with a queue of 100 packets. Reno fills the queue until it overflows. " +
      "Vegas takes the growing delay for congestion.",
    question: "What share of the goodput does the smaller flow, Vegas, get?",
    because:
      "Vegas sees a full queue that Reno has filled, and reduces its window; Reno takes what becomes free. The longer the queue, the less is left. " +
      "This is why Vegas is rarely used where loss-based flows are.",
    task: "Keep both algorithms, and find a queue with which each flow gets its share, without leaving the link idle.",
  },
  start: {
    title: "A better start",
    about: "Slow start on a long fat path",
    idea:
      "Vegas alone on 50 Mb/s with an RTT of 100 ms: the path holds 625 segments. In slow start the window doubles every second RTT, until Vegas " +
      "sees segments waiting; then it grows by one segment an RTT.",
    question: "What goodput does Vegas reach over the first 20 s?",
    because:
      "The bursts of slow start let packets wait although the link is mostly idle. Vegas leaves slow start far too early, and then needs " +
      "about a minute to fill the path, one segment an RTT.",
    task: "Choose another algorithm for the flow that starts better, with nearly no losses. Gallop, Streak and CUBIC are worth a look.",
  },
  own: {
    title: "Write your own",
    about: "Better than Reno, in JavaScript",
    idea:
      "A congestion control is a small program: on_ack runs with each acknowledgement, on_loss with each loss, and window is what it decides. " +
      "First the flow runs Reno, beside Vegas: 20 Mb/s, an RTT of 60 ms, and room for 150 packets in the queue.",
    question: "How many packets does Reno keep in the queue on average?",
    because: "Reno halves its window at a loss and fills the queue again. An algorithm that looks at the RTT can do better.",
    task:
      "Choose “own…” as the algorithm of the flow, and change the text; the template aimd.js is the shortest. " +
      "You have ack.rtt_ns, and you know the BDP from the first lesson. " +
      "Fill the link and keep the RTT short.",
  },
};

export type Texts = typeof en;
