import * as z from 'zod';
import { createOverride, type Override, overrideSchema } from '../provide/override.ts';
import type { ProvideMode } from '../service/profiles.ts';
import { createStateFile, type OnSetAside } from '../system/state-file.ts';
import type { Board } from './state.ts';

/** The mode set by hand: on the board at once, and in the state directory, so that it outlives a restart. */
export interface Overrides {
  /** `seconds` undefined: until it is cleared. @throws state-unwritable */
  set(mode: ProvideMode, seconds: number | undefined): Promise<void>;
  /** @throws state-unwritable */
  clear(): Promise<void>;
}

interface OverridesOptions {
  readonly directory: string;
  readonly board: Board;
  readonly onSetAside: OnSetAside;
  readonly now: () => Date;
}

/** Puts what an earlier run kept on the board. @throws state-unreadable */
export async function openOverrides({ directory, board, onSetAside, now }: OverridesOptions): Promise<Overrides> {
  const schema = z.object({ override: overrideSchema.optional() });
  const file = createStateFile<{ readonly override?: Override | undefined }>({
    directory,
    name: 'override',
    schema,
    onSetAside,
  });
  const put = async (override: Override | undefined) => {
    // In force first: what a full disk forgets at the next start holds until then.
    board.override = override;
    await file.write({ override });
  };
  board.override = (await file.readOrSetAside())?.override;
  return {
    set: (mode, seconds) => put(createOverride(mode, seconds, now())),
    clear: () => put(undefined),
  };
}
