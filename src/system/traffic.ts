import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../lib/attempt.ts';

/*
 * The kernel answers from memory, so these are read in place: the way through another thread costs
 * ten times as much.
 */

/** What an interface carried since it was made. */
export interface Carried {
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly packets: number;
}

/**
 * The counters of an interface of this network namespace; undefined for a name that no interface
 * has.
 */
export function readCarried(name: string, path = '/proc/self/net/dev'): Carried | undefined {
  const lines = (attempt(() => readFileSync(path, 'utf8')) ?? '').split('\n');
  const line = lines.find((each) => each.trimStart().startsWith(`${name}:`));
  const [, numbers = ''] = line?.split(':') ?? [];
  const counts = numbers.trim().split(/\s+/).map(Number);
  const [rxBytes = 0, rxPackets = 0, , , , , , , txBytes = 0, txPackets = 0] = counts;
  const carried = { rxBytes, txBytes, packets: rxPackets + txPackets };
  return counts.length >= 16 && Object.values(carried).every(Number.isSafeInteger)
    ? carried
    : undefined;
}

/** How often (ms) the cards are listed again, to find a new one. */
const lookMs = 60_000;

/**
 * Counts the bytes that the machine's network cards received and sent, as far as this process can
 * see the cards; undefined if it sees none.
 */
export function createHardwareReader(directory = '/sys/class/net'): () => number | undefined {
  let cards: readonly string[] = [];
  let untilMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() >= untilMs) {
      untilMs = performance.now() + lookMs;
      const names = attempt(() => readdirSync(directory)) ?? [];
      cards = names.filter((name) => existsSync(join(directory, name, 'device/uevent')));
    }
    const own = cards.map((name) => readCount(directory, name)).filter(Number.isSafeInteger);
    return own.length === 0 ? undefined : own.reduce((sum, bytes) => sum + bytes);
  };
}

function readCount(directory: string, name: string): number {
  const read = (file: string) =>
    Number(readFileSync(join(directory, name, 'statistics', file), 'utf8'));
  return attempt(() => read('rx_bytes') + read('tx_bytes')) ?? Number.NaN;
}
