import * as z from 'zod';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { createStateFile, type OnSetAside } from '../system/state-file.ts';

/** The mode as the service last confirmed it, kept across restarts so that it is not sent again for nothing. */
export type ConfirmedMode = Awaited<ReturnType<typeof openConfirmedMode>>;

interface ConfirmedModeOptions {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
  /** The present client: another one starts without a confirmed mode. */
  readonly clientId: () => string | undefined;
}

const schema = z.object({ clientId: z.string().min(1), mode: z.enum(provideModes) });
type Confirmation = Readonly<z.output<typeof schema>>;

/** Reads what an earlier run kept. @throws state-unreadable, state-unwritable */
export async function openConfirmedMode({ directory, onSetAside, clientId }: ConfirmedModeOptions) {
  const file = createStateFile<Confirmation>({ directory, name: 'confirmed-mode', schema, onSetAside });
  let known: { readonly clientId: string; readonly mode: ProvideMode | undefined } | undefined =
    await file.readOrSetAside();
  return {
    /** undefined: the service never confirmed one for the present client. */
    current: () => (known?.clientId === clientId() ? known?.mode : undefined),
    /** Takes the service's word; undefined: it did not say. @throws state-unwritable */
    async note(mode: ProvideMode | undefined) {
      const client = clientId();
      if (client === undefined || (known?.clientId === client && known.mode === mode)) return;
      known = { clientId: client, mode };
      if (mode !== undefined) await file.write({ clientId: client, mode });
    },
  };
}
