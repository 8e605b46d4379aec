import * as z from 'zod';
import { toUndefined } from '../../errors/codes.ts';
import { phases } from '../../health/phase.ts';
import { provideModes } from '../../service/profiles.ts';
import { type ChosenMode, chooserWords } from '../../status/chosen-mode.ts';
import type { RecentEvent } from '../../status/recent.ts';
import { createStateFile } from '../../system/state-file.ts';
import type { Shared } from '../state.ts';

const at = z.iso.datetime().pipe(z.coerce.date());
const choosers = Object.keys(chooserWords) as [ChosenMode['chooser']];
const event = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('phase'),
    at,
    phase: z.enum(phases),
    message: z.string().max(400).optional(),
  }),
  z.object({ kind: z.literal('mode'), at, mode: z.enum(provideModes), chooser: z.enum(choosers) }),
  z.object({ kind: z.literal('start'), at, version: z.string().max(80) }),
]);
const document = z.object({ events: z.array(event).max(200) });

/** What happened in earlier runs, for the page; kept in the state directory. */
export interface KeptEvents {
  /** Of the runs before this one, the newest first; empty where they cannot be read. */
  readonly earlier: readonly RecentEvent[];
  /** Writes the events unless they are the ones that were written last. @throws state-unwritable */
  keep(events: readonly RecentEvent[]): Promise<void>;
}

export async function openKeptEvents(
  kept: Pick<Shared, 'directory' | 'onSetAside'>,
): Promise<KeptEvents> {
  const file = createStateFile({ ...kept, name: 'events', schema: document });
  const read = await file.readOrSetAside().catch(toUndefined());
  const earlier = (read?.events ?? []).map(
    (own): RecentEvent => (own.kind === 'phase' ? { ...own, message: own.message } : own),
  );
  let written: readonly RecentEvent[] = earlier;
  return {
    earlier,
    async keep(events) {
      if (events === written) return;
      await file.write({ events: [...events] as z.output<typeof document>['events'] });
      written = events;
    },
  };
}
