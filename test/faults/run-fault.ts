import { once } from '../../src/lib/once.ts';
import type { Fault } from './fault.ts';
import { createFaultsWorld, type FaultsWorld } from './world.ts';

/** What a fault did to a device that provided. */
export interface Outcome {
  readonly where: Fault['where'];
  readonly fault: string;
  /** In the first minute of the fault; where connections are what is nasty, those. */
  readonly requestsPerMinute: number;
  /**
   * True where consumers' traffic was never interrupted; after a power cut, where it came back
   * while the fault lasted.
   */
  readonly isTrafficKept: boolean;
  /** True where status called the service reachable while the fault lasted. */
  readonly isReachable: boolean | undefined;
  /** The first reason in status. */
  readonly reason: string | undefined;
  /** The first reason in status while the tunnel is dead besides. */
  readonly reasonOfDeadTunnel: string | undefined;
  /** Log lines about the phase in the whole fault, which tried at least five times. */
  readonly phaseLines: number;
  /** From the end of the fault to providing without a reason; undefined: not within an hour. */
  readonly recoverySeconds: number | undefined;
  /** What the device knew before and not afterwards. */
  readonly lost: readonly string[];
}

const minuteMs = 60_000;
const gigabyte = 1_000_000_000;

/**
 * Brings a device to providing, begins the fault, and ends it again; what waits is on virtual time.
 */
export async function runFault(fault: Fault): Promise<Outcome> {
  await using world = await createFaultsWorld(fault.world);
  let waitMs = await provide(world);
  if (/disk|file|start/.test(fault.where)) {
    // Signed in long ago: what it knows is on the disk, and no auth code is left.
    await world.cutPower(() => undefined);
    waitMs = await provide(world);
  }
  await live(world);
  const known = await remember(world);
  const before = world.front.count();
  const linesBefore = countPhaseLines(world);
  const undo = await fault.begin(world);
  const end = once(async () => undo());
  let isTrafficKept = true;
  const pass = async () => {
    await world.tick('data path');
    isTrafficKept &&= world.isOpen() && !world.isStuck('data path');
  };
  try {
    // The registration is from the disk at first, and from the service with the first renewal.
    for (let times = fault.isAfterPowerCut === true ? 2 : 0; times > 0; times -= 1)
      await begin(world);
    for (let passedMs = 0; passedMs < minuteMs; passedMs += waitMs) {
      waitMs = await world.tick('service');
      await pass();
      world.clock.pass(waitMs);
      world.shakeHands();
      world.consume(gigabyte / 10);
    }
    const requestsPerMinute = world.front.count() - before;
    // The first one may find out, the second one says so.
    for (let times = 0; times < 2; times += 1) await pass();
    const isReachable = world.agent()?.facts().service.isReachable;
    const phaseLines = countPhaseLines(world) - linesBefore;
    const reason = firstReason(world);
    const reasonOfDeadTunnel = await killTunnel(world);
    await end();
    const recoverySeconds = await recover(world, waitMs);
    const { where, name } = fault;
    const seen = {
      requestsPerMinute,
      isTrafficKept,
      isReachable,
      reason,
      reasonOfDeadTunnel,
      phaseLines,
    };
    return {
      where,
      fault: name,
      ...seen,
      recoverySeconds,
      lost: findLost(known, await remember(world)),
    };
  } finally {
    await end();
  }
}

/** Until everything that a start brings is over. */
async function begin(world: FaultsWorld): Promise<number> {
  await world.tick('data path');
  const waitMs = await world.tick('service');
  await world.tick('data path');
  world.shakeHands();
  await world.tick('data path');
  await world.tick('announce');
  // Until the log has said too that nothing can try the fake machine's firewall.
  for (let pass = 0; pass < 4; pass += 1) await world.tick('data path');
  return waitMs;
}

async function provide(world: FaultsWorld): Promise<number> {
  const waitMs = await begin(world);
  const { phase, reasons } = world.report();
  if (phase !== 'providing')
    throw new Error(`it is ${phase} before the fault: ${reasons[0]?.message}`);
  return waitMs;
}

/** There is something to lose: consumers' traffic, and a mode that the owner set by hand. */
async function live(world: FaultsWorld): Promise<void> {
  await world.agent()?.overrides.set('public', undefined);
  world.consume(gigabyte);
  world.clock.pass(minuteMs);
  world.shakeHands();
  await world.tick('data path');
  await world.tick('announce');
}

type Known = Awaited<ReturnType<typeof remember>>;

/** What the device knows of itself and of its past, and what the service knows of it. */
async function remember({ agent, listClients, registration }: FaultsWorld) {
  const facts = agent()?.facts();
  const { up = 0, down = 0 } = facts?.gateway.forwardedBytes ?? {};
  return {
    'the sign-in': facts !== undefined && facts.signInProblem === undefined,
    'the registration': facts?.registration?.clientId ?? (await registration())?.clientId,
    'one client': (await listClients()).join(),
    'the count': up + down,
    'the mode set by hand': facts?.provide.override?.mode,
  };
}

function findLost(before: Known, after: Known): readonly string[] {
  const { 'the count': bytes, ...rest } = before;
  const lost = Object.entries(rest).filter(
    ([name, value]) => after[name as keyof typeof rest] !== value,
  );
  return [...lost.map(([name]) => name), ...(after['the count'] < bytes ? ['the count'] : [])];
}

/** Half an hour without a handshake, for the look of it alone. */
async function killTunnel(world: FaultsWorld): Promise<string | undefined> {
  world.clock.pass(30 * minuteMs);
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
    world.clock.pass(waitMs);
    world.shakeHands();
    await world.tick('data path');
    // A mode for fewer people than the service has lets nothing pass until it is told.
    await world.tick('announce');
    waitMs = await world.tick('service');
    await world.tick('data path');
    const { phase, reasons } = world.report();
    if (phase === 'providing' && reasons.length === 0) return passedMs / 1000;
  }
  return undefined;
}

const firstReason = (world: FaultsWorld) => world.report().reasons[0]?.code;

const countPhaseLines = ({ lines }: FaultsWorld) =>
  lines.filter((line) => line.includes('"message":"phase"')).length;
