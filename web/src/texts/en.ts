// The page's texts in English. Another language has the same keys, or the build fails.

export const en = {
  decimalSign: ".",
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
      "Choose “own…” as the algorithm of the flow, and change the text. You have ack.rtt_ns, and you know the BDP from the first lesson. " +
      "Fill the link and keep the RTT short.",
  },
};

export type Texts = typeof en;
