import * as z from 'zod';
import { toUndefined } from '../errors/codes.ts';
import { isClockSet } from '../lib/clock.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { createStateFile } from '../system/state-file.ts';
import type { Shared } from './state.ts';

const overrideSchema = z.object({
  mode: z.enum(provideModes),
  /** Absent if it holds until it is cleared. */
  until: z.iso.datetime().pipe(z.coerce.date()).optional(),
  /** Absent if schedule and configuration decide the limit. */
  limitBitsPerSecond: z.int().positive().optional(),
});

const overrideDocument = z.object({ override: overrideSchema.optional() });

/** A mode that was set by hand, with the limit that came with it. */
type Override = Readonly<z.output<typeof overrideSchema>>;

/**
 * The mode that was set by hand. It is in force at once, and kept in the state directory so that it
 * survives a restart. Before `load` no such mode is known.
 */
export interface Overrides {
  /**
   * Reads what an earlier run kept. A file that cannot be read is never set aside, because nothing
   * else knows what the owner wanted.
   * @throws state-unreadable
   */
  load(): Promise<void>;
  /** The override that holds now; undefined if none was set or its time is over. */
  current(): Override | undefined;
  /**
   * Sets a mode, which is in force when this returns, even if writing it then fails. Without
   * `seconds` it holds until it is cleared; without `limitBitsPerSecond` schedule and configuration
   * decide the limit.
   * @throws state-unwritable
   */
  set(mode: ProvideMode, seconds?: number, limitBitsPerSecond?: number): Promise<void>;
  /** Clears the mode that was set. @throws state-unwritable */
  clear(): Promise<void>;
}

export function openOverrides({
  now,
  ...kept
}: Pick<Shared, 'directory' | 'onSetAside' | 'now'>): Overrides {
  const file = createStateFile({ ...kept, name: 'override', schema: overrideDocument });
  let override: Override | undefined;
  /** When it was set in this process, by the wall clock and by `performance.now()`. */
  let setAt: { readonly wallMs: number; readonly ms: number; readonly forMs: number } | undefined;
  /**
   * When it ends; undefined where only the owner ends it. A clock that was set, or put back, since
   * the override was set says nothing about its time, so the time that passed decides.
   */
  const findEnd = ({ mode, until }: Override, at: Date): Date | undefined => {
    if (until === undefined) return undefined;
    const wasSet = isClockSet(until.getTime());
    const isTold = wasSet || !isClockSet(at.getTime());
    if (setAt !== undefined && (!isTold || at.getTime() < setAt.wallMs)) {
      return new Date(at.getTime() + setAt.forMs - (performance.now() - setAt.ms));
    }
    // After a restart, nothing tells how long it has been in force. What shares nothing stays.
    return !isTold && mode === 'none' ? undefined : until;
  };
  const put = async (next: Override | undefined) => {
    // The override is in force before it is written: what a full disk does not keep still holds
    // until the next start.
    override = next;
    await file.write({ override });
  };
  return {
    async load() {
      override ??= (await file.peek())?.override;
    },
    current() {
      if (override === undefined) return undefined;
      const at = now();
      const until = findEnd(override, at);
      if (until !== undefined && until <= at) return undefined;
      return until === override.until ? override : { ...override, until };
    },
    set: (mode, seconds, limitBitsPerSecond) => {
      const wallMs = now().getTime();
      const forMs = (seconds ?? 0) * 1000;
      const until = seconds === undefined ? undefined : new Date(wallMs + forMs);
      setAt = { wallMs, ms: performance.now(), forMs };
      return put({ mode, until, limitBitsPerSecond });
    },
    clear: () => put(undefined),
  };
}

/**
 * The mode that the service last confirmed, kept across restarts so that it is not sent again
 * without need. It belongs to one client: another client has none until the service confirms it.
 */
export interface ConfirmedMode {
  /** undefined if the service has confirmed none for the present client. */
  current(): ProvideMode | undefined;
  /**
   * Takes the mode that the service answered; undefined if it did not say.
   * @throws state-unwritable
   */
  note(mode: ProvideMode | undefined): Promise<void>;
}

interface ConfirmedModeOptions extends Pick<Shared, 'directory' | 'onSetAside'> {
  /** The present client. Another client begins without a confirmed mode. */
  readonly clientId: () => string | undefined;
}

const confirmation = z.object({ clientId: z.string().min(1), mode: z.enum(provideModes) });

/** Reads what an earlier run kept. If that fails, the mode is sent once more. */
export async function openConfirmedMode({
  clientId,
  ...kept
}: ConfirmedModeOptions): Promise<ConfirmedMode> {
  const file = createStateFile({ ...kept, name: 'confirmed-mode', schema: confirmation });
  let known = await file.readOrSetAside().catch(toUndefined());
  return {
    current: () => (known?.clientId === clientId() ? known?.mode : undefined),
    async note(mode) {
      const client = clientId();
      if (client === undefined || (known?.clientId === client && known.mode === mode)) return;
      known = mode && { clientId: client, mode };
      if (known !== undefined) await file.write(known);
    },
  };
}
