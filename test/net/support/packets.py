"""
Sends packets as they are written, from one network namespace, and counts what arrives in it. Takes commands as JSON lines, answers
each with one. Needs scapy (Debian: python3-scapy).

  {"tun": NAME}                        makes a tun interface whose other end is this program
  {"watch": INTERFACE}                 from now on keeps the frames that arrive by it
  {"send": [PACKET, …], "by": NAME}    sends by that interface, or into that tun
  {"values": EXPRESSION, "where": CONDITION}   of each frame kept so far that fulfils the condition; `p` is the frame
"""
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

import scapy.layers.inet as inet
import scapy.layers.inet6 as inet6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

words = {**vars(inet), **vars(inet6), "Ether": Ether, "Raw": Raw}
tuns = {}
frames = []


def tun(name):
    tuns[name] = os.open("/dev/net/tun", os.O_RDWR)
    # TUNSETIFF; IFF_TUN | IFF_NO_PI
    fcntl.ioctl(tuns[name], 0x400454CA, struct.pack("16sH", name.encode(), 0x1001))
    subprocess.run(["ip", "link", "set", name, "up"], check=True)


def open_socket(interface):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    opened.bind((interface, 3))
    return opened


def watch(interface):
    opened = open_socket(interface)

    def keep():
        while True:
            data, address = opened.recvfrom(65535)
            if address[2] != socket.PACKET_OUTGOING:
                frames.append(data)

    threading.Thread(target=keep, daemon=True).start()


def send(packets, by):
    for text in packets:
        packet = bytes(eval(text, words))
        if by in tuns:
            os.write(tuns[by], packet)
        else:
            with open_socket(by) as opened:
                opened.send(packet)


def list_values(expression, condition):
    # What was sent before has arrived; a moment is for the thread's reading.
    time.sleep(0.1)
    kept = [{**words, "p": Ether(frame)} for frame in list(frames)]
    return [eval(expression, own) for own in kept if eval(condition, own)]


for line in sys.stdin:
    command = json.loads(line)
    result = None
    if "tun" in command:
        tun(command["tun"])
    elif "watch" in command:
        watch(command["watch"])
    elif "send" in command:
        send(command["send"], command["by"])
    else:
        result = list_values(command["values"], command["where"])
    print(json.dumps(result), flush=True)
