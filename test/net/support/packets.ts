import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process in a namespace that sends packets as they are written, see packets.py. */
export interface Packets {
  /** Sends these by an interface; each as scapy writes it, `IP(src="192.0.2.1")/UDP()`. */
  send(by: string, ...packets: readonly string[]): Promise<void>;
  watch(networkInterface: string): Promise<void>;
  makeTun(name: string): Promise<void>;
  /**
   * Of the frames that arrived where it watches, those that fulfil the condition; `p` is the frame.
   */
  count(condition: string): Promise<number>;
  /** What the expression gives for each of those. */
  values(expression: string, condition: string): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

/** Debian's package python3-scapy, which `npm test` installs where it may. */
export const hasScapy = existsSync('/usr/lib/python3/dist-packages/scapy');

export function startPackets(netns: string): Packets {
  const program = fileURLToPath(new URL('./packets.py', import.meta.url));
  // Debian's own Python has Debian's scapy.
  const child = spawn('ip', ['netns', 'exec', netns, '/usr/bin/python3', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (command: object) => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`packets.py ended; it was asked for ${JSON.stringify(command)}`);
    return JSON.parse(value);
  };
  return {
    send: (by, ...packets) => ask({ send: packets, by }),
    watch: (networkInterface) => ask({ watch: networkInterface }),
    makeTun: (name) => ask({ tun: name }),
    count: async (condition) => (await ask({ values: '1', where: condition })).length,
    values: (values, where) => ask({ values, where }),
    async stop() {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
