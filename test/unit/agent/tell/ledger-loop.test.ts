import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { openState } from '../../../../src/agent/state.ts';
import { createEarnedSums } from '../../../../src/agent/tell/earned-sums.ts';
import { createLedgerLoop, type LedgerLoopParts } from '../../../../src/agent/tell/ledger-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import type { HistoryQuestion, HistoryRow } from '../../../../src/report/history.ts';
import { pickFigures } from '../../../../src/report/ledger-figures.ts';
import { appendLines } from '../../../../src/report/ledger-files.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import type { ServiceClient } from '../../../../src/service/client.ts';
import { profiles } from '../../../../src/service/profiles.ts';
import { writeFileAtomic } from '../../../../src/system/files.ts';
import { createLedgerWorld, dayMs, hourMs, startMs } from '../../report/ledger-world.ts';

const now = () => new Date();
const { signal } = new AbortController();
const config = configSchema.parse({
  service: { base_url: 'https://service.example' },
  provide: { time_zone: 'UTC' },
});

/** What the service says of the last days, as it says it. */
const answerAbout = {
  lookback: 168,
  createdTime: undefined,
  uptime: { '2026-05-03-23': 60, '2026-05-04-00': 45 },
  transferData: { '2026-05-03': 2, '2026-05-04': 0.5 },
  payout: { '2026-05-04': 0.25 },
  searchInterest: {},
  contracts: {},
  clients: {},
  clientDetails: [],
  error: undefined,
};

async function createAgent(
  answer: () => Promise<unknown> = async () => answerAbout,
  change: Partial<LedgerLoopParts> = {},
) {
  const world = await createLedgerWorld();
  const onSetAside = () => undefined;
  const { state, sections, usage, facts } = await openState({
    config,
    directory: world.directory,
    onSetAside,
    now,
  });
  sections.service.registration = { clientId: 'client-1' } as never;
  sections.service.token = new Secret('a.token.here');
  const calls: unknown[] = [];
  const call = async (...given: unknown[]) => {
    calls.push(given.slice(0, 2));
    return answer();
  };
  const lines: string[] = [];
  const ledger = createLedgerLoop({
    directory: world.directory,
    ledger: sections.ledger,
    state,
    client: { call: call as ServiceClient['call'] },
    profile: profiles.documented,
    facts,
    log: createLogger(config.log, {
      isTty: false,
      destination: { write: (line) => lines.push(line) },
    }),
    now,
    random: () => 0.5,
    ...change,
  });
  // What `runLoop` does first.
  vi.advanceTimersByTime(ledger.firstAfterMs);
  let bytes = 0;
  return {
    ...world,
    calls,
    lines,
    ledger,
    section: sections.ledger,
    /** An hour of an earlier day, in which something was counted. */
    fillDay: (day: string) =>
      appendLines(world.directory, [{ start: `${day}T10:00Z`, ...pickFigures({ upBytes: 1 }) }]),
    /** One pass of the data path, and one tick of the ledger after the time that it asked for. */
    async pass(grownBytes: number) {
      bytes += grownBytes;
      usage.take({ up: { packets: 0, bytes }, down: { packets: 0, bytes: 0 } });
      await usage.keep();
      const waitMs = await ledger.tick(signal);
      vi.advanceTimersByTime(waitMs);
      return waitMs;
    },
  };
}

describe('the ledger of a running agent', () => {
  test('waits until the start is over, each device for another time, then reads every 15 seconds', async () => {
    const { pass, ledger } = await createAgent();
    expect([ledger.firstAfterMs, await pass(0), await pass(0)]).toEqual([10_500, 15_000, 15_000]);
  });

  test('tells which of its parts an upgrade took away, and ends without it', async () => {
    const facts = () => {
      throw Object.assign(new Error("Cannot find module './ledger.cjs'"), {
        code: 'MODULE_NOT_FOUND',
      });
    };
    const { pass, ledger, lines } = await createAgent(undefined, { facts });
    await expect(pass(100)).rejects.toThrow('Cannot find module');
    expect(lines.filter((line) => line.includes('Cannot find module'))).toEqual([]);
    await ledger.close();
    expect(lines.filter((line) => line.includes('Cannot find module'))).toHaveLength(1);
  });

  test("keeps the service's hours and days beside ours, asked for four times a day", async () => {
    const { pass, calls, ledger, path } = await createAgent();
    for (let round = 0; round < (24 * 3600) / 15; round += 1) await pass(100);
    await ledger.close();
    expect(calls).toHaveLength(4);
    expect(calls[0]).toEqual(['providerLastN', { clientId: 'client-1', lastN: 168 }]);
    const hours = await ledger.history({ unit: 'hour', sinceMs: startMs });
    expect(hours[0]).toMatchObject({
      startMs,
      serviceOnlineSeconds: 2700,
      serviceBytes: undefined,
    });
    expect(hours[1]).toMatchObject({ serviceOnlineSeconds: undefined });
    const [day] = await ledger.history({ unit: 'day', sinceMs: startMs });
    expect(hours[0]?.serviceUntilMs).toBe(startMs + hourMs);
    expect(day?.serviceUntilMs).toBeLessThan(startMs + dayMs);
    expect(day).toMatchObject({
      serviceOnlineSeconds: 2700,
      serviceBytes: 2 ** 29,
      servicePayoutUsdc: 0.25,
    });
    const lines = (await readFile(path, 'utf8'))
      .split('\n')
      .filter((line) => line.includes('serviceOnlineSeconds'));
    const countLines = (start: string) =>
      lines.filter((line) => line.includes(`"start":"${start}"`)).length;
    const starts = ['2026-05-03', '2026-05-03T23:00Z', '2026-05-04T00:00Z', '2026-05-04'];
    // What is over is written once though it was said four times; what runs is not the whole, until
    // it is over.
    expect(starts.map(countLines)).toEqual([1, 1, 2, 4]);
  });

  test('makes no file for hours and days that it did not ask for, or that there are not', async () => {
    const made = {
      '1999-05-04-00': 60,
      '2999-05-04-00': 60,
      '2026-05-04-24': 60,
      '2026-05-04-xx': 60,
      '2026': 60,
    };
    const { pass, directory, ledger } = await createAgent(async () => ({
      ...answerAbout,
      uptime: { ...answerAbout.uptime, ...made },
      transferData: { '2999-01-01': 1, '1969-01-01': 1, '../2026': 1, '2026-05-04': -1 },
    }));
    for (let round = 0; round < 2400 / 15; round += 1) await pass(100);
    await ledger.close();
    const files = await readdir(join(directory, 'ledger'));
    expect(files).toEqual(['2026-05.jsonl']);
    const lines = (await readFile(join(directory, 'ledger', '2026-05.jsonl'), 'utf8'))
      .trim()
      .split('\n');
    const starts = new Set(lines.map((line) => JSON.parse(line).start));
    expect([...starts].toSorted()).toEqual([
      '2026-05-03',
      '2026-05-03T23:00Z',
      '2026-05-04',
      '2026-05-04T00:00Z',
    ]);
    const [day] = await ledger.history({ unit: 'day', sinceMs: startMs });
    expect(day).toMatchObject({ serviceBytes: undefined });
  });

  test('adds up what the service paid this month, also after a restart, and begins again with the next', async () => {
    const payout = { '2026-04-30': 9, '2026-05-01': 1, '2026-05-03': 2, '2026-05-04': 0.25 };
    const { pass, ledger, section, fillDay } = await createAgent(async () => ({
      ...answerAbout,
      payout,
    }));
    for (const day of ['2026-04-30', '2026-05-01', '2026-05-03']) await fillDay(day);
    for (let round = 0; round < 1200 / 15; round += 1) await pass(100);
    expect(section.monthUsdc).toBe(3.25);
    expect(section.total).toEqual({ usdc: 12.25, since: new Date('2026-04-30T00:00:00Z') });
    await ledger.close();
    vi.setSystemTime(Date.UTC(2026, 5, 1, 0, 1));
    await pass(100);
    expect(section.monthUsdc).toBeUndefined();
  });

  test('reads what was paid a month at a time, and months that are over once', async () => {
    const asked: HistoryQuestion[] = [];
    const paid = { '2026-02-03': 4, '2026-03-31': 2, '2027-03-01': 1 };
    let atMs = 0;
    const sumsOf = createEarnedSums(async (question) => {
      asked.push(question);
      const { sinceMs, untilMs = Number.POSITIVE_INFINITY } = question;
      return Object.entries(paid).flatMap(([day, usdc]) => {
        const startMs = Date.parse(day);
        const row = { startMs, ...pickFigures({}), servicePayoutUsdc: usdc } as HistoryRow;
        return startMs >= sinceMs && startMs < Math.min(untilMs, atMs) ? [row] : [];
      });
    }, 7 * dayMs);
    const addUp = (nowMs: number) => {
      atMs = nowMs;
      return sumsOf(nowMs);
    };
    expect(await addUp(Date.UTC(2026, 3, 2))).toEqual({
      monthUsdc: undefined,
      total: { usdc: 6, since: new Date('2026-02-03') },
    });
    const longest = asked.slice(0, -1).map(({ sinceMs, untilMs = 0 }) => untilMs - sinceMs);
    expect([longest.length, Math.max(...longest)]).toEqual([3, 31 * dayMs]);
    await addUp(Date.UTC(2026, 3, 2));
    expect(asked.slice(4).map(({ sinceMs }) => new Date(sinceMs).getUTCMonth())).toEqual([2, 3]);
    expect(await addUp(Date.UTC(2028, 2, 1))).toMatchObject({ monthUsdc: undefined });
    expect((await addUp(Date.UTC(2028, 2, 1)))?.total?.usdc).toBe(7);
    expect(await addUp(0)).toBeUndefined();
  });

  test('goes on where the service does not answer, and asks again within the hour or so', async () => {
    const { pass, calls, ledger, lines } = await createAgent(async () => {
      throw new Error('no answer');
    });
    for (let round = 0; round < (6 * 3600) / 15; round += 1) await pass(100);
    expect(calls).toHaveLength(6);
    expect(await ledger.history({ unit: 'hour', sinceMs: 0 })).toHaveLength(6);
    expect(lines).toEqual([]);
  });

  test('says once that it cannot be kept', async () => {
    const { pass, lines, directory, ledger } = await createAgent();
    await pass(0);
    await rename(directory, `${directory}-away`);
    for (let round = 0; round < 4; round += 1) {
      vi.advanceTimersByTime(hourMs);
      await ledger.tick(signal);
    }
    await rename(`${directory}-away`, directory);
    await pass(0);
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(['the ledger is not kept']);
    expect(await ledger.history({ unit: 'hour', sinceMs: 0 })).not.toEqual([]);
  });

  test('with the state files wears out no card: at rest at most 256 KB are written a day', async () => {
    const { pass, directory, path, ledger } = await createAgent();
    const readWritten = async () =>
      Number(/^write_bytes: (\d+)/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
    await pass(0);
    await pass(1);
    const writeForADay = async () => {
      const before = await readWritten();
      for (let round = 0; round < dayMs / 15_000; round += 1) await pass(500);
      // The registration, with a fresh token, is the one other file that is written at rest: once a
      // day.
      await writeFileAtomic(join(directory, 'registration.json'), 'x'.repeat(5000));
      return (await readWritten()) - before;
    };
    // A page that a busy disk takes between two changes counts twice: the least of three days is
    // the agent's own.
    const written = Math.min(await writeForADay(), await writeForADay(), await writeForADay());
    await ledger.close();
    expect(written).toBeLessThanOrEqual(256_000);
    // A month of such days is shorter than the file that would be written again.
    expect(((await stat(path)).size / 3) * 31).toBeLessThan(512 * 1024);
  });
});
