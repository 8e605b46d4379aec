import { isAlive } from '../source/source-report.ts';
import type { Facts, SourceFacts } from './facts.ts';

/** Why traffic may not pass, the most important obstacle first. */
const obstacles = {
  stopping: ({ stoppingSince }) => stoppingSince !== undefined,
  'signed-out': ({ signInProblem }) => signInProblem !== undefined,
  unfenced: (facts) => !isFenced(facts),
  'not-registered': ({ registration }) => registration === undefined,
  'cap-reached': isCapReached,
  'no-uplink': ({ gateway }) => gateway.uplink === undefined,
  'no-device': ({ sources }) => !sources.some(({ isThere }) => isThere),
  'not-alive': ({ sources }, { now }) =>
    sources.some(({ isThere }) => isThere) && findAlive(sources, now).length === 0,
  undecided: (_facts, { mode }) => mode === undefined,
  'wider-at-service': ({ provide }) => provide.wider !== undefined,
  'gateway-disabled': ({ gateway }) => !gateway.isEnabled,
  'mode-none': (_facts, { mode }) => mode === 'none',
} satisfies Readonly<Record<string, (facts: Facts, asked: Asked) => boolean>>;
export type Obstacle = keyof typeof obstacles;

interface Asked {
  readonly now: Date;
  /** The mode that the owner chose; undefined before it was first decided. */
  readonly mode: Facts['provide']['effective'];
}

export interface ForwardDecision {
  readonly permit: boolean;
  /** Names of the devices that the permit is for; empty without one. */
  readonly devices: readonly string[];
  /**
   * The mode that holds and that the service is told. The cap makes it none, and so does a fence
   * that has not held for `longestUnfencedMs`.
   */
  readonly mode: Facts['provide']['effective'];
  /** Every obstacle, the weightiest first; empty with a permit. */
  readonly reasons: readonly Obstacle[];
}

/**
 * Without a fence nothing passes, from the first moment on. What the service is told waits for this
 * long (ms): a firewall that another program reloads is whole again after the next pass, and a
 * self-test is repeated every eight seconds. Each change of the mode costs the device the service's
 * present minute, and ends every contract of its consumers. For half a minute they take the gap for
 * one of the line; longer, they should go to another device.
 */
export const longestUnfencedMs = 30_000;

const endings: readonly Obstacle[] = ['cap-reached', 'gateway-disabled', 'mode-none'];

/**
 * True where the owner or the cap closed the gateway, so that consumers' open connections are over.
 * An outage does not end them, because it may pass.
 */
export function isOver({ reasons }: ForwardDecision): boolean {
  return reasons.some((reason) => endings.includes(reason));
}

/**
 * The one decision whether consumers' traffic may pass. The data path obeys `permit`. Anything
 * unknown is an obstacle.
 */
export function mayForward(facts: Facts, { now, mode: chosen }: Asked): ForwardDecision {
  const isLimited = isCapReached(facts) || isUnfencedForLong(facts, now);
  const mode = chosen !== undefined && isLimited ? 'none' : chosen;
  const reasons = (Object.keys(obstacles) as Obstacle[]).filter((name) =>
    obstacles[name](facts, { now, mode }),
  );
  const permit = reasons.length === 0;
  const devices = findAlive(facts.sources, now).map(({ device }) => device);
  return { permit, mode, reasons, devices: permit ? devices : [] };
}

/** The sources that consumers can be behind now; the others' devices stay shut. */
function findAlive(sources: Facts['sources'], now: Date): Facts['sources'] {
  return sources.filter((source) => bringsConsumers(source, now));
}

/** True where consumers can come through a source now: its device is there, and its other end. */
export function bringsConsumers(
  { isThere, life }: Pick<SourceFacts, 'isThere' | 'life'>,
  now: Date,
): boolean {
  return isThere && isAlive(life, now);
}

function isCapReached({ provide }: Facts): boolean {
  return provide.pause !== undefined;
}

/**
 * True where the kernel has exactly the agent's rules, and the last self-test found that they hold.
 */
function isFenced({ gateway }: Facts): boolean {
  return gateway.problem === undefined && gateway.selfTest.failure === undefined;
}

/** True where the fence has not held for so long that no consumer should be sent here. */
function isUnfencedForLong({ gateway }: Facts, now: Date): boolean {
  return [gateway.problem, gateway.selfTest.failure].some(
    (problem) =>
      problem !== undefined && now.getTime() - problem.since.getTime() >= longestUnfencedMs,
  );
}
