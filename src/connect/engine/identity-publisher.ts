import type { ControlClient } from '../control/control-client.ts';
import { type IdentityData, loadIdentity, toPublication } from '../sealed/identity.ts';
import { createBell } from './bell.ts';

/**
 * Tells the platform who we are to consumers that seal, once in each process: another one may have
 * told it another key since. Unlike what is offered, it costs no minute.
 */
export interface IdentityPublisher {
  /** Publishes until it succeeds, or until the signal is aborted; ever more rarely. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Resolves after the first try, whatever came of it: a platform that takes no keys is no reason
   * to serve nobody.
   */
  readonly first: Promise<void>;
  /** The token changed. */
  wake(): void;
  isPublished(): boolean;
}

const firstWait = 1000;
const longestWait = 300_000;

export function createIdentityPublisher(options: {
  /** Undefined where there is nothing to publish. */
  readonly identity: IdentityData | undefined;
  readonly control: Pick<ControlClient, 'publishIdentity'>;
  /** From 0 to 1. */
  readonly random: () => number;
}): IdentityPublisher {
  const { identity, control } = options;
  const bell = createBell();
  const { promise: first, resolve: isFirst } = Promise.withResolvers<void>();
  let isPublished = false;

  const publish = async (publication: Publication, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures++) {
      const { kind } = await control.publishIdentity(publication, signal);
      isPublished = kind === 'done';
      isFirst();
      if (isPublished) return;
      const steady = Math.min(longestWait, firstWait * 2 ** failures) / 2;
      await bell.wait(steady * (1 + options.random()), signal);
    }
  };

  return {
    first,
    wake: bell.ring,
    isPublished: () => isPublished,
    async run(signal) {
      if (identity !== undefined) await publish(toPublication(loadIdentity(identity)), signal);
      isFirst();
    },
  };
}

type Publication = ReturnType<typeof toPublication>;
