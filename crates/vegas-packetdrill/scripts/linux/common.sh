#!/bin/sh
# What the scripts of this folder set of a host: `vegaslab packetdrill` reads it, packetdrill carries it out.
ip tcp_metrics flush all
sysctl -q net.ipv4.tcp_congestion_control=cubic
sysctl -q net.ipv4.tcp_timestamps=0
sysctl -q net.ipv4.tcp_sack=1
sysctl -q net.ipv4.tcp_ecn=0
sysctl -q net.ipv4.tcp_rmem="4096 540000 15728640"
sysctl -q net.ipv4.tcp_slow_start_after_idle=0
# the queue of the interface does not pace
tc qdisc replace dev tun0 root pfifo
