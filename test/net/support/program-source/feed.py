#!/usr/bin/python3
"""
Stands for a program that speaks a network's own protocol: it feeds a TUN device in one network namespace. What a consumer
sends into the device FEED in its own namespace comes out of DEVICE, and the answers go the other way. Says "ready" once
both are open, and ends with its standard input, or when a device is taken away.

  feed.py NETNS DEVICE FEED-NETNS FEED      a NETNS of "-" is the one that it was started in
"""
import ctypes
import errno
import fcntl
import os
import select
import struct
import sys

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


def open_device(netns, name):
    """An open device stays where it was opened, whatever namespace its process goes to."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    if netns != "-":
        there = os.open("/run/netns/" + netns, os.O_RDONLY)
        if libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "entering " + netns)
        os.close(there)
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN | IFF_NO_PI))
    libc.setns(home, CLONE_NEWNET)
    os.close(home)
    return device


def carry(source, target):
    packet = os.read(source, 65535)
    try:
        os.write(target, packet)
    except OSError:
        pass  # a device that is down takes nothing, and neither does one of other packets


def main():
    netns, name, feed_netns, feed_name = sys.argv[1:]
    device, feed = open_device(netns, name), open_device(feed_netns, feed_name)
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([0, device, feed], [], [])
        if 0 in readable and not os.read(0, 4096):
            return
        if device in readable:
            carry(device, feed)
        if feed in readable:
            carry(feed, device)


try:
    main()
except OSError as error:
    # The device was taken away: that is an end, not a failure.
    if error.errno != errno.EBADFD:
        sys.exit("feed.py: %s" % error)
