import { hasFreshHandshake } from '../source/wireguard/fresh-handshake.ts';
import type { Facts } from './facts.ts';

/** Why traffic may not pass, the most important obstacle first. */
const obstacles = {
  stopping: ({ stoppingSince }) => stoppingSince !== undefined,
  'signed-out': ({ signInProblem }) => signInProblem !== undefined,
  unfenced: (facts) => !isFenced(facts),
  'not-registered': ({ registration }) => registration === undefined,
  'cap-reached': isCapReached,
  'no-uplink': ({ gateway }) => gateway.uplink === undefined,
  'no-tunnel': ({ tunnel }) => tunnel.backend === undefined,
  'no-handshake': ({ tunnel }, { now }) => !hasFreshHandshake(tunnel, now),
  undecided: (_facts, { mode }) => mode === undefined,
  'gateway-disabled': ({ gateway }) => !gateway.isEnabled,
  'mode-none': (_facts, { mode }) => mode === 'none',
} satisfies Readonly<Record<string, (facts: Facts, asked: Asked) => boolean>>;
export type Obstacle = keyof typeof obstacles;

interface Asked {
  readonly now: Date;
  /** The mode that the owner chose; undefined before it was first decided. */
  readonly mode: Facts['provide']['effective'];
}

export type ForwardDecision = Readonly<ReturnType<typeof mayForward>>;

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
export function mayForward(facts: Facts, { now, mode: chosen }: Asked) {
  const isLimited = isCapReached(facts) || !isFenced(facts);
  /** The mode that is enforced and sent to the service; a limit makes it none. */
  const mode = chosen !== undefined && isLimited ? 'none' : chosen;
  /** Every obstacle, the most important first; empty with a permit. */
  const reasons = (Object.keys(obstacles) as Obstacle[]).filter((name) =>
    obstacles[name](facts, { now, mode }),
  );
  return { permit: reasons.length === 0, mode, reasons };
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
