import { createHouseholdProbe } from '../../src/agent/pass/household-probe.ts';
import type { Ping } from '../../src/system/ping.ts';
import { createRandom, onVirtualTime, type VirtualClock } from './clock.ts';
import type { HerdOptions, HerdShare } from './run-herd.ts';

/*
 * What the household's probe of very many sharing devices adds at the service: the agent's own
 * probe decides, on virtual time. Lines are alike; what differs is who may ping, and who is busy.
 */

/** Of so many devices, one has no ping, or nobody on its way answers it. */
const pinglessOf = 25;
/** Of so many devices, one is above 30 % of its line at any time; the others share less. */
const busyOf = 10;
const probedSeconds = 300;
/** What would be without any ping needs no more than one of so many devices. */
const sampledOf = 10;
/** Devices begin to share at any time in so many seconds before it is counted. */
const beforeSeconds = 30;

/** Connections a second for each thousand devices: it has to be less. */
export const probesGoal = 1;

const lineBits = 20e6;
/** A device stays busy for so long, some of them over and over again. */
const spellSeconds = 30;
/** That devices with a ping connect to nobody needs no long look. */
const pingedSeconds = 40;

const hop = '203.0.113.1';
const { signal } = new AbortController();

/** Who has a ping. */
type Pings = 'most' | 'none';

export interface ProbesRow {
  readonly name: string;
  /** Connections a second at the service, for each thousand devices. */
  readonly mean: number;
  /** In the busiest second. */
  readonly peak: number;
  /** For the mean; undefined where it is only told. */
  readonly goal: number | undefined;
}

/**
 * Connections to the service in each second, by the devices from `first` to before `end`: first
 * with a ping for most of them, then with a ping for none.
 */
export async function countProbes(share: HerdShare): Promise<readonly Uint32Array[]> {
  return [
    await countProbesWith({ pings: 'most', step: 1 }, share),
    await countProbesWith({ pings: 'none', step: sampledOf }, share),
  ];
}

/** The rows of what was counted. */
export function judgeProbes(
  { agents }: Pick<HerdOptions, 'agents'>,
  [most = new Uint32Array(), none = new Uint32Array()]: readonly Uint32Array[],
): readonly ProbesRow[] {
  const toRow = (name: string, counts: Uint32Array, goal: number | undefined): ProbesRow => {
    const all = counts.reduce((sum, count) => sum + count, 0);
    // The row without a goal is of a sample.
    const thousands = agents / (goal === undefined ? sampledOf : 1) / 1000;
    return {
      name,
      mean: all / thousands / counts.length,
      peak: Math.max(...counts) / thousands,
      goal,
    };
  };
  return [
    toRow(`one of ${pinglessOf} without ping`, most, probesGoal),
    toRow('all without ping', none, undefined),
  ];
}

function countProbesWith(
  { pings, step }: { readonly pings: Pings; readonly step: number },
  { seed, first, end }: HerdShare,
): Promise<Uint32Array> {
  const connections = new Uint32Array(probedSeconds);
  return onVirtualTime(async (clock) => {
    const onConnect = () => {
      const second = Math.floor(clock.ms / 1000) - beforeSeconds;
      if (second >= 0 && second < probedSeconds)
        connections[second] = (connections[second] ?? 0) + 1;
    };
    for (let index = first; index < end; index += step) {
      const random = createRandom(seed * 1_000_003 + index * 104_729);
      const hasPing = random() >= 1 / pinglessOf && pings === 'most';
      await driveProbe({ clock, random, hasPing, onConnect });
    }
    return connections;
  });
}

interface Driven {
  readonly clock: VirtualClock;
  readonly random: () => number;
  readonly hasPing: boolean;
  readonly onConnect: () => void;
}

async function driveProbe({ clock, random, hasPing, onConnect }: Driven): Promise<void> {
  let answer = (): void => undefined;
  const ping: Ping = {
    ask: async (_, distance) =>
      distance < 3 ? { kind: 'expired', from: '192.168.1.1' } : { kind: 'expired', from: hop },
    keepAsking(address, onLine) {
      answer = () => onLine({ kind: 'answer', from: address, delayMs: 40 });
      answer();
    },
  };
  const probe = createHouseholdProbe({
    findPing: async () => (hasPing ? ping : { problem: 'missing', message: '' }),
    connect: async () => {
      onConnect();
      return 40;
    },
    resolve: async () => undefined,
    log: { info: () => undefined },
  });
  const startsMs = random() * beforeSeconds * 1000;
  const seconds = hasPing ? pingedSeconds : probedSeconds + beforeSeconds;
  let isBusy = false;
  for (let second = 0; second < seconds; second += 1) {
    clock.ms = startsMs + second * 1000;
    if (second % spellSeconds === 0) isBusy = random() < 1 / busyOf;
    answer();
    await probe.measure(
      {
        loadBits: (hasPing || isBusy ? 0.9 : 0.2) * lineBits,
        lineBits,
        rateBits: lineBits,
        tunnelEnd: '198.51.100.2',
        service: { host: 'service.example', port: 443 },
        router: '192.168.1.1',
      },
      signal,
    );
  }
  probe.end();
}
