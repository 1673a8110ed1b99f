# A dumbbell of greedy flows in ns-2, as the files in benches/scenarios describe them for ours.
#
# ns ns2.tcl AGENT FLOWS RATE_MBPS DELAY_MS QUEUE_PACKETS ACCESS_MBPS SECONDS HEADERS SCHEDULER
#
# HEADERS is "needed" (those that a packet of TCP carries; tracing is off either way) or "all"; SCHEDULER is one of
# ns-2's. Prints segments sent, acknowledged, and retransmitted, over all flows.

lassign $argv agent flows rate delay queue access seconds headers scheduler

if {$headers eq "needed"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

set ns [new Simulator]
$ns use-scheduler $scheduler

# what our senders do by default: docs/deviations.md
Agent/TCP set delay_growth_ false
Agent/TCP set windowInit_ 2
Agent/TCP set packetSize_ 1000
Agent/TCP set useHeaders_ false
Agent/TCP set window_ 100000
Agent/TCP set minrto_ 0.2
Agent/TCP set tcpTick_ 0.01

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${rate}Mb ${delay}ms DropTail
$ns queue-limit $left $right $queue
$ns queue-limit $right $left 1000000

proc access {ns host router rate} {
    $ns duplex-link $host $router ${rate}Mb 1ms DropTail
    $ns queue-limit $host $router 1000000
    $ns queue-limit $router $host 1000000
}

set senders {}
for {set flow 0} {$flow < $flows} {incr flow} {
    set from [$ns node]
    set to [$ns node]
    access $ns $from $left $access
    access $ns $to $right $access
    set sender [new Agent/TCP/$agent]
    set sink [expr {$agent eq "Sack1" ? [new Agent/TCPSink/Sack1] : [new Agent/TCPSink]}]
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set application [new Application/FTP]
    $application attach-agent $sender
    $ns at 0.0 "$application start"
    lappend senders $sender
}

proc finish {senders} {
    lassign {0 0 0} sent acknowledged again
    foreach sender $senders {
        incr sent [$sender set ndatapack_]
        incr acknowledged [expr {[$sender set ack_] + 1}]
        incr again [$sender set nrexmitpack_]
    }
    puts "$sent $acknowledged $again"
    exit 0
}

$ns at $seconds "finish {$senders}"
$ns run
