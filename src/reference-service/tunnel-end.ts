import { messageOf } from '../lib/errors.ts';
import type { Exec } from '../system/exec.ts';
import { findHostHardware } from '../system/host-hardware.ts';
import { observeWireGuard } from '../system/wg.ts';
import type { Backend } from './backend.ts';
import { SandboxError } from './errors.ts';
import { chooseProvider, createMeter, planPeers } from './peers.ts';
import {
  closeConsumerRoutes,
  createWireGuard,
  removeWireGuard,
  type WireGuardInterface,
} from './wireguard.ts';

interface TunnelEndOptions extends Pick<Backend, 'proxies' | 'usage' | 'now' | 'warn'> {
  readonly exec: Exec;
  readonly desired: 'auto' | 'on' | 'off';
  readonly wireGuard: WireGuardInterface;
}

type Task = 'reconcile' | 'sample';

/**
 * Starts the other end of every client's tunnel.
 * @throws whatever forbids it, if `desired` is on; with `auto` it goes on without
 */
export async function startTunnelEnd(options: TunnelEndOptions) {
  if (options.desired === 'off') return createAbsentEnd('it was turned off');
  try {
    const end = runTunnelEnd(options, await open(options));
    await end.reconcile();
    return end;
  } catch (error) {
    if (options.desired === 'on' || !(error instanceof SandboxError)) throw error;
    options.warn(`no WireGuard here: ${error.message}`);
    return createAbsentEnd(error.message);
  }
}

async function open(options: TunnelEndOptions) {
  const { exec, wireGuard } = options;
  const hardware = await findHostHardware(exec);
  if (
    hardware !== undefined &&
    (options.desired === 'auto' || wireGuard.consumersInterface !== undefined)
  ) {
    const message = `${hardware} is real hardware, so this is the host's own network namespace`;
    throw new SandboxError('host-namespace', message);
  }
  return await createWireGuard(exec, wireGuard);
}

function runTunnelEnd(options: TunnelEndOptions, backend: Awaited<ReturnType<typeof open>>) {
  const { exec, proxies, usage, now, warn } = options;
  const { name, port, keys, consumersInterface } = options.wireGuard;
  const meter = createMeter(now());
  let isClosed = false;
  let lastFailure: string | undefined;
  let turn: Promise<void> = Promise.resolve();

  async function settle(task: Task): Promise<void> {
    const peers = proxies.listPeers();
    if (isClosed || peers.length === 0) return;
    const { peers: traffic } = await observeWireGuard(exec, name);
    const reading = { peers, traffic, atMs: now() };
    const commands = planPeers(reading, chooseProvider(reading)?.publicKey);
    // A change ends a stretch, because what moved before it belongs to the client that was chosen
    // then.
    if (task === 'sample' || commands.length > 0) usage.add(meter(reading));
    for (const args of commands) {
      await exec({
        program: 'wg',
        args: ['set', name, ...args],
        doing: `setting the peers of ${name}`,
      });
    }
  }

  function noteOutcome(failure: string | undefined): void {
    if (failure !== undefined && failure !== lastFailure) warn(`the WireGuard end: ${failure}`);
    lastFailure = failure;
  }

  /** Only one task runs at a time, so that two never plan from one observation. */
  function settleInTurn(task: Task): Promise<void> {
    const failure = turn.then(() => settle(task)).then(() => undefined, messageOf);
    turn = failure.then(noteOutcome);
    return turn;
  }

  return {
    state: { state: 'on', interface: name, backend, port, publicKey: keys.publicKey } as const,
    /**
     * Brings peers and consumers' traffic in line with the database. A failure is reported, and
     * tried again soon.
     */
    reconcile: () => settleInTurn('reconcile'),
    /** Does what `reconcile` does, and adds the bytes moved until now to the usage book. */
    sample: () => settleInTurn('sample'),
    async close() {
      await settleInTurn('sample');
      isClosed = true;
      await turn;
      // Every step is tried, even if others fail.
      const complain = (error: unknown) => warn(`closing the WireGuard end: ${messageOf(error)}`);
      await removeWireGuard(exec, name).catch(complain);
      if (consumersInterface !== undefined)
        await closeConsumerRoutes(exec, consumersInterface, name).catch(complain);
    },
  };
}

function createAbsentEnd(reason: string) {
  const nothing = async () => {};
  return {
    state: { state: 'off', reason } as const,
    reconcile: nothing,
    sample: nothing,
    close: nothing,
  };
}
