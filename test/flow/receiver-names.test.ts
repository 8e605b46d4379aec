import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openNotifiers } from '../../src/agent/tell/notifiers.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openKeptNames } from '../../src/system/open-kept-names.ts';
import { waitUntil } from '../patience.ts';
import { createTestLog, password, providing } from './mqtt-agent.ts';
import { startSmallBroker } from './small-broker.ts';
import { runLoops, uncommanded } from './uncommanded.ts';

/** No name server knows it. */
const host = 'receiver.invalid';

/** Where a webhook may lead, and how often it was called. */
async function startReceiver() {
  const calls: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    calls.push(request.url);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { calls, port: (server.address() as AddressInfo).port };
}

test('broker and webhook are reached by the addresses of an earlier life', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-receivers-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const kept = { directory, onSetAside: () => undefined };
  const earlier = await openKeptNames(kept);
  earlier.noteGood(host, '127.0.0.1');
  await earlier.close();

  const broker = await startSmallBroker();
  const { calls, port } = await startReceiver();
  const { log } = createTestLog();
  const names = await openKeptNames(kept);
  const loops = await openNotifiers({
    loaded: await loadConfig({
      environment: {
        TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
        TRIBUTARY_STATE_DIR: directory,
        TRIBUTARY_REPORT_WEBHOOK_URL: `http://${host}:${port}/called`,
        TRIBUTARY_REPORT_WEBHOOK_ALLOW_INSECURE_HTTP: 'true',
        TRIBUTARY_REPORT_MQTT_ALLOW_INSECURE_MQTT: 'true',
        TRIBUTARY_REPORT_MQTT_URL: broker.url.replace('127.0.0.1', host),
        TRIBUTARY_REPORT_MQTT_USERNAME: 'tributary',
        TRIBUTARY_MQTT_PASSWORD: password,
      },
    }),
    facts: () => providing,
    ...uncommanded,
    history: undefined,
    names,
    log,
    now: () => new Date(),
  });
  runLoops(loops);
  await waitUntil(() => expect(broker.connects).toHaveLength(1));
  await waitUntil(() => expect(calls).toContain('/called'));
});
