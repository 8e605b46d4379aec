import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';

// Names that no machine has, because the kernel's settings are the real ones here: those of these do not exist.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';

/** A directory that goes with the test. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-agent-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A service, and agents of one device on a fake machine, each a process of its own as far as memory goes. */
async function startWorld(profile: ProfileName) {
  const [stateDirectory, serviceDirectory] = [await makeDirectory(), await makeDirectory()];
  const service = await startReferenceService({ directory: serviceDirectory, profile, warn: () => undefined });
  onTestFinished(() => service.close());
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, { kind: undefined, isUp: true, mtu: 1500, addresses: ['192.168.1.10'], configuration: '' });
  const load = (authCode?: string) =>
    loadConfig({
      stateDirectory,
      environment: {
        TRIBUTARY_SERVICE_BASE_URL: service.baseUrl,
        TRIBUTARY_SERVICE_PROFILE: profile,
        TRIBUTARY_TUNNEL_INTERFACE: tunnelInterface,
        TRIBUTARY_PROVIDE_MODE: 'friends',
        ...(authCode === undefined ? {} : { TRIBUTARY_AUTH_CODE: authCode }),
      },
    });
  const lines: string[] = [];
  const startAgent = async (authCode?: string) => {
    const loaded = await load(authCode);
    const log = createLogger(
      { level: 'trace', format: 'json' },
      { isTty: false, destination: { write: (line) => void lines.push(line) } },
    );
    const agent = await createAgent({
      loaded,
      load,
      exec: machine.exec,
      keepProgram: undefined,
      log,
      now: () => new Date(),
      random: () => 0.5,
    });
    onTestFinished(() => agent.close());
    const { signal } = new AbortController();
    /** One tick of each loop named, in turn. */
    const tick = async (...names: readonly string[]) => {
      for (const name of names) await agent.loops.find((loop) => loop.name === name)?.tick(signal);
    };
    return { ...agent, tick, phase: () => judgePhase(agent.facts(), new Date()) };
  };
  const shakeHands = () => {
    const link = machine.links.get(tunnelInterface);
    if (link !== undefined) link.traffic = { lastHandshakeAt: Math.floor(Date.now() / 1000), rxBytes: 1, txBytes: 1 };
  };
  const isOpen = () => machine.print().includes(`"name":"permit","elem":["${tunnelInterface}"]`);
  return { service, machine, startAgent, shakeHands, isOpen, lines };
}

describe.each(['documented', 'production'] as const)('an agent (%s)', (profile) => {
  // A production service does not let a device set its mode.
  const isServed = profile === 'documented';
  const confirmed = isServed ? 'friends' : undefined;
  const notes = isServed ? [] : [{ code: 'operation-not-served' }];

  test('has its loops by name, one row each', async () => {
    const { startAgent, service } = await startWorld(profile);
    const { loops } = await startAgent(service.authCode);
    expect(loops.map(({ name }) => name)).toEqual([
      'data path',
      'kernel watch',
      'service',
      'outside',
      'announce',
      'report',
      'self-test',
      'memory',
      'ledger',
    ]);
    expect(loops.filter(({ maxSilenceMs }) => maxSilenceMs !== undefined).map(({ name }) => name)).toEqual([
      'data path',
    ]);
  });

  test('goes from signed out to providing, tells its mode, and reports', async () => {
    const { startAgent, service, shakeHands, isOpen, lines } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('data path');
    expect(agent.phase().phase).toBe('registering');
    await agent.tick('service', 'data path');
    expect(agent.phase()).toMatchObject({ phase: 'connecting', reasons: [{ code: 'no-handshake' }] });
    expect(isOpen()).toBe(false);
    shakeHands();
    await agent.tick('data path', 'announce');
    expect(agent.phase()).toMatchObject({ phase: 'providing', reasons: notes });
    expect(isOpen()).toBe(true);
    expect(agent.facts().provide).toMatchObject({ effective: 'friends', confirmed });
    expect(lines.join()).not.toContain(service.authCode);
  });

  test('started again has tunnel and mode before the service was asked, registers nothing and sends nothing', async () => {
    const { startAgent, service, machine, shakeHands, isOpen } = await startWorld(profile);
    const first = await startAgent(service.authCode);
    await first.tick('service', 'data path');
    shakeHands();
    await first.tick('data path', 'announce');
    const { registration } = first.facts();
    const before = machine.changes();
    const second = await startAgent();
    expect(second.facts()).toMatchObject({ registration, provide: { confirmed } });
    await second.tick('data path');
    expect(isOpen()).toBe(true);
    // The rules were loaded once more and the permit renewed: the tunnel and its counters stay.
    expect(machine.changes()).toBe(before + 2);
    await second.tick('service', 'announce');
    expect(second.facts()).toMatchObject({ registration, provide: { confirmed } });
  });

  test('keeps providing while the service is away, with a note', async () => {
    const { startAgent, service, shakeHands, isOpen } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('service', 'data path');
    shakeHands();
    await agent.tick('data path', 'announce');
    await service.close();
    await agent.tick('service', 'data path');
    expect(agent.phase()).toMatchObject({ phase: 'providing', reasons: [{ code: 'service-unreachable' }, ...notes] });
    expect(isOpen()).toBe(true);
  });

  test('asks a service that fails once in a try: the loop itself asks again', async () => {
    const { startAgent, service } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('service');
    const { port } = new URL(service.baseUrl);
    await service.close();
    let requests = 0;
    const failing = createServer((_, answer) => {
      requests += 1;
      answer.writeHead(503).end();
    });
    onTestFinished(() => void failing.close());
    failing.listen(Number(port), '127.0.0.1');
    await once(failing, 'listening');
    await agent.tick('service');
    expect(requests).toBe(1);
  });

  test('that stops forwards nothing any more', async () => {
    const { startAgent, service, shakeHands, isOpen } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('service', 'data path');
    shakeHands();
    await agent.tick('data path');
    agent.beginStop();
    await agent.tick('data path');
    expect([isOpen(), agent.phase().phase]).toEqual([false, 'stopping']);
  });
});

test('without anything to sign in with says so, and asks nothing', async () => {
  const { startAgent } = await startWorld('documented');
  const agent = await startAgent();
  await agent.tick('service', 'data path');
  expect(agent.phase()).toMatchObject({ phase: 'signed-out', reasons: [{ code: 'signed-out' }] });
});
