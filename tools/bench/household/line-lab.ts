import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import type { Lab } from '../../lab/lab.ts';
import { LabError } from '../../lab/lab-error.ts';
import { addresses } from '../../lab/network.ts';
import { startProcess } from '../../lab/processes.ts';

/** A home's line. Rates are in bits per second; undefined for as fast as the machine is. */
export interface LineTerms {
  readonly downBits?: number | undefined;
  readonly upBits?: number | undefined;
  readonly queueMs?: number;
  /** In ms, to the Internet and back. */
  readonly roundTripMs?: number;
}

/** What the line carried since it was made, in bytes. */
export interface Crossed {
  readonly down: number;
  readonly up: number;
}

export type HomeLine = Awaited<ReturnType<typeof addLine>>;

const home = 'wan0';
const street = 'to-home';

/**
 * Puts a line between the lab's home and its Internet: a rate with a queue at each end, and a delay
 * between.
 */
export async function addLine(
  lab: Lab,
  { downBits, upBits, queueMs = 300, roundTripMs = 40 }: LineTerms,
) {
  const { network } = lab;
  const [homeSide, streetSide] = [network.netns('home'), network.netns('internet')];
  const between = `${homeSide.replace(/home$/, '')}line`;
  const run = (line: string, doing: string) => {
    const [program = '', ...args] = line.split(' ');
    return exec({ program, args, doing });
  };
  for (const line of [
    `netns add ${between}`,
    `-n ${homeSide} link delete ${home}`,
    `link add ${street} netns ${streetSide} type veth peer name far netns ${between}`,
    `link add near netns ${between} type veth peer name ${home} netns ${homeSide}`,
    `-n ${between} link set far up`,
    `-n ${between} link set near up`,
    `-n ${streetSide} address add 203.0.113.1/24 dev ${street}`,
    `-n ${streetSide} link set ${street} up`,
    `-n ${homeSide} address add ${addresses.homeWan}/24 dev ${home}`,
    `-n ${homeSide} link set ${home} up`,
    `-n ${homeSide} route add default via 203.0.113.1`,
  ])
    await run(`ip ${line}`, 'laying the line');
  for (const [host, device] of [
    ['home', home],
    ['internet', street],
  ] as const) {
    // The program between the ends needs whole packets with their checksums.
    const offloads = ['tx', 'tso', 'gso', 'gro'].flatMap((name) => [name, 'off']);
    await network.run(host, 'ethtool', '-K', device, ...offloads);
    const bits = host === 'home' ? upBits : downBits;
    if (bits === undefined) continue;
    const burst = Math.max(10_000, Math.round(bits / 8 / 250));
    const terms = `rate ${bits}bit burst ${burst} limit ${Math.round(((bits / 8) * queueMs) / 1000)}`;
    await network.run(host, 'tc', ...`qdisc add dev ${device} root tbf ${terms}`.split(' '));
  }
  const program = join(__dirname, '../tools/bench/household/delay.py');
  const delay = startProcess({
    argv: [
      'ip',
      'netns',
      'exec',
      between,
      'python3',
      program,
      'near',
      'far',
      String(roundTripMs / 2),
    ],
  });
  await delay.waitForLine((line) => line === 'carrying');
  return {
    async crossed(): Promise<Crossed> {
      const text = await network.run('home', 'cat', '/proc/net/dev');
      const counts = /wan0:\s*(.*)/.exec(text)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
      if (counts.length < 9) throw new LabError('the line has no counters');
      return { down: counts[0] ?? 0, up: counts[8] ?? 0 };
    },
    /**
     * Lines about frames that the program between the ends was too slow to take. With any, the
     * measurement is wrong.
     */
    lost: () => delay.lines.filter((line) => line.startsWith('lost')),
    async remove() {
      delay.kill('SIGKILL');
      await delay.exited;
      await run(`ip netns delete ${between}`, 'removing the line');
    },
  };
}
