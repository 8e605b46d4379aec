import { provideModes } from '../../connect/wire/message-types.ts';

/** The terms of contracts. Ages are in ms by the platform's clock. */

const mebibyte = 1024 * 1024;
const leastBytes = mebibyte;
const mostBytes = 256 * mebibyte;

/** What a contract is made for, whatever was asked. */
export function limitBytes(asked: number): number {
  return Math.min(mostBytes, Math.max(leastBytes, asked));
}

/** A contract of this age is closed by force, with what was reported by then. */
export const longestOpen = 300_000;
/** A contract that was closed is the origin of companions for so long. */
export const originAfterClose = 300_000;
/** A dispute is settled by the mean after so long. */
export const longestDispute = 300_000;
/** How long a companion's request waits for its origin, in ms of our own clock. */
export const longestWaitForOrigin = 3000;

/**
 * Which of the provider's secrets signs a contract. The platform knows two ways of providing: to
 * one's own network, which costs nothing, and to everybody. Companions answer the consumer that
 * pays for them, and it checks them by its Stream secret.
 */
export function chooseMode(of: {
  readonly isCompanion: boolean;
  readonly isSameNetwork: boolean;
}): number {
  if (of.isCompanion) return provideModes.stream;
  return of.isSameNetwork ? provideModes.network : provideModes.public;
}

/** Why no contract is made, as the answer says it. */
export const refusals = {
  /** The other end publishes no secret for this. */
  noPermission: 0,
  /** Most other causes: nobody can pay, or there is nothing that a companion could answer. */
  insufficientBalance: 1,
} as const;
