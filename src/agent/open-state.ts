import type { Config } from '../config/schema.ts';
import { openUsageAccounting } from '../data-path/usage-accounting.ts';
import type { OnSetAside } from '../system/state-file.ts';
import { version } from '../version.ts';
import { openConfirmedMode } from './confirmed-mode.ts';
import { openOverrides } from './overrides.ts';
import { type AgentState, createSections } from './state.ts';
import { collectFacts } from './to-facts.ts';

export interface StateOptions {
  readonly config: Config;
  readonly certificateAuthority?: string | undefined;
  readonly directory: string;
  readonly onSetAside: OnSetAside;
  readonly now: () => Date;
}

/** The state as everyone reads it, and what its writers are handed. Begins with what earlier runs kept in the state directory. @throws state-unreadable, state-unwritable */
export async function openState({ config, certificateAuthority, now, ...kept }: StateOptions) {
  const sections = createSections(config, now(), certificateAuthority);
  const usage = await openUsageAccounting({ ...kept, now, limits: () => sections.configuration.config.provide });
  const overrides = await openOverrides({ ...kept, now });
  const confirmedMode = await openConfirmedMode({ ...kept, clientId: () => sections.service.registration?.clientId });
  const state: AgentState = { ...sections, usage, overrides, confirmedMode };
  return { state, sections, usage, overrides, confirmedMode, facts: () => collectFacts(state, version) };
}
