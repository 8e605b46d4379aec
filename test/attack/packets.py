#!/usr/bin/python3
"""
Sends crafted packets into the network namespaces of a lab, and hears where they come out. Reads commands as JSON lines,
answers each with one line {"id", "result"} or {"id", "error"}; ends with its standard input. Needs scapy (Debian:
python3-scapy).

  open   {"points": [{"name", "netns", "interface"?, "port"?, "carrier"?}]}  with an interface: frames that arrive on it; with a port: what
                                                          a service on this UDP port is told; without: what sockets are handed
         {"ways": [{"name", "netns", "interface", "to"?}]}  where packets are sent out; "to": the next hop's MAC address
  send   {"row", "steps": [{"from", "packets", "waitMs"}], "marks", "settleMs", "until"?}
                                                          "until": {"packet", "from", "point"}: heard after the row's own packets;
                                                          "SEEN" in a later step: the source port that the router saw last
  stream {"rows": [{"row", "from", "packets", "marks"}], "perSecond"} and {"stop": true}: round and round, until stopped
  flood  {"from", "packet", "count", "perSecond", "vary"} one packet many times, its source port or addresses counted up
  heard  {}                                               what was heard of each row since it was asked last
"""
import ctypes
import json
import os
import select
import socket
import struct
import sys
import threading
import time

import scapy.layers.inet as inet
import scapy.layers.inet6 as inet6
import scapy.layers.l2 as l2
import scapy.layers.sctp as sctp
from scapy.packet import Packet, Raw
from scapy.utils import checksum

LAYERS = {
    name: kind
    for module in (inet, inet6, l2, sctp)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Packet)
}
LAYERS["Raw"] = Raw
# Eight bytes that every packet of a row carries, and that come out again in translated packets and in errors about them.
MAGIC = b"\xa7TRB"
EVERY_FRAME = 3
RAW_PROTOCOLS = {
    socket.AF_INET: [1, 2, 4, 6, 17, 33, 41, 47, 50, 51, 115, 132, 136, 254],
    socket.AF_INET6: [4, 6, 17, 33, 41, 47, 50, 58, 115, 132, 136, 254],
}
libc = ctypes.CDLL(None, use_errno=True)


def to_mark(row, step):
    return MAGIC + struct.pack("!HBB", row, step, 0xA7)


def in_netns(netns, act):
    """Sockets stay in the namespace that they were made in."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open("/run/netns/" + netns, os.O_RDONLY)
    try:
        if libc.setns(there, 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), "entering " + netns)
        return act()
    finally:
        libc.setns(home, 0x40000000)
        os.close(home)
        os.close(there)


def listen_on(interface):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_FRAME))
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    opened.bind((interface, EVERY_FRAME))
    return opened


def listen_to_sockets():
    opened = []
    for family, protocols in RAW_PROTOCOLS.items():
        for protocol in protocols:
            try:
                raw = socket.socket(family, socket.SOCK_RAW, protocol)
            except OSError:
                continue
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
            opened.append(raw)
    return opened


def listen_as_service(port):
    service = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    service.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    service.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    service.bind(("::", port))
    return service


class Hearing:
    """What was heard where, by row and step."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}
        self.kinds = {}
        self.more = {}
        self.ports = {}
        self.judged = {}
        self.sockets = {}
        self.poll = select.epoll()
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, name, opened, is_frames, carrier=None):
        opened.setblocking(False)
        self.sockets[opened.fileno()] = (name, opened, is_frames, carrier)
        self.poll.register(opened.fileno(), select.EPOLLIN)

    def mark(self, row, marks):
        with self.lock:
            for mark in marks:
                self.more[bytes.fromhex(mark)] = row

    def run(self):
        while True:
            for number, _ in self.poll.poll():
                name, opened, is_frames, carrier = self.sockets[number]
                for _ in range(64):
                    try:
                        data, address = opened.recvfrom(65535)
                    except OSError:
                        break
                    # What leaves by the interface was sent by this program or by that host itself.
                    if is_frames and address[2] == socket.PACKET_OUTGOING:
                        continue
                    if carrier is not None and is_carried(data, carrier):
                        continue
                    self.take(name, data, is_frames)

    def take(self, name, data, is_frames):
        found, step = self.find(data)
        if found is None:
            return
        if name == "router":
            self.ports[found] = read_source_port(data)
        # Of a row of several turns the last is judged: those before it may be answered.
        if step is not None and step != self.judged.get(found, step):
            return
        with self.lock:
            self.counts[(found, name)] = self.counts.get((found, name), 0) + 1
            kinds = self.kinds.setdefault((found, name), [])
            if len(kinds) < 3:
                kinds.append(describe(data, is_frames))

    def find(self, data):
        at = data.find(MAGIC)
        while at >= 0:
            if len(data) >= at + 8 and data[at + 7] == 0xA7:
                return struct.unpack("!HB", data[at + 4 : at + 7])
            at = data.find(MAGIC, at + 1)
        for mark, row in self.more.items():
            if mark in data:
                return row, None
        return None, None

    def count(self, row, name):
        with self.lock:
            return self.counts.get((row, name), 0)

    def drain(self, row=None):
        """Counts by row and point, which begin at zero again."""
        with self.lock:
            found = [
                {"row": key[0], "point": key[1], "packets": packets, "looks": self.kinds.get(key, [])}
                for key, packets in self.counts.items()
                if row is None or key[0] == row
            ]
            for one in found:
                self.counts.pop((one["row"], one["point"]), None)
                self.kinds.pop((one["row"], one["point"]), None)
            return found


def is_carried(data, carrier):
    """True for TCP over IPv4 of the connection within which consumers' packets come, as bytes of a stream."""
    at = (data[0] & 15) * 4
    if data[0] >> 4 != 4 or data[9] != socket.IPPROTO_TCP or len(data) < at + 2:
        return False
    source = (socket.inet_ntoa(data[12:16]), struct.unpack("!H", data[at : at + 2])[0])
    return source == (carrier["address"], carrier["port"])


def read_source_port(frame):
    """Of UDP or TCP without options."""
    at = 14 + (40 if frame[12:14] == b"\x86\xdd" else 20)
    return struct.unpack("!H", frame[at : at + 2])[0] if len(frame) >= at + 2 else 0


def describe(data, is_frames):
    try:
        if not is_frames:
            return "%d bytes handed to a socket" % len(data)
        first = data[0] >> 4
        # A tunnel's frames begin with the IP header.
        kind = {4: inet.IP, 6: inet6.IPv6}.get(first) if data[:2] not in (b"\x45\x00",) else inet.IP
        if len(data) > 14 and data[12:14] in (b"\x08\x00", b"\x86\xdd", b"\x81\x00"):
            kind = l2.Ether
        return (kind or l2.Ether)(data).summary()[:160]
    except Exception as error:  # the packet may be broken on purpose
        return "%d bytes (%s)" % (len(data), error)


def build(value, mark):
    """A packet from data: a list of [name, fields] is layers one in the other; {"layer"} nests; {"hex"} is bytes."""
    if isinstance(value, dict):
        if "hex" in value:
            return bytes.fromhex(value["hex"].replace("MARK", mark.hex()))
        if "layers" in value:
            return build_layers(value["layers"], mark)
        if "each" in value:
            return [build(one, mark) for one in value["each"]]
        if "pair" in value:
            return tuple(build(one, mark) for one in value["pair"])
    if value == "MARK":
        return mark
    return value


def build_layers(layers, mark):
    packet = None
    for name, fields in layers:
        if name not in LAYERS:
            raise ValueError("no layer is called " + name)
        layer = LAYERS[name](**{key: build(value, mark) for key, value in fields.items()})
        packet = layer if packet is None else packet / layer
    return packet


def to_bytes(layers, mark):
    if len(layers) == 1 and layers[0][0] == "Bytes":
        return with_checksum(build(layers[0][1]["load"], mark))
    return bytes(build_layers(layers, mark))


def with_checksum(packet):
    """An IPv4 header that was written by hand."""
    length = (packet[0] & 15) * 4
    header = bytearray(packet[:length])
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack("!H", checksum(bytes(header)))
    return bytes(header) + packet[length:]


class OwnWay:
    """A machine's own packets: they take its way out, with its rules and what it remembers of connections."""

    def __init__(self):
        self.sockets = {
            4: (socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW), socket.IPPROTO_RAW),
            6: (socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW), 0),
        }

    def send(self, packet):
        family = packet[0] >> 4
        opened, port = self.sockets[family]
        address = packet[16:20] if family == 4 else packet[24:40]
        kind = socket.AF_INET if family == 4 else socket.AF_INET6
        opened.sendto(packet, (socket.inet_ntop(kind, address), 0))


class Way:
    """Where packets are sent out."""

    def __init__(self, interface, to):
        self.interface = interface
        self.to = None if to is None else bytes.fromhex(to.replace(":", ""))
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20)
        self.own = None if to is None else self.read_own()

    def read_own(self):
        bound = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        bound.bind((self.interface, 0))
        own = bound.getsockname()[4]
        bound.close()
        return own

    def send(self, packet):
        kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
        frame = packet if self.to is None else self.to + self.own + struct.pack("!H", kind) + packet
        self.socket.sendto(frame, (self.interface, kind))


class Stream(threading.Thread):
    """Sends its packets round and round until it is stopped."""

    def __init__(self, packets, per_second):
        super().__init__(daemon=True)
        self.packets = packets
        self.per_second = per_second
        self.sent = {}
        self.is_over = threading.Event()

    def run(self):
        at = 0
        while not self.is_over.wait(1 / self.per_second):
            row, way, packet = self.packets[at % len(self.packets)]
            at += 1
            try:
                way.send(packet)
                self.sent[row] = self.sent.get(row, 0) + 1
            except OSError:
                pass  # the way may be gone for a moment


class Session:
    def __init__(self):
        self.hearing = Hearing()
        self.ways = {}
        self.stream = None

    def open(self, command):
        for point in command.get("points", []):
            interface = point.get("interface")
            if "port" in point:
                opened = in_netns(point["netns"], lambda: listen_as_service(point["port"]))
                self.hearing.add(point["name"], opened, False)
            elif interface is None:
                for opened in in_netns(point["netns"], listen_to_sockets):
                    self.hearing.add(point["name"], opened, False, point.get("carrier"))
            else:
                opened = in_netns(point["netns"], lambda: listen_on(interface))
                self.hearing.add(point["name"], opened, True)
        for way in command.get("ways", []):
            is_own = "interface" not in way
            make = OwnWay if is_own else lambda: Way(way["interface"], way.get("to"))
            self.ways[way["name"]] = in_netns(way["netns"], make)
        return "open"

    def send(self, command):
        row = command["row"]
        self.hearing.mark(row, command.get("marks", []))
        self.hearing.judged[row] = len(command["steps"]) - 1
        sent = 0
        for number, step in enumerate(command["steps"]):
            seen = self.hearing.ports.get(row, 0)
            packets = json.loads(json.dumps(step["packets"]).replace('"SEEN"', str(seen)))
            built = [to_bytes(layers, to_mark(row, number)) for layers in packets]
            for packet in built:
                self.ways[step["from"]].send(packet)
                sent += 1
            if step.get("waitMs"):
                time.sleep(step["waitMs"] / 1000)
        self.wait_for(command.get("until"))
        time.sleep(command["settleMs"] / 1000)
        return {"sent": sent, "heard": self.hearing.drain(row)}

    def wait_for(self, until):
        """Packets keep their order: when this one is heard, those before it have been dealt with."""
        if until is None:
            return
        row = 65535
        packet = to_bytes(until["packet"], to_mark(row, 0))
        deadline = time.monotonic() + 1
        while self.hearing.count(row, until["point"]) == 0 and time.monotonic() < deadline:
            self.ways[until["from"]].send(packet)
            for _ in range(20):
                time.sleep(0.002)
                if self.hearing.count(row, until["point"]) > 0:
                    break
        self.hearing.drain(row)

    def start_stream(self, command):
        if command.get("stop"):
            self.stream.is_over.set()
            self.stream.join()
            return {"sent": [{"row": row, "packets": count} for row, count in self.stream.sent.items()]}
        packets = []
        for one in command["rows"]:
            self.hearing.mark(one["row"], one.get("marks", []))
            for layers in one["packets"]:
                packets.append((one["row"], self.ways[one["from"]], to_bytes(layers, to_mark(one["row"], 0))))
        self.stream = Stream(packets, command["perSecond"])
        self.stream.start()
        return "streaming"

    def flood(self, command):
        way = self.ways[command["from"]]
        started = time.monotonic()
        sent = 0
        first = to_bytes(command["packet"], to_mark(command["row"], 0))
        for number in range(command["count"]):
            # IPv4 without options, and UDP without a checksum or TCP with a wrong one: nothing but a port changes.
            packet = bytearray(first)
            at = (packet[0] & 15) * 4
            if command["vary"] == "source-port":
                packet[at : at + 2] = struct.pack("!H", 1024 + number % 64000)
            else:
                packet[at + 2 : at + 4] = struct.pack("!H", 1024 + number % 64000)
            try:
                way.send(bytes(packet))
                sent += 1
            except OSError:
                pass
            behind = sent / command["perSecond"] - (time.monotonic() - started)
            if behind > 0.002:
                time.sleep(behind)
        time.sleep(command["settleMs"] / 1000)
        return {"sent": sent, "heard": self.hearing.drain(command["row"])}

    def run(self, command):
        kind = command["kind"]
        if kind == "open":
            return self.open(command)
        if kind == "send":
            return self.send(command)
        if kind == "stream":
            return self.start_stream(command)
        if kind == "flood":
            return self.flood(command)
        if kind == "heard":
            return self.hearing.drain()
        raise ValueError("no command is called " + kind)


def main():
    session = Session()
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"id": asked["id"], "result": session.run(asked["command"])}
        except Exception as error:
            answer = {"id": asked["id"], "error": "%s: %s" % (type(error).__name__, error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


main()
