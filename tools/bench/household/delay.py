"""delay.py NEAR FAR MILLISECONDS: carries frames between two interfaces of its namespace, each so much later."""

import collections
import mmap
import select
import socket
import struct
import sys
import time

ETH_P_ALL = 3
OUTGOING = 4
SOL_PACKET = 263
PACKET_RX_RING = 5
PACKET_STATISTICS = 6
FRAME_BYTES = 2048
FRAMES = 8192


class Wire:
    """An interface whose frames the kernel puts into memory that both see: enough for a quarter of a second at 400 Mbit/s."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        terms = struct.pack("IIII", FRAME_BYTES * 64, FRAMES // 64, FRAME_BYTES, FRAMES)
        self.socket.setsockopt(SOL_PACKET, PACKET_RX_RING, terms)
        self.ring = mmap.mmap(self.socket.fileno(), FRAME_BYTES * FRAMES)
        self.next = 0
        self.socket.bind((name, 0))
        self.waiting = collections.deque()

    def take(self):
        """The frames that came in since the last time."""
        while True:
            start = self.next * FRAME_BYTES
            status, _, length, at = struct.unpack_from("LIIH", self.ring, start)
            if status & 1 == 0:
                return
            if self.ring[start + 42] != OUTGOING:
                yield bytes(self.ring[start + at : start + at + length])
            struct.pack_into("L", self.ring, start, 0)
            self.next = (self.next + 1) % FRAMES

    def send(self, frame):
        try:
            self.socket.send(frame)
        except OSError:
            pass

    def count_lost(self):
        return struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]


def main():
    near, far, delay = Wire(sys.argv[1]), Wire(sys.argv[2]), float(sys.argv[3]) / 1000
    wires = {near.socket.fileno(): (near, far), far.socket.fileno(): (far, near)}
    poll = select.epoll()
    for number in wires:
        poll.register(number, select.EPOLLIN)
    print("carrying", flush=True)
    told = time.monotonic()
    while True:
        due = min((wire.waiting[0][0] for wire, _ in wires.values() if wire.waiting), default=None)
        poll.poll(1 if due is None else max(0, due - time.monotonic()))
        now = time.monotonic()
        for wire, other in wires.values():
            for frame in wire.take():
                other.waiting.append((now + delay, frame))
        for wire, _ in wires.values():
            while wire.waiting and wire.waiting[0][0] <= now:
                wire.send(wire.waiting.popleft()[1])
        if now > told + 1:
            told = now
            lost = near.count_lost() + far.count_lost()
            if lost > 0:
                print("lost", lost, flush=True)


main()
