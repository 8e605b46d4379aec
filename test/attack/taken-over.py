"""taken-over.py TASK [ARGUMENT...]: one thing that a program with a right over its network does to the network next door. Ends with 0
where the kernel did it, and with 1 and the kernel's words where it refused. NUMBER is what the namespace next door is called here."""
import ctypes
import errno
import os
import socket
import struct
import sys
import time

NEWLINK, DELLINK, GETLINK, NEWNSID, GETNSID = 16, 17, 18, 88, 90
REQUEST, ACK, DUMP, CREATE = 0x1, 0x4, 0x300, 0x600
IFNAME, LINKINFO, TARGET_NETNSID, NETNSA_NSID, NETNSA_PID = 3, 18, 46, 1, 2
ERROR, DONE = 2, 3
library = ctypes.CDLL(None, use_errno=True)


def attribute(kind, content):
    length = 4 + len(content)
    return struct.pack("HH", length, kind) + content + b"\0" * (-length % 4)


def ask(kind, flags, body):
    """Sends one message to the kernel: the first message of its answer. Raises OSError where it refuses."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.bind((0, 0))
        kernel.send(struct.pack("IHHII", 16 + len(body), kind, REQUEST | flags, 1, 0) + body)
        answer = kernel.recv(1 << 20)
    (answered,) = struct.unpack("H", answer[4:6])
    if answered in (ERROR, DONE):
        code = -struct.unpack("i", answer[16:20])[0]
        if code != 0:
            raise OSError(code, os.strerror(code))
    return answered, answer


def link(*attributes):
    return struct.pack("BxHiII", 0, 0, 0, 0, 0) + b"".join(attributes)


def number(text):
    return struct.pack("i", int(text))


def list_links(netns):
    answered, _ = ask(GETLINK, DUMP, link(attribute(TARGET_NETNSID, number(netns))))
    if answered != NEWLINK:
        raise OSError(errno.EPERM, "nothing is listed")


def name_by_process(process):
    of_process = struct.pack("Bxxx", 0) + attribute(NETNSA_PID, number(process))
    try:
        ask(NEWNSID, ACK, of_process + attribute(NETNSA_NSID, number(77)))
    except OSError as error:
        # It has a number here, and keeps that.
        if error.errno != errno.EEXIST:
            raise
    _, answer = ask(GETNSID, 0, of_process)
    # After the two headers comes the one attribute: the number.
    list_links(struct.unpack("i", answer[24:28])[0])


def remove_link(netns, name):
    ask(DELLINK, ACK, link(attribute(IFNAME, name.encode() + b"\0"), attribute(TARGET_NETNSID, number(netns))))


def make_link(netns, name):
    kind = attribute(LINKINFO, attribute(1, b"bridge"))
    ask(NEWLINK, ACK | CREATE, link(attribute(IFNAME, name.encode() + b"\0"), attribute(TARGET_NETNSID, number(netns)), kind))


def run(*command):
    code = os.spawnvp(os.P_WAIT, command[0], command)
    if code != 0:
        sys.exit(code)


def reach_neighbour(netns, index, own, neighbour):
    """An interface on the host's card, with an address of the home's, and a neighbour's answer to it."""
    run("ip", "link", "add", "taken0", "link", f"if{index}", "link-netnsid", netns, "type", "macvlan", "mode", "bridge")
    run("ip", "address", "add", f"{own}/24", "dev", "taken0")
    run("ip", "link", "set", "taken0", "up")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(100):
            sender.sendto(b"anybody?", (neighbour, 9))
            if "lladdr" in os.popen(f"ip neighbour show {neighbour} dev taken0").read():
                return
            time.sleep(0.05)
    sys.exit(f"{neighbour} does not answer")


def enter(path):
    with open(path) as namespace:
        if library.setns(namespace.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


TASKS = {task.__name__: task for task in (list_links, name_by_process, remove_link, make_link, reach_neighbour, enter)}
try:
    TASKS[sys.argv[1]](*sys.argv[2:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")
