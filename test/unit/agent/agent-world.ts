import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDataPathLoop } from '../../../src/agent/pass/data-path-loop.ts';
import { createDeniedLists } from '../../../src/agent/pass/denied-lists.ts';
import { createScheduledMode } from '../../../src/agent/pass/desired-data-path.ts';
import { createMeter } from '../../../src/agent/pass/meter.ts';
import { openSources } from '../../../src/agent/pass/open-sources.ts';
import { createWakeups } from '../../../src/agent/run-loop.ts';
import { openState } from '../../../src/agent/state.ts';
import { createPhaseNotes } from '../../../src/agent/tell/phase-notes.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { createLineShaper } from '../../../src/data-path/line-shaper.ts';
import { createSegmentCount } from '../../../src/data-path/segment-count.ts';
import { createSelfTest } from '../../../src/data-path/self-test.ts';
import { createLogger } from '../../../src/report/logger.ts';
import type { CurrentTunnelReader } from '../../../src/source/wireguard/current-tunnel.ts';
import { parseIssuedTunnel } from '../../../src/source/wireguard/parse.ts';
import type { Exec } from '../../../src/system/exec.ts';
import { observeNetwork } from '../../../src/system/ip.ts';
import { createRestoreFile } from '../../../src/system/restore-file.ts';
import { createFakeHost } from '../data-path/fake-host.ts';
import { createIssued, renderIssuedText } from '../source/wireguard/issued-fixture.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
export const uplink = 'fakeuplink9';
export const tunnelInterface = 'faketunnel9';

/** The agent's own names, where only that they exist matters. */
const registration = {
  installId: '0123456789abcdef',
  clientId: 'client-1',
  showsProduction: false,
} as never;

/**
 * A device's data path on a fake machine, registered and connected, with everything around it real.
 */
export async function createAgentWorld(
  given: { readonly provide?: object; readonly gateway?: object } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-agent-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const config = configSchema.parse({
    service: { base_url: 'https://service.example' },
    tunnel: { interface: tunnelInterface },
    ...given,
    provide: { mode: 'public', ...given.provide },
  });
  const now = () => new Date();
  const lines: string[] = [];
  const log = createLogger(config.log, {
    isTty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const onSetAside = () => undefined;
  const opened = await openState({ config, directory, onSetAside, now });
  const { state, sections, usage, facts } = opened;
  sections.service.registration = registration;
  sections.contact.isReachable = true;
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  let run = machine.exec;
  const exec: Exec = (command) => run(command);
  const issued: { tunnel: Awaited<ReturnType<CurrentTunnelReader['current']>> } = {
    tunnel: {
      tunnel: {
        spec: parseIssuedTunnel(createIssued(renderIssuedText()), { isServiceOnLoopback: false }),
        endpoint: '198.51.100.1:51820',
      },
      refusal: undefined,
    },
  };
  const { all: sources, wireGuard } = await openSources({
    config: () => state.configuration.config,
    authority: () => undefined,
    host: { exec, stateDirectory: directory },
    onSetAside,
    issued: () => undefined,
    renewSeconds: () => state.service.renewSeconds,
    isServiceAsked: () => state.contact.isReachable !== undefined,
    now,
    onChange: () => undefined,
    onSaid: () => undefined,
    // A test that sets the clock sets this one too.
    uptimeMs: () => performance.now(),
    tunnels: {
      current: async () => issued.tunnel,
      resolveAgain: async () => undefined,
      lookAgain: async () => undefined,
      noteHandshake() {},
      tried: () => [],
    },
  });
  Object.assign(sections.sources, { all: sources, wireGuard });
  const meter = createMeter({ state, counters: sections.counters, usage, exec });
  const wakeups = createWakeups();
  const selfTest = createSelfTest(exec, async () => undefined);
  const watched = { isChanged: false, isVouched: false, begins: [] as string[] };
  const line = createLineShaper(exec);
  const loop = createDataPathLoop({
    state,
    path: sections.path,
    mode: sections.mode,
    wakeups,
    host: {
      exec,
      stateDirectory: directory,
      restore: createRestoreFile(directory, 'restore', onSetAside),
      line,
      sources: sources.map(({ driver }) => driver),
      runtimeDirectory: directory,
    },
    selfTest,
    watch: {
      takeFenceChange: () => watched.isChanged,
      vouchesFor: (readAtMs) => watched.isVouched && readAtMs !== undefined,
      begin: () => void watched.begins.push('begin'),
      observeNetwork: () => observeNetwork(exec),
    },
    usage,
    meter,
    segments: createSegmentCount(exec, line),
    refreshDenied: createDeniedLists({ state, denied: sections.denied, now }),
    scheduledMode: createScheduledMode(() => state.configuration.config),
    readCarried: (name) => {
      const traffic = machine.links.get(name)?.traffic;
      return traffic && { ...traffic, packets: 0 };
    },
    readListeningPorts: async () => [],
    facts,
    notePhase: createPhaseNotes({ facts, log, now }).note,
    now,
  });
  return {
    ...opened,
    directory,
    machine,
    issued,
    meter,
    wakeups,
    selfTest,
    /** What is told of the kernel. */
    watched,
    loop,
    lines,
    /** From now on every program goes through this. */
    tamper: (instead: Exec) => {
      run = instead;
    },
    /** The other end shakes hands. */
    shakeHands: () => {
      const link = machine.links.get(tunnelInterface);
      if (link !== undefined) {
        link.traffic = {
          lastHandshakeAt: Math.floor(Date.now() / 1000),
          rxBytes: 1000,
          txBytes: 2000,
        };
      }
    },
    /** True while the kernel lets consumers' traffic through. */
    isOpen: () => machine.print().includes(`"name":"permit","elem":["${tunnelInterface}"]`),
  };
}

/** A world of one agent that provides after its first pass. */
export async function createProvidingWorld(given: object = {}) {
  const world = await createAgentWorld(given);
  await world.loop.tick();
  world.shakeHands();
  await world.loop.tick();
  return world;
}

/**
 * A providing world at rest: its self-test no longer waits, and a monitor vouches for the table.
 */
export async function createRestingWorld(given: object = {}) {
  const world = await createProvidingWorld(given);
  for (let count = 0; count < 4; count += 1) await world.loop.tick();
  world.watched.isVouched = true;
  return world;
}
