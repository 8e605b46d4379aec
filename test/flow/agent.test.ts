import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { buildStatusDocument } from '../../src/status/document.ts';
import { renderStatus } from '../../src/status/text.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';
import { type SeenRequest, sendText, startNastyService } from './nasty-service.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';

/** A directory that goes with the test. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-agent-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * A service, and agents of one device on a fake machine, each a process of its own as far as memory
 * goes.
 */
async function startWorld(profile: ProfileName, inFront = async (baseUrl: string) => baseUrl) {
  const [stateDirectory, serviceDirectory] = [await makeDirectory(), await makeDirectory()];
  const service = await startReferenceService({
    directory: serviceDirectory,
    profile,
    warn: () => undefined,
  });
  onTestFinished(() => service.close());
  const baseUrl = await inFront(service.baseUrl);
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  const load = (authCode?: string) =>
    loadConfig({
      stateDirectory,
      environment: {
        TRIBUTARY_SERVICE_BASE_URL: baseUrl,
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
    if (link !== undefined)
      link.traffic = { lastHandshakeAt: Math.floor(Date.now() / 1000), rxBytes: 1, txBytes: 1 };
  };
  const isOpen = () => machine.print().includes(`"name":"permit","elem":["${tunnelInterface}"]`);
  return { service, machine, startAgent, shakeHands, isOpen, lines, stateDirectory };
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
      'outside',
      'connections',
      'household',
      'endpoint',
      'self-test',
      'service',
      'announce',
      'report',
      'ledger',
      'events',
      'time zone',
      'memory',
    ]);
    expect(
      loops.filter(({ maxSilenceMs }) => maxSilenceMs !== undefined).map(({ name }) => name),
    ).toEqual(['data path']);
    // What these throw ends the agent: without them it would share blindly, or not at all.
    expect(loops.filter(({ isOptional }) => isOptional !== true).map(({ name }) => name)).toEqual([
      'data path',
      'kernel watch',
      'household',
      'self-test',
      'service',
      'announce',
    ]);
    const waiting = loops.filter(({ firstAfterMs }) => firstAfterMs !== undefined);
    expect(waiting.map(({ name }) => name)).toEqual([
      'household',
      'endpoint',
      'service',
      'report',
      'ledger',
      'events',
      'time zone',
      'memory',
    ]);
  });

  test('goes from signed out to providing, tells its mode, and reports', async () => {
    const { startAgent, service, shakeHands, isOpen, lines } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('data path');
    expect(agent.phase().phase).toBe('registering');
    await agent.tick('service', 'data path');
    expect(agent.phase()).toMatchObject({
      phase: 'connecting',
      reasons: [{ code: 'no-handshake' }],
    });
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

  test('that lost who it is, but not its sign-in, is the same client with the same tunnel', async () => {
    const { startAgent, service, stateDirectory } = await startWorld(profile);
    const first = await startAgent(service.authCode);
    await first.tick('service');
    for (const name of ['identity', 'registration']) await rm(join(stateDirectory, `${name}.json`));
    const second = await startAgent();
    await second.tick('service');
    expect(second.facts().registration).toEqual(first.facts().registration);
    expect(second.facts().registration).toBeDefined();
  });

  test('keeps providing while the service is away, with a note', async () => {
    const { startAgent, service, shakeHands, isOpen } = await startWorld(profile);
    const agent = await startAgent(service.authCode);
    await agent.tick('service', 'data path');
    shakeHands();
    await agent.tick('data path', 'announce');
    await service.close();
    await agent.tick('service', 'data path');
    expect(agent.phase()).toMatchObject({
      phase: 'providing',
      reasons: [{ code: 'service-unreachable' }, ...notes],
    });
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
    onTestFinished(() => {
      failing.close();
    });
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

type ChangeAnswer = (path: string, answer: Record<string, unknown>) => Record<string, unknown>;

/**
 * The service behind a door that is shut to everyone, or to some, while the test says so, and that
 * may change what it lets out.
 */
async function startDoor(change: ChangeAnswer = (_path, answer) => answer) {
  const refuse = sendText('Not authorized.', 401);
  let isShutTo = (_request: SeenRequest) => false;
  const open = async (baseUrl: string) => {
    const passOn = async (
      { method, path, headers, body }: SeenRequest,
      response: ServerResponse,
    ) => {
      const passed = {
        'content-type': 'application/json',
        authorization: `${headers.authorization}`,
      };
      const sent = method === 'GET' ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${baseUrl}${path}`, { method, headers: passed, ...sent });
      const type = answer.headers.get('content-type') ?? '';
      const text = await answer.text();
      const isJson = type.startsWith('application/json');
      const shown = isJson ? JSON.stringify(change(path, JSON.parse(text))) : text;
      response.writeHead(answer.status, { 'content-type': type }).end(shown);
    };
    const door = await startNastyService((request, response) =>
      isShutTo(request) ? refuse(request, response) : passOn(request, response),
    );
    onTestFinished(() => door[Symbol.asyncDispose]());
    return door.baseUrl;
  };
  const shut = (to: typeof isShutTo) => {
    isShutTo = to;
  };
  return { open, shut };
}

describe('an agent whose sign-in the service refuses', () => {
  type Running = Awaited<ReturnType<Awaited<ReturnType<typeof startWorld>>['startAgent']>>;
  const noteOf = (agent: Running) =>
    agent.phase().reasons.find(({ code }) => code === 'sign-in-refused')?.code;
  async function startProviding() {
    const door = await startDoor();
    const world = await startWorld('documented', door.open);
    const agent = await world.startAgent(world.service.authCode);
    await agent.tick('service', 'data path');
    world.shakeHands();
    await agent.tick('data path', 'announce');
    expect(agent.phase()).toMatchObject({ phase: 'providing', reasons: [] });
    return { ...world, agent, door };
  }

  test('goes on providing with a note, and takes up the conversation when it is let in', async () => {
    const { agent, door, isOpen, startAgent } = await startProviding();
    const { registration } = agent.facts();
    for (const _ of [1, 2, 3]) {
      door.shut(() => true);
      await agent.tick('service', 'data path');
      expect([agent.phase().phase, noteOf(agent)]).toEqual(['providing', 'sign-in-refused']);
      expect(isOpen()).toBe(true);
      // One operation that takes the sign-in is enough to doubt the other.
      door.shut(({ path }) => path === '/network/auth-client');
      await agent.tick('service', 'data path');
      expect(isOpen()).toBe(true);
      door.shut(() => false);
      await agent.tick('service', 'data path');
      expect([agent.phase().phase, noteOf(agent)]).toEqual(['providing', undefined]);
      expect(isOpen()).toBe(true);
    }
    // There is nothing to sign in with but what is on the disk.
    const second = await startAgent();
    await second.tick('service', 'service', 'data path');
    expect(second.facts()).toMatchObject({ registration, signInProblem: undefined });
    expect(second.phase().phase).toBe('providing');
  });

  test('asks nobody for 5 minutes at least', async () => {
    const { agent, door } = await startProviding();
    door.shut(() => true);
    await agent.tick('service');
    const waitMs = Number(agent.facts().service.nextRenewalAt) - Date.now();
    expect(waitMs).toBeGreaterThan(295_000);
    expect(waitMs).toBeLessThan(905_000);
  });

  test('is blocked, with the refusal as the cause, where its tunnel is silent too', async () => {
    const { door, machine, startAgent, isOpen } = await startProviding();
    const link = machine.links.get(tunnelInterface);
    if (link !== undefined) link.traffic = { lastHandshakeAt: 0, rxBytes: 0, txBytes: 0 };
    door.shut(() => true);
    const second = await startAgent();
    await second.tick('service', 'service', 'data path');
    expect(second.phase()).toMatchObject({
      phase: 'blocked',
      reasons: [{ code: 'sign-in-refused' }],
    });
    expect(isOpen()).toBe(false);
  });
});

test('what the agent needs not and cannot read, in answers about it and about others, keeps nothing from it', async () => {
  const strange = [null, 7, { client_id: 'other', description: 7, connections: [null, 'x'] }];
  const door = await startDoor((path, answer) => {
    const { clients, proxy_config_result: issued } = answer;
    if (path === '/network/clients')
      return { ...answer, clients: [...strange, ...(clients as [])] };
    if (path !== '/network/auth-client') return answer;
    const more = { instance_id: 7, socks_proxy_port: 'x', http_proxy_url: [null] };
    return { ...answer, proxy_config_result: { ...(issued as object), ...more } };
  });
  const { service, startAgent, shakeHands, stateDirectory } = await startWorld(
    'documented',
    door.open,
  );
  const agent = await startAgent(service.authCode);
  await agent.tick('service', 'data path');
  shakeHands();
  await agent.tick('data path', 'announce');
  expect(agent.phase()).toMatchObject({ phase: 'providing', reasons: [] });
  expect(agent.facts().service.isReachable).toBe(true);
  // It finds itself among them, too.
  for (const name of ['identity', 'registration']) await rm(join(stateDirectory, `${name}.json`));
  const second = await startAgent();
  await second.tick('service');
  expect(second.facts().registration).toEqual(agent.facts().registration);
});

test('a service whose list cannot be read is not said to be out of reach', async () => {
  const door = await startDoor((path, answer) =>
    path === '/network/clients' ? { clients: { a: 1 } } : answer,
  );
  const { service, startAgent } = await startWorld('documented', door.open);
  const agent = await startAgent(service.authCode);
  await agent.tick('service', 'data path');
  expect(agent.phase()).toMatchObject({
    phase: 'registering',
    reasons: [{ code: 'answer-invalid', message: expect.stringContaining('clients: expected') }],
  });
  const shown = renderStatus(buildStatusDocument(agent.facts(), new Date()), new Date());
  const text = shown.map((line) => line.text).join('\n');
  expect(text).toContain('answers, but not with what was asked for');
  expect(text).not.toContain('not reachable');
});
