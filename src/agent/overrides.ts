import * as z from 'zod';
import { createOverride, currentOverride, type Override, overrideSchema } from '../provide/override.ts';
import type { ProvideMode } from '../service/profiles.ts';
import { createStateFile, type OnSetAside } from '../system/state-file.ts';

/** The mode set by hand: in force at once, and kept in the state directory, so that it outlives a restart. */
export type Overrides = Awaited<ReturnType<typeof openOverrides>>;

interface OverridesOptions {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
  readonly now: () => Date;
}

/** Begins with what an earlier run kept. @throws state-unreadable */
export async function openOverrides({ directory, onSetAside, now }: OverridesOptions) {
  const schema = z.object({ override: overrideSchema.optional() });
  const file = createStateFile({ directory, name: 'override', schema, onSetAside });
  let override = (await file.readOrSetAside())?.override;
  const put = async (next: Override | undefined) => {
    // In force first: what a full disk forgets at the next start holds until then.
    override = next;
    await file.write({ override });
  };
  return {
    /** The one that holds now; undefined: none was set, or its time is over. */
    current: () => currentOverride(override, now()),
    /** `seconds` undefined: until it is cleared. @throws state-unwritable */
    set: (mode: ProvideMode, seconds: number | undefined) => put(createOverride(mode, seconds, now())),
    /** @throws state-unwritable */
    clear: () => put(undefined),
  };
}
