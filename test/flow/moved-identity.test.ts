import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { judgePhase } from '../../src/health/phase.ts';
import type { Machine } from '../../src/identity/load.ts';
import { startNewDevice } from '../../src/identity/load.ts';
import { createRegistrationFiles } from '../../src/identity/registration-files.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';

/**
 * A service, the requests that reach it, and agents on one state directory: a card that goes from
 * machine to machine.
 */
async function startWorld() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-moved-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const stateDirectory = join(directory, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const service = await startReferenceService({
    directory: join(directory, 'service'),
    warn: () => undefined,
  });
  onTestFinished(() => service.close());
  const asked: string[] = [];
  const door = createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    const { method, headers, url } = incoming;
    const onward = request(`${service.baseUrl}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    door.close();
  });
  const address = door.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const load = () =>
    loadConfig({
      stateDirectory,
      environment: {
        TRIBUTARY_SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
        TRIBUTARY_TUNNEL_INTERFACE: 'faketunnel9',
        TRIBUTARY_PROVIDE_MODE: 'friends',
        TRIBUTARY_AUTH_CODE: service.authCode,
      },
    });
  const files = createRegistrationFiles(stateDirectory, () => undefined);
  /** The agent after it began there, and asked the service where it may. */
  const start = async (machine: Machine) => {
    asked.length = 0;
    const host = createFakeHost(['4 route default dev fakeuplink9 table main']);
    const uplink = {
      kind: undefined,
      isUp: true,
      mtu: 1500,
      addresses: ['192.168.1.10'],
      configuration: '',
    };
    host.links.set('fakeuplink9', uplink);
    const agent = await createAgent({
      loaded: await load(),
      load,
      exec: host.exec,
      keepProgram: undefined,
      machine,
      log: createLogger(
        { level: 'error', format: 'json' },
        { isTty: false, destination: { write: () => undefined } },
      ),
      now: () => new Date(),
      random: () => 0.5,
    });
    onTestFinished(() => agent.close());
    const { signal } = new AbortController();
    const tick = async (...names: readonly string[]) => {
      for (const name of names) await agent.loops.find((loop) => loop.name === name)?.tick(signal);
    };
    const go = () => tick('data path', 'service', 'data path', 'announce');
    await go();
    const isTunnelled = () => host.links.has('faketunnel9');
    return {
      go,
      isTunnelled,
      phase: () => judgePhase(agent.facts(), new Date()),
      clientId: () => agent.facts().registration?.clientId,
    };
  };
  return { start, files, stateDirectory, asked };
}

const [here, there] = [{ 'machine-id': 'here' }, { 'machine-id': 'there', board: 'there' }];

test('a copied card asks before anything is sent, makes no tunnel, and goes on as the same device once its owner says so', async () => {
  const { start, files, stateDirectory, asked } = await startWorld();
  const first = await start(here);
  expect([first.isTunnelled(), first.clientId()]).toEqual([true, expect.any(String)]);
  expect((await files.identity.peek())?.machine).toEqual(here);

  const copy = await start(there);
  await copy.go();
  const [reason, ...others] = copy.phase().reasons;
  expect([copy.phase().phase, reason?.code, others]).toEqual(['blocked', 'identity-moved', []]);
  expect(reason?.action).toMatch(/sudo tributary device keep.*sudo tributary device new/);
  expect([copy.isTunnelled(), copy.clientId(), asked]).toEqual([false, undefined, []]);

  // Neither is a code sent, nor asked what the service knows of a registration that was lost.
  await Promise.all(
    ['network-jwt.json', 'registration.json'].map((name) =>
      rename(join(stateDirectory, name), join(stateDirectory, `${name}.away`)),
    ),
  );
  const bare = await start(there);
  expect([bare.phase().reasons[0]?.code, asked]).toEqual(['identity-moved', []]);
  await Promise.all(
    ['network-jwt.json', 'registration.json'].map((name) =>
      rename(join(stateDirectory, `${name}.away`), join(stateDirectory, name)),
    ),
  );

  const identity = await files.identity.peek();
  if (identity !== undefined) await files.identity.write({ ...identity, machine: there });
  await copy.go();
  expect([copy.isTunnelled(), copy.clientId()]).toEqual([true, first.clientId()]);
  expect(copy.phase().phase).toBe('connecting');
});

test('a copied card becomes a device of its own, and keeps what it was beside it', async () => {
  const { start, files, stateDirectory } = await startWorld();
  const first = await start(here);
  const before = await readFile(files.registration.path, 'utf8');
  const copy = await start(there);
  await startNewDevice(files);
  await copy.go();
  expect(copy.clientId()).toEqual(expect.any(String));
  expect(copy.clientId()).not.toBe(first.clientId());
  expect((await files.identity.peek())?.machine).toEqual(there);
  const kept = (await readdir(stateDirectory)).filter((name) => name.includes('.left-'));
  expect(kept.map((name) => name.replace(/\d+$/, '')).sort()).toEqual([
    'identity.json.left-',
    'registration.json.left-',
  ]);
  expect(
    await readFile(
      join(stateDirectory, kept.find((name) => name.startsWith('registration')) ?? ''),
      'utf8',
    ),
  ).toBe(before);
  // Both go on by themselves.
  expect((await start(there)).clientId()).toBe(copy.clientId());
});

test.each<[string, Machine, Machine]>([
  ['that nothing is known of, such as a container', here, {}],
  ['where the state of an earlier version is', {}, here],
])('a device goes on without a question on a machine %s', async (_, before, after) => {
  const { start } = await startWorld();
  const first = await start(before);
  expect(first.clientId()).toEqual(expect.any(String));
  const next = await start(after);
  expect([next.isTunnelled(), next.clientId()]).toEqual([true, first.clientId()]);
});
