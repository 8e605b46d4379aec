import { runLoop } from '../../../src/agent/run-loop.ts';
import { openNotifiers } from '../../../src/agent/tell/notifiers.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { systemNames } from '../../../src/lib/connect-in-turn.ts';
import { createLogger } from '../../../src/report/logger.ts';
import { createFacts, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { createHistoryRow } from '../../unit/status/sample-past.ts';

/*
 * A program that tells others what an agent does, and nothing else: to be killed. Configured as the
 * agent is; what is set by hand it takes for granted.
 */
const { env: environment } = process;
const loaded = await loadConfig({ environment });
let facts = createFacts(
  { tunnel: { lastHandshakeAt: new Date() } },
  { ...providingFacts, startedAt: new Date() },
);
const log = createLogger(loaded.config.log, { isTty: false, destination: process.stdout });
const loops = await openNotifiers({
  loaded,
  facts: () => facts,
  overrides: {
    load: async () => undefined,
    current: () => undefined,
    set: async (mode) => {
      facts = createFacts(
        { provide: { override: { mode, until: undefined }, effective: mode } },
        facts,
      );
    },
    clear: async () => {
      facts = createFacts(
        { provide: { override: undefined, effective: facts.provide.configured } },
        facts,
      );
    },
  },
  noteDelivery: () => undefined,
  sample: async () => {
    const { up, down } = facts.gateway.forwardedBytes ?? { up: 0, down: 0 };
    facts = createFacts(
      { gateway: { forwardedBytes: { up: up + 1_000_000, down: down + 2_000_000 } } },
      facts,
    );
  },
  enforce: async () => undefined,
  names: systemNames,
  history: async () => [
    createHistoryRow(Date.now(), { upBytes: 40 }),
    createHistoryRow(Date.now(), { downBytes: 2 }),
  ],
  log,
  now: () => new Date(),
});
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await Promise.all(loops.map((loop) => runLoop(loop, stop.signal)));
