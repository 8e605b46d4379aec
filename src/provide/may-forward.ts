import type { ProvideMode } from '../service/profiles.ts';

/** All that has a say in whether consumers' traffic may pass. */
export interface ForwardFacts {
  /** What the owner chose; undefined before it was first decided. */
  readonly mode: ProvideMode | undefined;
  readonly isCapReached: boolean;
  readonly isStopping: boolean;
  /** Nothing valid to sign in with; a service that cannot be asked is not this. */
  readonly isSignedOut: boolean;
  readonly isRegistered: boolean;
  readonly hasUplink: boolean;
  readonly hasTunnel: boolean;
  readonly hasFreshHandshake: boolean;
  readonly isGatewayEnabled: boolean;
  /** The kernel holds the agent's rules exactly as they were given. */
  readonly isFenced: boolean;
}

/** Why traffic may not pass, the weightiest first. */
const obstacles = {
  stopping: ({ isStopping }) => isStopping,
  'signed-out': ({ isSignedOut }) => isSignedOut,
  unfenced: ({ isFenced }) => !isFenced,
  'not-registered': ({ isRegistered }) => !isRegistered,
  'cap-reached': ({ isCapReached }) => isCapReached,
  'no-uplink': ({ hasUplink }) => !hasUplink,
  'no-tunnel': ({ hasTunnel }) => !hasTunnel,
  'no-handshake': ({ hasFreshHandshake }) => !hasFreshHandshake,
  undecided: ({ mode }) => mode === undefined,
  'gateway-disabled': ({ isGatewayEnabled }) => !isGatewayEnabled,
  'mode-none': ({ mode }) => mode === 'none',
} satisfies Readonly<Record<string, (facts: ForwardFacts) => boolean>>;
export type Obstacle = keyof typeof obstacles;

export type ForwardDecision = Readonly<ReturnType<typeof mayForward>>;

const endings: readonly Obstacle[] = ['cap-reached', 'gateway-disabled', 'mode-none'];

/** True where the owner or the cap closed, so that what consumers had open is over: an outage may pass. */
export function isOver({ reasons }: ForwardDecision): boolean {
  return reasons.some((reason) => endings.includes(reason));
}

/** The one decision whether consumers' traffic may pass: by `permit`, which the data path obeys. Whatever is not known is an obstacle. */
export function mayForward(facts: ForwardFacts) {
  const isLimited = facts.isCapReached || !facts.isFenced;
  /** The mode that holds and that the service is told; a limit makes it none. */
  const mode = facts.mode !== undefined && isLimited ? 'none' : facts.mode;
  const limited = { ...facts, mode };
  /** Every obstacle, the weightiest first; empty with a permit. */
  const reasons = (Object.keys(obstacles) as Obstacle[]).filter((obstacle) => obstacles[obstacle](limited));
  return { permit: reasons.length === 0, mode, reasons };
}
