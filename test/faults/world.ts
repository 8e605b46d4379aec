import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, createAgent } from '../../src/agent/create-agent.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type TributaryError, toFailure, toUndefined } from '../../src/errors/codes.ts';
import { judgePhase } from '../../src/health/phase.ts';
import { createRegistrationFiles } from '../../src/identity/registration-files.ts';
import type { Secret } from '../../src/lib/secret.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { createLogger } from '../../src/report/logger.ts';
import { ensureDirectory, sweepTemporaryFiles } from '../../src/system/files.ts';
import { acquireLock } from '../../src/system/lock.ts';
import { createFakeHost } from '../unit/data-path/fake-host.ts';
import { makeCertificates } from './certificates.ts';
import { createClock } from './clock.ts';
import { createDisk } from './disk.ts';
import { startFront } from './front.ts';

// The kernel's settings are the real ones here, so these are interface names that no machine has
// and for which the kernel has no settings.
const uplink = 'fakeuplink9';
const tunnelInterface = 'faketunnel9';
/** An agent that cannot start is started again, as systemd does. */
const startAgainMs = 5_000;
/** Real time; one that ends takes less on a busy machine. */
const longestTickMs = 4_000;

export interface FaultsWorldOptions {
  /** The service is asked over TLS. */
  readonly isTls?: boolean | undefined;
  /** The state lies on a small disk of its own, which takes a mount. */
  readonly hasOwnDisk?: boolean | undefined;
  /** The owner set a data cap, which is far away. */
  readonly hasCap?: boolean | undefined;
}

export type FaultsWorld = Awaited<ReturnType<typeof createFaultsWorld>>;

/**
 * A real agent on a fake machine and virtual time, a real service, and a front between the two that
 * can be told to misbehave.
 */
export async function createFaultsWorld({
  isTls = false,
  hasOwnDisk = false,
  hasCap = false,
}: FaultsWorldOptions = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-faults-'));
  const certificates = isTls ? makeCertificates(directory) : undefined;
  const reference = await startReferenceService({
    directory: join(directory, 'service'),
    warn: () => undefined,
  });
  const front = await startFront(reference.baseUrl, certificates);
  const stateDirectory = join(directory, 'state');
  await mkdir(stateDirectory);
  const disk = await createDisk(stateDirectory);
  if (hasOwnDisk) disk.mount('-t', 'tmpfs', '-o', 'size=512k,nr_inodes=64,mode=700', 'tmpfs');
  const clock = createClock();
  const lines: string[] = [];
  let machine = createMachine();
  /** The device's private key as the other end of the tunnel expects it; empty: it takes any. */
  const otherEnd = { key: '' };
  const life: { agent?: Agent | undefined; refusal?: TributaryError | undefined } = {};
  const ended: Agent[] = [];
  // Used up by the first start: what a later one knows is on the disk.
  let token: Secret | undefined;
  let authCode: string | undefined = reference.authCode;

  const load = () =>
    loadConfig({
      stateDirectory,
      environment: {
        ...(authCode === undefined ? {} : { TRIBUTARY_AUTH_CODE: authCode }),
        TRIBUTARY_SERVICE_BASE_URL: `${isTls ? 'https' : 'http'}://localhost:${front.port}`,
        TRIBUTARY_TUNNEL_INTERFACE: tunnelInterface,
        TRIBUTARY_PROVIDE_MODE: 'friends',
        ...(hasCap ? { TRIBUTARY_PROVIDE_CAP_BYTES: '100 TB' } : {}),
        ...(certificates === undefined
          ? {}
          : { TRIBUTARY_SERVICE_CA_FILE: certificates.authorityFile }),
      },
    });
  // Short deadlines, and no jitter between the tries of a call: what waits minutes is on virtual
  // time.
  const quick = {
    fetchLimits: { connectMs: 150, headersMs: 150, bodyMs: 150, callMs: 3_000 },
    random: () => 0,
  };
  const destination = { write: (line: string) => void lines.push(line) };
  const now = () => new Date(clock.nowMs);
  /**
   * As `tributary run` does; the lock is let go of again, because two lives of one device are one
   * process here.
   */
  const begin = async () => {
    await ensureDirectory(stateDirectory);
    await using _lock = await acquireLock(disk.path('agent.lock'));
    await sweepTemporaryFiles(stateDirectory, now());
    const loaded = await load();
    return createAgent({
      loaded: { ...loaded, service: { ...loaded.service, ...quick } },
      load,
      exec: (command) => machine.exec(command),
      keepProgram: undefined,
      log: createLogger({ level: 'info', format: 'json' }, { isTty: false, destination }),
      now,
      random: () => 0.5,
    });
  };
  const start = async () => {
    const begun = await begin().catch(toFailure());
    life.agent = begun instanceof Error ? undefined : begun;
    life.refusal = begun instanceof Error ? begun : undefined;
    authCode = undefined;
  };
  await start();
  if (life.refusal !== undefined) throw life.refusal;
  const { signal } = new AbortController();
  /** Ticks that have not ended, by their loop. */
  const running = new Map<string, Promise<number>>();
  const runTick = (name: string) => {
    const tick =
      life.agent?.loops.find((loop) => loop.name === name)?.tick(signal) ??
      Promise.resolve(startAgainMs);
    const work = tick.finally(() => running.delete(name));
    running.set(name, work);
    return work;
  };
  return {
    front,
    clock,
    disk,
    lines,
    agent: () => life.agent,
    /**
     * Resolves with the time until the next one of this loop (ms), or, where one does not end,
     * after some patience.
     */
    tick: async (name: string) => {
      if (life.agent === undefined && name === 'service') await start();
      const patienceMs = running.has(name) ? 20 : longestTickMs;
      return Promise.race([
        running.get(name) ?? runTick(name),
        sleep(patienceMs, startAgainMs, { ref: false }),
      ]);
    },
    /** True while a tick of this loop has not ended. */
    isStuck: (name: string) => running.has(name),
    /**
     * Ends the agent as a power cut does: nothing is written any more, and the kernel forgets
     * everything.
     */
    cutPower: async (whileOff: () => unknown) => {
      if (life.agent !== undefined) ended.push(life.agent);
      await whileOff();
      machine = createMachine();
      await start();
    },
    otherEnd,
    /**
     * The other end of the tunnel shakes hands, now, with a device that has the key that it was
     * given last.
     */
    shakeHands: () => {
      const link = machine.links.get(tunnelInterface);
      if (link?.configuration.includes(otherEnd.key) !== true) return;
      link.traffic = { lastHandshakeAt: Math.floor(clock.nowMs / 1000), rxBytes: 1, txBytes: 1 };
    },
    /** All clients that the service has of this owner. */
    listClients: async () => {
      token ??= (await createRegistrationFiles(stateDirectory, () => undefined).networkJwt.peek())
        ?.token;
      const headers = { authorization: `Bearer ${token?.reveal()}` };
      const answer = await fetch(`${reference.baseUrl}/network/clients`, { headers });
      const { clients } = (await answer.json()) as {
        readonly clients: readonly { readonly client_id: string }[];
      };
      return clients.map(({ client_id: clientId }) => clientId);
    },
    /** As it lies on the disk. */
    registration: () =>
      createRegistrationFiles(stateDirectory, () => undefined)
        .registration.peek()
        .catch(toUndefined()),
    /** Consumers use so much more. */
    consume: (bytes: number) => machine.count('forwarded_down', Math.ceil(bytes / 1400), bytes),
    /**
     * True while the kernel lets consumers' traffic through, and both ends of the tunnel know each
     * other.
     */
    isOpen: () => {
      const hasKey =
        machine.links.get(tunnelInterface)?.configuration.includes(otherEnd.key) === true;
      return hasKey && machine.print().includes(`"name":"permit","elem":["${tunnelInterface}"]`);
    },
    /**
     * What status says; but that no packet of the fake machine can try its firewall is no matter of
     * the fault.
     */
    report: () => {
      if (life.agent === undefined)
        return { phase: 'ended', reasons: [{ code: life.refusal?.code ?? '', message: '' }] };
      const { phase, reasons } = judgePhase(life.agent.facts(), now());
      return { phase, reasons: reasons.filter(({ code }) => code !== 'self-test-failed') };
    },
    [Symbol.asyncDispose]: async () => {
      disk.meddle(undefined);
      for (const agent of [...ended, life.agent]) await agent?.close();
      await front.close();
      await reference.close();
      if (hasOwnDisk) disk.unmount();
      disk[Symbol.dispose]();
      clock[Symbol.dispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function createMachine() {
  const machine = createFakeHost([`4 route default dev ${uplink} table main`]);
  machine.links.set(uplink, {
    kind: undefined,
    isUp: true,
    mtu: 1500,
    addresses: ['192.168.1.10'],
    configuration: '',
  });
  return machine;
}
