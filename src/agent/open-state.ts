import { openUsageAccounting } from '../data-path/usage-accounting.ts';
import { version } from '../version.ts';
import { openConfirmedMode, openOverrides } from './kept-choices.ts';
import { type AgentState, createSections, type Shared } from './state.ts';
import { collectFacts } from './to-facts.ts';

export interface StateOptions
  extends Pick<AgentState['configuration'], 'config' | 'certificateAuthority'>,
    Pick<Shared, 'directory' | 'onSetAside' | 'now'> {}

/** The state as everyone reads it, and what its writers are handed. Begins with what earlier runs kept in the state directory. @throws state-unreadable, state-unwritable */
export async function openState({ config, certificateAuthority, now, ...kept }: StateOptions) {
  const sections = createSections(config, now(), certificateAuthority);
  const usage = await openUsageAccounting({ ...kept, now, limits: () => sections.configuration.config.provide });
  const overrides = await openOverrides({ ...kept, now });
  const confirmedMode = await openConfirmedMode({ ...kept, clientId: () => sections.service.registration?.clientId });
  const state: AgentState = { ...sections, usage, overrides, confirmedMode };
  return { state, sections, usage, overrides, confirmedMode, facts: () => collectFacts(state, version) };
}
