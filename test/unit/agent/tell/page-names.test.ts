import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStatus } from '../../../../src/agent/tell/start-status.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import { ask, pageOf } from '../../status/status-fixture.ts';

/** What the system calls this machine; modules that have imported the function see it too. */
function callMachine(name: string): void {
  vi.spyOn(os, 'hostname').mockReturnValue(name);
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

/** A port that was free a moment ago: port 0 turns the page off. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test("an agent's page answers by the machine's own name and by those that the configuration allows, and by no other", async () => {
  callMachine('Kitchen.example.org');
  const directory = await mkdtemp(join(tmpdir(), 'tributary-names-'));
  const config = configSchema.parse({
    service: { base_url: 'https://service.example' },
    status: { listen: `127.0.0.1:${await findPort()}`, allowed_hosts: ['Proxy.example.net.'] },
  });
  const parts = {
    loaded: { config, credentials: {}, socketPaths: [join(directory, 'run/agent.sock')] },
    pageDescriptor: undefined,
    facts: () => ({ stoppingSince: undefined }),
    heartbeats: { stalled: () => [] },
    log: {
      info: () => undefined,
      warn: ({ reason }: { readonly reason: string }) => expect.unreachable(reason),
    },
  };
  const status = await startStatus(parts as never);
  onTestFinished(async () => {
    await status.close();
    await rm(directory, { recursive: true });
  });
  const page = pageOf(status);
  const names = [
    'kitchen.example.org:9469',
    'proxy.example.net',
    'other.example.org',
    'example.org',
    'x.proxy.example.net',
  ];
  const answers = await Promise.all(
    names.map(async (host) => (await ask(page, '/livez', { host })).status),
  );
  expect(answers).toEqual([200, 200, 421, 421, 421]);
});
