import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createSections } from '../../../../src/agent/create-sections.ts';
import { createAnnounceLoop } from '../../../../src/agent/talk/announce-loop.ts';
import { createReport, type ReportParts } from '../../../../src/agent/tell/report-loop.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { TributaryError } from '../../../../src/errors/codes.ts';
import type { Facts } from '../../../../src/health/facts.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { createWakeup } from '../../../../src/lib/wakeup.ts';
import type { HistoryQuestion } from '../../../../src/report/history.ts';
import { createLogger } from '../../../../src/report/logger.ts';
import type { ServiceClient } from '../../../../src/service/client.ts';
import { type ProvideMode, profiles } from '../../../../src/service/profiles.ts';
import { consumersSource, createFacts } from '../../../../tools/docs/sample-facts.ts';
import { makeHistoryRow } from '../../../../tools/docs/sample-history-row.ts';

const config = configSchema.parse({
  service: { base_url: 'https://service.example' },
  provide: { mode: 'friends' },
});
const profile = profiles.documented;
const { signal } = new AbortController();
const nowMs = Date.parse('2026-05-04T12:40:00Z');

interface World {
  readonly isSignedIn?: boolean;
  /** What the service does when it is asked for the providers. */
  readonly answer?: () => unknown;
  readonly history?: ReportParts['history'];
  /** What it does when it is asked for what it pays out for. */
  readonly provided?: () => unknown;
  readonly sources?: Facts['sources'];
}

/** An agent that provides to friends, which its service confirmed. */
function startAgent({
  isSignedIn = true,
  answer = () => ({ providers: [] }),
  history,
  provided = () => ({}),
  sources,
}: World = {}) {
  const sections = createSections(config, new Date(0));
  sections.service.registration = { clientId: 'ours', showsProduction: false } as never;
  if (isSignedIn) sections.service.token = new Secret('network-jwt');
  sections.mode.decision = { permit: true, mode: 'friends', reasons: [], devices: [] };
  let confirmed: ProvideMode | undefined = 'friends';
  const confirmedMode = {
    current: () => confirmed,
    note: async (mode: ProvideMode | undefined) => {
      confirmed = mode;
    },
  };
  const wakeups = { announce: createWakeup(), dataPath: createWakeup() };
  const calls: string[] = [];
  const call = async (name: string, request: { readonly provideMode: number } | undefined) => {
    calls.push(name);
    if (name === 'providers') return answer();
    if (name === 'transferStats') return provided();
    return name === 'clients' ? { clients: [] } : request;
  };
  const client = { call: call as unknown as ServiceClient['call'] };
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ level: 'info', format: 'json' }, { isTty: false, destination });
  let facts = createFacts(sources ? { sources } : {});
  const shared = { state: sections, confirmedMode, client, profile, now: () => new Date(nowMs) };
  const { figures } = sections;
  const report = createReport({ ...shared, figures, wakeups, history, facts: () => facts, log });
  const state = { ...sections, overrides: { current: () => undefined } };
  const announce = createAnnounceLoop({
    ...shared,
    state,
    announcement: sections.announcement,
    wakeups,
    random: () => 0,
  });
  return {
    figures: sections.figures,
    confirmedMode,
    calls,
    lines,
    report: () => report(signal),
    announce: () => announce.tick(signal),
    /** True when the loop that announces the mode was notified: then its wait is over at once. */
    async isAnnounceNotified() {
      const stop = new AbortController();
      const notified = wakeups.announce.wait(60_000, stop.signal).then(() => true);
      const isNotified = await Promise.race([notified, setImmediate(false)]);
      stop.abort();
      return isNotified;
    },
    forward(up: number) {
      const before = facts.gateway.forwardedBytes?.up ?? 0;
      facts = createFacts({ gateway: { forwardedBytes: { up: before + up, down: 0 } } }, facts);
    },
  };
}

const listAs = (mode: ProvideMode | undefined) => () => ({
  providers: [
    { clientId: 'another', provideMode: profile.modeNumbers.public, transferDataLast24h: 9 },
    {
      clientId: 'ours',
      ...(mode && { provideMode: profile.modeNumbers[mode] }),
      transferDataLast24h: 1,
    },
  ],
});

describe('a report', () => {
  test('takes what the service counted for this client, and only that', async () => {
    const agent = startAgent({ answer: listAs('friends') });
    await agent.report();
    expect(agent.figures.service?.at).toEqual(new Date(nowMs));
    expect(agent.figures.service).toMatchObject({
      transferredBytes: 1024 ** 3,
      provideMode: 'friends',
    });
  });

  test('sets beside it what was forwarded here up to the moment at which the service counted', async () => {
    const startMs = (time: string) => Date.parse(`2026-05-${time}Z`);
    const asked: HistoryQuestion[] = [];
    const agent = startAgent({
      answer: () => ({ ...listAs('friends')(), createdTime: '2026-05-04T12:10:00Z' }),
      history: async (question) => {
        asked.push(question);
        return [
          makeHistoryRow({ startMs: startMs('03T11:00:00'), upBytes: 1 }),
          makeHistoryRow({ startMs: startMs('03T12:00:00'), upBytes: 600, downBytes: 6 }),
          makeHistoryRow({ startMs: startMs('04T11:00:00'), upBytes: 10_000 }),
          makeHistoryRow({ startMs: startMs('04T12:00:00'), upBytes: 400_000 }),
        ];
      },
    });
    await agent.report();
    // Fifty minutes of its first hour, and ten of the forty that the running one has.
    expect(agent.figures.service).toMatchObject({
      at: new Date('2026-05-04T12:10:00Z'),
      hereBytes: 505 + 110_000,
    });
    expect(asked).toEqual([{ unit: 'hour', sinceMs: startMs('03T11:10:00') }]);
  });

  test('shows a mode that was changed at the service: ours is not confirmed any more, and is sent again', async () => {
    const agent = startAgent({ answer: listAs('public') });
    await agent.announce();
    expect(agent.calls).toEqual([]);
    await agent.report();
    expect(agent.confirmedMode.current()).toBe('public');
    expect(await agent.isAnnounceNotified()).toBe(true);
    await agent.announce();
    expect(agent.calls).toContain('setProvide');
    expect(agent.confirmedMode.current()).toBe('friends');
  });

  test.each([
    { claim: 'shows the same mode', mode: 'friends' },
    { claim: 'says nothing of the mode', mode: undefined },
  ] as const)('of a service that $claim leaves it confirmed', async ({ mode }) => {
    const agent = startAgent({ answer: listAs(mode) });
    await agent.report();
    expect(agent.confirmedMode.current()).toBe('friends');
    expect(await agent.isAnnounceNotified()).toBe(false);
  });

  test('of a service that does not answer is logged with the figures that it gave before', async () => {
    let isDown = false;
    const list = listAs('friends');
    const agent = startAgent({
      answer: () => {
        if (isDown) throw new TributaryError('service-unreachable', 'no route to host');
        return list();
      },
    });
    await agent.report();
    isDown = true;
    await agent.report();
    expect(agent.lines).toHaveLength(2);
    expect(agent.figures.service?.transferredBytes).toBe(1024 ** 3);
    expect(agent.confirmedMode.current()).toBe('friends');
  });

  test('is logged without a sign-in too, and then asks nobody', async () => {
    const agent = startAgent({ isSignedIn: false });
    await agent.report();
    expect(agent.calls).toEqual([]);
    expect(JSON.parse(agent.lines[0] ?? '')).toMatchObject({
      message: 'report',
      phase: expect.any(String),
    });
  });

  test('counts from the report before it', async () => {
    const agent = startAgent();
    await agent.report();
    agent.forward(1_000);
    await agent.report();
    agent.forward(20);
    await agent.report();
    expect(agent.lines.slice(1).map((line) => JSON.parse(line).since.forwardedUpBytes)).toEqual([
      1_000, 20,
    ]);
  });
});

describe('what the service pays out for', () => {
  const sources = [consumersSource];

  test('is asked for beside a source that counts its consumers, and by no other device', async () => {
    const provided = () => ({ paidBytesProvided: 700, unpaidBytesProvided: 30 });
    const agent = startAgent({ provided, sources });
    await agent.report();
    expect(agent.figures.provided).toEqual({
      paidBytes: 700,
      unpaidBytes: 30,
      at: new Date(nowMs),
    });
    const other = startAgent({ provided });
    await other.report();
    expect(other.calls).not.toContain('transferStats');
    expect(other.figures.provided).toBeUndefined();
  });

  test('stays unknown where the service does not serve it, and nothing else is lost', async () => {
    const agent = startAgent({
      provided: () => {
        throw new TributaryError('operation-not-served', 'not here');
      },
      sources,
    });
    await agent.report();
    expect(agent.figures.provided).toBeUndefined();
    expect(agent.lines).toHaveLength(1);
  });
});
