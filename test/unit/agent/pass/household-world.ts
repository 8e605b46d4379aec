import { vi } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createHouseholdLoop } from '../../../../src/agent/pass/household-loop.ts';
import type { HouseholdProbe, Probed } from '../../../../src/agent/pass/household-probe.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { createLogger } from '../../../../src/report/logger.ts';

export const service = { host: 'service.example', port: 443 };
export const router = '192.168.1.1';
export const tunnelEnd = '198.51.100.2';

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
  sections.path.observed = { router, sources: [] } as never;
  sections.sources.wireGuard = { tunnel: () => ({ endpoint: `${tunnelEnd}:51820` }) } as never;
  const lines: string[] = [];
  const logs = { write: (line: string) => void lines.push(line) };
  const home = {
    bitsPerSecond: 20e6,
    /** What this device does for itself, bits per second. */
    ownBits: 0,
    delayOf: (): number | undefined => 40,
    /** Whom the delays are measured to; undefined where nobody is asked. */
    place: { kind: 'first-hop', place: '203.0.113.1' } as Omit<Probed, 'delayMs'> | undefined,
    problem: undefined as ReturnType<HouseholdProbe['problem']>,
  };
  const rates: (number | undefined)[] = [];
  const asked: Parameters<HouseholdProbe['measure']>[0][] = [];
  const ends: ('rest' | 'end')[] = [];
  let bytes = { tunnel: 0, card: 0 };
  const { tick } = createHouseholdLoop({
    state: sections as never,
    household: sections.household,
    line: { setRate: async (bits) => rates.push(bits) > 0 },
    probe: {
      measure: async (question) => {
        asked.push(question);
        return home.place && { ...home.place, delayMs: home.delayOf() };
      },
      rest: () => void ends.push('rest'),
      end: () => void ends.push('end'),
      problem: () => home.problem,
    },
    readCarried: () => ({ rxBytes: bytes.tunnel / 2, txBytes: bytes.tunnel / 2, packets: 0 }),
    readHardwareBytes: () => bytes.card,
    log: createLogger(config.log, { isTty: false, destination: logs }),
    now: () => new Date(),
  });
  const pass = async () => {
    const waitMs = await tick(new AbortController().signal);
    // The next answer of a ping comes 100 ms later than it is waited for.
    const goneMs = waitMs === 400 ? 500 : Math.max(waitMs, 1);
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
  return { sections, household: sections.household, home, rates, asked, ends, run, said };
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
