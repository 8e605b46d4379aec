import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createClients } from '../../../src/reference-service/clients.ts';
import { startPresence } from '../../../src/reference-service/presence.ts';
import { createProxies, type Proxies } from '../../../src/reference-service/proxies.ts';
import { createUsageRepository } from '../../../src/reference-service/usage.ts';
import { createUsageHistory } from '../../../src/reference-service/usage-history.ts';
import { listScans } from './query-plan.ts';

/** Sorting what one page or one network has is no walk through a table. */
const walks = (scans: readonly string[]) => scans.filter((scan) => scan.startsWith('SCAN'));

test('no question about use or clients walks through a table', () => {
  const prepareClients = (database: DatabaseSync) => createClients(database, {} as Proxies, Date.now);
  for (const create of [createUsageHistory, prepareClients]) {
    expect(walks(listScans(create))).toEqual([]);
  }
});

test('who is present is looked for among the real clients that are online', () => {
  for (const hasTunnelEnd of [true, false]) {
    const scans = listScans((database) => {
      const usage = { add: () => {}, noteSearches: () => {}, disconnectAll: () => {} };
      const presence = startPresence(database, { usage, hasTunnelEnd, now: Date.now, warn: () => {} });
      // Its last look finds no database any more.
      presence.close().catch(() => {});
    });
    expect(walks(scans)).toEqual([]);
  }
});

test('peers are looked for among the real clients, and a start alone ends what was left open', () => {
  expect(walks(listScans(createProxies))).toEqual([expect.stringMatching(/^SCAN client USING INDEX client_online: /)]);
  expect(walks(listScans(createUsageRepository))).toEqual([
    expect.stringMatching(/^SCAN connection USING INDEX connection_open: /),
  ]);
});
