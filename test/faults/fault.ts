import type { FaultsWorld, FaultsWorldOptions } from './world.ts';

/** A fault: what begins it, and what ends it again. */
export interface Fault {
  readonly name: string;
  readonly where:
    | 'service'
    | 'line'
    | 'TLS'
    | 'DNS'
    | 'DNS at a start'
    | 'clock'
    | 'disk'
    | 'disk at a start'
    | 'file'
    | 'file at a start';
  /**
   * The first reason in status while it lasts; undefined: it does no harm, so that there is nothing
   * to say.
   */
  readonly reason: string | undefined;
  readonly world?: FaultsWorldOptions | undefined;
  /** It begins with a power cut, and the device starts while it lasts. */
  readonly isAfterPowerCut?: boolean;
  /**
   * No consumer's traffic passes while it lasts: better none than too much, or than a wrong
   * device's.
   */
  readonly isStop?: boolean;
  /** The owner has to do something before it provides again. */
  readonly isForOwner?: boolean;
  /** What the device does not know any more afterwards, as `findLost` calls it; absent: nothing. */
  readonly lost?: readonly string[];
  /** The longest time from its end to providing, where that is not two minutes. */
  readonly mostSeconds?: number;
  /** It did harm once: CI tries it too. */
  readonly wasDefect?: boolean;
  /** Resolves with its end. */
  readonly begin: (world: FaultsWorld) => Promise<() => unknown>;
}

/** Begins it while the power is off. */
export const whileOff =
  (begin: Fault['begin']): Fault['begin'] =>
  async (world) => {
    let end: () => unknown = () => undefined;
    await world.cutPower(async () => {
      end = await begin(world);
    });
    return end;
  };
