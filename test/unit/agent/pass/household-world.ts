import { vi } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createHouseholdLoop } from '../../../../src/agent/pass/household-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import type { ProbeTarget } from '../../../../src/system/line-probe.ts';

export const service = { host: 'service.example', port: 443 };
export const router = { host: '192.168.1.1', port: 53 };

interface Setting {
  readonly provide?: object;
  readonly baseUrl?: string;
}

/**
 * A loop beside a line that carries `bitsPerSecond` of what is shared, or as much as the loop lets
 * it.
 */
export function start({ provide = {}, baseUrl = 'https://service.example' }: Setting = {}) {
  const config = configSchema.parse({ service: { base_url: baseUrl }, provide });
  const sections = createSections(config, new Date(0));
  sections.mode.decision = { permit: true, mode: 'public', reasons: [], devices: [] };
  sections.sources.all = [{ driver: { device: 'tributary0' } }] as never;
  sections.path.observed = { router: router.host, sources: [] } as never;
  const lines: string[] = [];
  const logs = { write: (line: string) => void lines.push(line) };
  const home = {
    bitsPerSecond: 20e6,
    /** What this device does for itself, bits per second. */
    ownBits: 0,
    delayOf: (_: ProbeTarget): number | undefined => 40,
  };
  const rates: (number | undefined)[] = [];
  const asked: ProbeTarget[] = [];
  let bytes = { tunnel: 0, card: 0 };
  const { tick } = createHouseholdLoop({
    state: sections as never,
    household: sections.household,
    line: { setRate: async (bits) => rates.push(bits) > 0 },
    probe: async (target) => {
      asked.push(target);
      return home.delayOf(target);
    },
    readCarried: () => ({ rxBytes: bytes.tunnel / 2, txBytes: bytes.tunnel / 2, packets: 0 }),
    readHardwareBytes: () => bytes.card,
    log: createLogger(config.log, { isTty: false, destination: logs }),
    now: () => new Date(),
  });
  const pass = async () => {
    const waitMs = await tick(new AbortController().signal);
    const goneMs = Math.max(waitMs, 1);
    const sharedBits = Math.min(home.bitsPerSecond, rates.at(-1) ?? Number.POSITIVE_INFINITY);
    const shared = (sharedBits * goneMs) / 8000;
    bytes = {
      tunnel: bytes.tunnel + shared,
      card: bytes.card + 2 * shared + (home.ownBits * goneMs) / 8000,
    };
    vi.advanceTimersByTime(goneMs);
    return waitMs;
  };
  const run = async (count: number) => {
    const waits: number[] = [];
    for (let index = 0; index < count; index += 1) waits.push(await pass());
    return waits;
  };
  const said = () => lines.map((line) => JSON.parse(line).message);
  return { sections, household: sections.household, home, rates, asked, run, said };
}

export type World = ReturnType<typeof start>;

/** A home whose line was found, and where the household has come: the share yields. */
export async function startYielding() {
  const world = start();
  const wait = async (delayMs: number, count: number) => {
    world.home.delayOf = () => delayMs;
    await world.run(count);
  };
  await wait(40, 20);
  await wait(60, 2);
  await wait(40, 14);
  await wait(300, 20);
  return world;
}
