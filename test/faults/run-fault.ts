import { once } from '../../src/lib/once.ts';
import type { Fault } from './rows.ts';
import { createFaultsWorld, type FaultsWorld } from './world.ts';

/** What a fault did to a device that provided. */
export interface Outcome {
  readonly where: Fault['where'];
  readonly fault: string;
  /** In the first minute of the fault; where connections are what is nasty, those. */
  readonly requestsPerMinute: number;
  /** True where consumers' traffic was never interrupted. */
  readonly isTrafficKept: boolean;
  /** True where status called the service reachable while the fault lasted. */
  readonly isReachable: boolean | undefined;
  /** The first reason in status. */
  readonly reason: string | undefined;
  /** The same while the tunnel is dead too. */
  readonly reasonOfDeadTunnel: string | undefined;
  /** Log lines about the phase in the whole fault, which tried at least five times. */
  readonly phaseLines: number;
  /** From the end of the fault to providing without a reason; undefined: not within an hour. */
  readonly recoverySeconds: number | undefined;
}

const minuteMs = 60_000;

/** Brings a device to providing, begins the fault, and ends it again; what waits is on virtual time. */
export async function runFault(fault: Fault): Promise<Outcome> {
  await using world = await createFaultsWorld({ isTls: fault.isTls });
  let waitMs = await provide(world);
  const before = world.front.count();
  const linesBefore = countPhaseLines(world);
  const undo = await fault.begin(world);
  const end = once(async () => undo());
  let isTrafficKept = true;
  const pass = async () => {
    await world.tick('data path');
    isTrafficKept &&= world.isOpen();
  };
  try {
    for (let passedMs = 0; passedMs < minuteMs; passedMs += waitMs) {
      waitMs = await world.tick('service');
      await pass();
      world.clock.nowMs += waitMs;
      world.shakeHands();
    }
    const requestsPerMinute = world.front.count() - before;
    await pass();
    const isReachable = world.service().isReachable;
    const phaseLines = countPhaseLines(world) - linesBefore;
    const reason = firstReason(world);
    const reasonOfDeadTunnel = await killTunnel(world);
    await end();
    const recoverySeconds = await recover(world, waitMs);
    const { where, name } = fault;
    const seen = { requestsPerMinute, isTrafficKept, isReachable, reason, reasonOfDeadTunnel, phaseLines };
    return { where, fault: name, ...seen, recoverySeconds };
  } finally {
    await end();
  }
}

async function provide(world: FaultsWorld): Promise<number> {
  await world.tick('data path');
  const waitMs = await world.tick('service');
  await world.tick('data path');
  world.shakeHands();
  await world.tick('data path');
  await world.tick('announce');
  // Until the log has said too that nothing can try the fake machine's firewall.
  for (let pass = 0; pass < 4; pass += 1) await world.tick('data path');
  const { phase, reasons } = world.report();
  if (phase !== 'providing') throw new Error(`it is ${phase} before the fault: ${reasons[0]?.message}`);
  return waitMs;
}

/** Half an hour without a handshake, for the look of it alone. */
async function killTunnel(world: FaultsWorld): Promise<string | undefined> {
  world.clock.nowMs += 30 * minuteMs;
  await world.tick('data path');
  const reason = firstReason(world);
  world.shakeHands();
  await world.tick('data path');
  return reason;
}

/** The worst case: the next try was planned just before the fault ended. */
async function recover(world: FaultsWorld, plannedMs: number): Promise<number | undefined> {
  let waitMs = plannedMs;
  for (let passedMs = waitMs; passedMs <= 60 * minuteMs; passedMs += waitMs) {
    world.clock.nowMs += waitMs;
    world.shakeHands();
    await world.tick('data path');
    waitMs = await world.tick('service');
    await world.tick('data path');
    const { phase, reasons } = world.report();
    if (phase === 'providing' && reasons.length === 0) return passedMs / 1000;
  }
  return undefined;
}

const firstReason = (world: FaultsWorld) => world.report().reasons[0]?.code;

const countPhaseLines = ({ lines }: FaultsWorld) => lines.filter((line) => line.includes('"topic":"phase"')).length;
