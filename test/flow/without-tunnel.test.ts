import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { openSources } from '../../src/agent/pass/open-sources.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { mayForward } from '../../src/health/may-forward.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import type { ProfileName } from '../../src/service/profiles.ts';
import { askAgent } from '../../src/status/socket-client.ts';
import { createProgramSource } from '../net/support/program-source/program-source.ts';
import { waitUntil } from '../patience.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';
import { type SeenRequest, startNastyService } from './nasty-service.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';
const programDevice = 'fakeprogram9';

/** A service that issues no tunnel, and says why, until the test lets it. */
async function startWithholding(profile: ProfileName, directory: string) {
  const service = await startReferenceService({ directory, profile, warn: () => undefined });
  const withheld = { isOver: false };
  const answer = async ({ method, path, headers, body }: SeenRequest, response: ServerResponse) => {
    const answered = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `${headers.authorization}`,
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answered.text();
    const type = answered.headers.get('content-type') ?? '';
    response
      .writeHead(answered.status, { 'content-type': type })
      .end(withheld.isOver ? text : withhold(path, text));
  };
  const front = await startNastyService(answer);
  const close = async () => {
    await front[Symbol.asyncDispose]();
    await service.close();
  };
  const creates = () =>
    front.seen.filter(
      ({ path, body }) => path === '/network/auth-client' && body.client_id === undefined,
    ).length;
  return { baseUrl: front.baseUrl, authCode: service.authCode, withheld, creates, close };
}

/** An answer without what it says of a tunnel, which is in another place in each profile. */
function withhold(path: string, text: string): string {
  if (path === '/network/auth-client') {
    const refused = { proxy_config_result: null, error: { message: 'Invalid location' } };
    return JSON.stringify({ ...JSON.parse(text), ...refused });
  }
  if (path !== '/network/clients') return text;
  const { clients }: { clients: readonly object[] | null } = JSON.parse(text);
  return JSON.stringify({ clients: clients?.map((row) => ({ ...row, proxy_client: null })) });
}

/** A device on a fake machine whose service withholds its tunnel. */
async function startWorld(profile: ProfileName = 'documented') {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-without-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const stateDirectory = join(directory, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const service = await startWithholding(profile, join(directory, 'service'));
  onTestFinished(service.close);
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  const socket = join(directory, 'agent.sock');
  const load = (authCode?: string) =>
    loadConfig({
      stateDirectory,
      environment: {
        TRIBUTARY_SERVICE_BASE_URL: service.baseUrl,
        TRIBUTARY_SERVICE_PROFILE: profile,
        TRIBUTARY_TUNNEL_INTERFACE: tunnelInterface,
        TRIBUTARY_PROVIDE_MODE: 'friends',
        TRIBUTARY_STATUS_LISTEN: '127.0.0.1:0',
        TRIBUTARY_STATUS_SOCKET: socket,
        ...(authCode === undefined ? {} : { TRIBUTARY_AUTH_CODE: authCode }),
      },
    });
  const shakeHands = () => {
    const link = machine.links.get(tunnelInterface);
    if (link !== undefined)
      link.traffic = { lastHandshakeAt: Math.floor(Date.now() / 1000), rxBytes: 1, txBytes: 1 };
  };
  return { service, machine, load, socket, shakeHands };
}

/** An agent of which the test makes each tick. */
async function startAgent(
  { machine, load }: Pick<Awaited<ReturnType<typeof startWorld>>, 'machine' | 'load'>,
  authCode?: string,
) {
  const agent = await createAgent({
    loaded: await load(authCode),
    load,
    exec: machine.exec,
    keepProgram: undefined,
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
  return { ...agent, tick, phase: () => judgePhase(agent.facts(), new Date()) };
}

const blocked = {
  phase: 'blocked',
  reasons: [
    {
      code: 'registration-incomplete',
      message: expect.stringMatching(/\(Invalid location\): it needs proxy\.country_code/),
      action: expect.stringContaining('a country that has providers: tributary service locations'),
    },
  ],
};

describe.each(['documented', 'production'] as const)(
  'a device that is registered without a tunnel (%s)',
  (profile) => {
    test('is registered, and blocked by the missing tunnel alone', async () => {
      const world = await startWorld(profile);
      const agent = await startAgent(world, world.service.authCode);
      await agent.tick('data path', 'service', 'data path');
      expect(agent.phase()).toEqual({
        ...blocked,
        reasons: [{ ...blocked.reasons[0], since: expect.any(Date) }],
      });
      const facts = agent.facts();
      expect(facts.registration?.clientId).toEqual(expect.any(String));
      expect(facts.registrationProblem).toBeUndefined();
      const { reasons } = mayForward(facts, { now: new Date(), mode: facts.provide.effective });
      expect(reasons).toContain('no-device');
      expect(reasons).not.toContain('not-registered');
    });

    test('asks again within seconds, and longer after each answer, as the same client', async () => {
      const world = await startWorld(profile);
      const agent = await startAgent(world, world.service.authCode);
      const waits: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        await agent.tick('service');
        waits.push(Number(agent.facts().service.nextRenewalAt) - Date.now());
      }
      for (const [index, most] of [1_500, 2_500, 4_500].entries()) {
        expect(waits[index]).toBeLessThanOrEqual(most);
        expect(waits[index]).toBeGreaterThan(most - 500);
      }
      expect(world.service.creates()).toBe(1);
    });

    test('is the same client after a restart, and says why it has no tunnel before it asks', async () => {
      const world = await startWorld(profile);
      const first = await startAgent(world, world.service.authCode);
      await first.tick('service');
      const second = await startAgent(world);
      expect(second.facts().registration).toEqual(first.facts().registration);
      expect(second.facts().registration).toBeDefined();
      await second.tick('data path');
      expect(second.phase()).toMatchObject(blocked);
      await second.tick('service', 'service', 'data path');
      expect(second.phase()).toMatchObject(blocked);
      expect(second.facts().registration).toEqual(first.facts().registration);
      expect(world.service.creates()).toBe(1);
    });

    test.each(['goes on', 'was restarted'])(
      'provides as soon as a tunnel is issued, where it %s',
      async (how) => {
        const world = await startWorld(profile);
        const first = await startAgent(world, world.service.authCode);
        await first.tick('service', 'data path');
        const agent = how === 'goes on' ? first : await startAgent(world);
        world.service.withheld.isOver = true;
        await agent.tick('service', 'data path');
        expect(agent.phase()).toMatchObject({
          phase: 'connecting',
          reasons: [{ code: 'no-handshake' }],
        });
        world.shakeHands();
        await agent.tick('data path');
        expect(agent.phase()).toMatchObject({ phase: 'providing', reasons: [] });
        expect(agent.facts().registration).toEqual(first.facts().registration);
        expect(world.service.creates()).toBe(1);
      },
    );
  },
);

test('a second source provides although no tunnel was issued, and the tunnel joins it later', async () => {
  const { service, machine, load, socket } = await startWorld();
  const signals = new EventEmitter();
  const running = runAgent({
    loaded: await load(service.authCode),
    load,
    writeSetting: async () => undefined,
    supervision: {
      notifySocket: undefined,
      watchdogMs: undefined,
      pageDescriptor: undefined,
      isJournal: false,
      runtimeDirectory: undefined,
    },
    keepsFence: false,
    surroundings: {
      exec: machine.exec,
      signals: signals as never,
      stdout: { write: () => undefined },
      openSources: async (given) => {
        const opened = await openSources(given);
        const program = createProgramSource(given.host.exec, {
          device: programDevice,
          consumers: ['10.88.0.0/24', 'fd88::/64'],
          addresses: ['10.88.0.1'],
          command: ['sh', '-c', 'echo ready; cat'],
        });
        return { ...opened, all: [...opened.all, program] };
      },
    },
  });
  const ended = running.catch(() => undefined);
  onTestFinished(async () => {
    signals.emit('SIGTERM');
    await ended;
  });
  const ask = () => askAgent({ socketPaths: [socket] }, { method: 'GET', path: '/status.json' });
  await waitUntil(async () =>
    expect(await ask()).toMatchObject({
      phase: 'providing',
      reasons: [{ code: 'registration-incomplete' }],
      client: { id: expect.any(String) },
    }),
  );
  expect(machine.print()).toContain(`"name":"permit","elem":["${programDevice}"]`);
  expect(machine.links.has(tunnelInterface)).toBe(false);
  service.withheld.isOver = true;
  await waitUntil(async () => {
    expect(machine.links.has(tunnelInterface)).toBe(true);
    expect(await ask()).toMatchObject({ phase: 'providing' });
  });
  expect(service.creates()).toBe(1);
});
