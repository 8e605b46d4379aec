import { expect, onTestFinished } from 'vitest';
import { runLoop } from '../../src/agent/run-loop.ts';
import { createNotifierLoops } from '../../src/agent/tell/notifier-loops.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createLogger } from '../../src/report/logger.ts';
import { createMqttNotifier, type MqttParts } from '../../src/report/mqtt-notifier.ts';
import { createFacts, type FactsChange } from '../../tools/docs/sample-facts.ts';
import { waitUntil } from '../patience.ts';

export const password = 'broker-password-4711';

// A handshake in the future counts as fresh: the clock here is the real one.
export const providing = createFacts({ tunnel: { lastHandshakeAt: new Date(Date.now() + 1e9) } });

export function createTestLog() {
  const lines: string[] = [];
  const destination = { write: (text: string) => lines.push(text) };
  return {
    lines,
    log: createLogger({ level: 'trace', format: 'json' }, { isTty: false, destination }),
  };
}

/** An agent's facts, and the loops that publish them. */
export function startAgent(url: string, parts: Partial<MqttParts> = {}, facts = providing) {
  const world = { facts, looks: 0 };
  const modes: string[] = [];
  const { lines, log } = createTestLog();
  const stop = new AbortController();
  const notifier = createMqttNotifier({
    broker: {
      url,
      username: 'tributary',
      password: new Secret(password),
      certificateAuthority: undefined,
    },
    topic: 'tributary',
    discoveryPrefix: 'homeassistant',
    allowControl: true,
    setMode: async (mode, seconds) =>
      void modes.push([mode ?? 'automatic', seconds].join(' ').trim()),
    facts: () => world.facts,
    refresh: async () => undefined,
    todayBytes: async () => 42,
    log,
    now: () => new Date(),
    pace: { lookMs: 5, retry: { baseMs: 5, maxMs: 20 } },
    ...parts,
  });
  const look = () => {
    world.looks += 1;
    return notifier.look();
  };
  const running = createNotifierLoops({ ...notifier, look }, log).map((loop) =>
    runLoop(loop, stop.signal),
  );
  const end = async () => {
    stop.abort();
    await Promise.all(running);
  };
  onTestFinished(end);
  return {
    world,
    modes,
    lines,
    end,
    change(change: FactsChange) {
      world.facts = createFacts(change, world.facts);
    },
    /** Resolves when it has looked often enough to have noticed a change. */
    async lookOften() {
      const { looks } = world;
      await waitUntil(() => expect(world.looks).toBeGreaterThan(looks + 5));
    },
    waitForLine: (pattern: RegExp) => waitUntil(() => expect(lines.join('')).toMatch(pattern)),
  };
}
