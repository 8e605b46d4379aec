import * as z from 'zod';
import { toUndefined } from '../errors/codes.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { createStateFile } from '../system/state-file.ts';
import type { Shared } from './state.ts';

/**
 * The mode that was set by hand. It is in force at once, and kept in the state directory so that it
 * survives a restart.
 */
export type Overrides = ReturnType<typeof openOverrides>;

const overrideSchema = z.object({
  mode: z.enum(provideModes),
  /** Absent if it holds until it is cleared. */
  until: z.iso.datetime().pipe(z.coerce.date()).optional(),
  /** Absent if schedule and configuration decide the limit. */
  limitBitsPerSecond: z.int().positive().optional(),
});

const overrideDocument = z.object({ override: overrideSchema.optional() });

/** Opens the overrides. Before `load` there are none. */
export function openOverrides({ now, ...kept }: Pick<Shared, 'directory' | 'onSetAside' | 'now'>) {
  const file = createStateFile({ ...kept, name: 'override', schema: overrideDocument });
  let override: Readonly<z.output<typeof overrideSchema>> | undefined;
  const put = async (next: typeof override) => {
    // The override is in force before it is written: what a full disk does not keep still holds
    // until the next start.
    override = next;
    await file.write({ override });
  };
  return {
    /**
     * Reads what an earlier run kept. A broken file is not set aside, because nothing else knows
     * what the owner wanted.
     * @throws state-unreadable
     */
    async load() {
      override ??= (await file.peek())?.override;
    },
    /** The override that holds now; undefined if none was set or its time is over. */
    current: () =>
      override?.until !== undefined && override.until <= now() ? undefined : override,
    /** Sets a mode; without `seconds` it holds until it is cleared. @throws state-unwritable */
    set: (mode: ProvideMode, seconds?: number, limitBitsPerSecond?: number) => {
      const until = seconds === undefined ? undefined : new Date(now().getTime() + seconds * 1000);
      return put({ mode, until, limitBitsPerSecond });
    },
    /** Clears the override. @throws state-unwritable */
    clear: () => put(undefined),
  };
}

/**
 * The mode that the service last confirmed. It is kept across restarts, so that it is not sent
 * again without need.
 */
export type ConfirmedMode = Awaited<ReturnType<typeof openConfirmedMode>>;

interface ConfirmedModeOptions extends Pick<Shared, 'directory' | 'onSetAside'> {
  /** The present client. Another client begins without a confirmed mode. */
  readonly clientId: () => string | undefined;
}

const confirmation = z.object({ clientId: z.string().min(1), mode: z.enum(provideModes) });

/** Reads what an earlier run kept. If that fails, the mode is sent once more. */
export async function openConfirmedMode({ clientId, ...kept }: ConfirmedModeOptions) {
  const file = createStateFile({ ...kept, name: 'confirmed-mode', schema: confirmation });
  let known = await file.readOrSetAside().catch(toUndefined());
  return {
    /** undefined if the service has confirmed none for the present client. */
    current: () => (known?.clientId === clientId() ? known?.mode : undefined),
    /**
     * Takes the mode that the service answered; undefined if it did not say.
     * @throws state-unwritable
     */
    async note(mode: ProvideMode | undefined) {
      const client = clientId();
      if (client === undefined || (known?.clientId === client && known.mode === mode)) return;
      known = mode && { clientId: client, mode };
      if (known !== undefined) await file.write(known);
    },
  };
}
