import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Packet } from './packet-data.ts';

/** A place where packets are heard, or where they are sent out. */
interface Place {
  readonly name: string;
  readonly netns: string;
  /** Without one: what the sockets of the namespace are handed, or send themselves. */
  readonly interface?: string;
  /** UDP: what a service there is told. */
  readonly port?: number;
  /**
   * Of a place whose sockets are heard: who sends it consumers' packets within a connection of TCP,
   * which is not the packets themselves.
   */
  readonly carrier?: { readonly address: string; readonly port: number };
  /** MAC address of the next hop. */
  readonly to?: string;
}

export interface Heard {
  readonly row: number;
  readonly point: string;
  readonly packets: number;
  /** The first of them in words. */
  readonly looks: readonly string[];
}

interface Step {
  readonly from: string;
  readonly packets: readonly Packet[];
  readonly waitMs?: number;
}

interface SendCommand {
  readonly kind: 'send';
  readonly row: number;
  readonly steps: readonly Step[];
  /** More to know the row by than its mark, in hexadecimal. */
  readonly marks: readonly string[];
  readonly settleMs: number;
  readonly until?:
    | { readonly packet: Packet; readonly from: string; readonly point: string }
    | undefined;
}

interface StreamRow {
  readonly row: number;
  readonly from: string;
  readonly packets: readonly Packet[];
  readonly marks: readonly string[];
}

interface Flood {
  readonly row: number;
  readonly from: string;
  readonly packet: Packet;
  readonly count: number;
  readonly perSecond: number;
  readonly vary: 'source-port' | 'destination-port';
  readonly settleMs: number;
}

/** What was sent, and what of it was heard. */
interface SendResult {
  readonly sent: number;
  readonly heard: readonly Heard[];
}

/** The one process that sends and hears in every namespace of a lab. */
export interface PacketProcess {
  /** A number for so many rows that nothing late of rows before them is heard as. */
  number(rows: number): number;
  open(places: {
    readonly points: readonly Place[];
    readonly ways: readonly Place[];
  }): Promise<void>;
  send(command: Omit<SendCommand, 'kind'>): Promise<SendResult>;
  /** Sends these round and round until it is stopped: how many of each row were sent by then. */
  stream(
    rows: readonly StreamRow[],
    perSecond: number,
  ): Promise<() => Promise<ReadonlyMap<number, number>>>;
  flood(command: Flood): Promise<SendResult>;
  /** What was heard that no answer has named yet. */
  heard(): Promise<readonly Heard[]>;
  stop(): Promise<void>;
}

/** The Python that Debian's scapy is installed for: another may come first in the PATH. */
const python = '/usr/bin/python3';

/** True where that Python has scapy. */
export function hasScapy(): boolean {
  return spawnSync(python, ['-c', 'import scapy']).status === 0;
}

/** Starts it. @throws where scapy is not installed */
export async function startPacketProcess(): Promise<PacketProcess> {
  const child = spawn(python, [join(import.meta.dirname, 'packets.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { ask, ended } = listen(child);
  let numbered = 0;
  return {
    number(rows) {
      const first = numbered + 1;
      numbered += rows;
      return first;
    },
    async open(places) {
      await ask({ kind: 'open', ...places });
    },
    send: async (command) => (await ask({ kind: 'send', ...command })) as SendResult,
    async stream(rows, perSecond) {
      await ask({ kind: 'stream', rows, perSecond });
      return async () => {
        const { sent } = (await ask({ kind: 'stream', stop: true })) as {
          sent: readonly { row: number; packets: number }[];
        };
        return new Map(sent.map(({ row, packets }) => [row, packets]));
      };
    },
    flood: async (command) => (await ask({ kind: 'flood', ...command })) as SendResult,
    heard: async () => (await ask({ kind: 'heard' })) as readonly Heard[],
    async stop() {
      child.stdin?.end();
      await ended;
    },
  };
}

type Waiting = {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
};

function listen(child: ChildProcess) {
  const waiting = new Map<number, Waiting>();
  let next = 0;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      for (const { reject } of waiting.values())
        reject(new Error(`${python} test/attack/packets.py ended`));
      waiting.clear();
      resolve();
    };
    child.once('error', end);
    child.once('close', end);
  });
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line) as {
        id: number;
        result?: unknown;
        error?: string;
      };
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(`test/attack/packets.py: ${error}`));
    });
  }
  const ask = (command: object) =>
    new Promise<unknown>((resolve, reject) => {
      next += 1;
      waiting.set(next, { resolve, reject });
      child.stdin?.write(`${JSON.stringify({ id: next, command })}\n`);
    });
  return { ask, ended };
}
