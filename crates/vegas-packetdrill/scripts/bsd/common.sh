#!/bin/sh
# What the scripts of this folder set of a host, by the controls of Linux: `vegaslab packetdrill` knows no others.
sysctl -q net.ipv4.tcp_congestion_control=newreno
sysctl -q net.ipv4.tcp_timestamps=0
sysctl -q net.ipv4.tcp_sack=1
