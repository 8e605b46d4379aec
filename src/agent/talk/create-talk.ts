import type { LoadedConfig } from '../../config/load.ts';
import type { Machine } from '../../identity/load.ts';
import { createServiceClient, type ServiceClient } from '../../service/client.ts';
import { type Profile, profiles } from '../../service/profiles.ts';
import type { Loop } from '../run-loop.ts';
import type { OpenedState, Shared } from '../state.ts';
import { chooseProfileName } from '../to-facts.ts';
import { createAnnounceLoop } from './announce-loop.ts';
import { createServiceLoop } from './service-loop.ts';
import { createServiceSession } from './service-session.ts';

export interface TalkParts
  extends Pick<
    Shared,
    'wakeups' | 'facts' | 'log' | 'now' | 'random' | 'names' | 'directory' | 'onSetAside'
  > {
  readonly loaded: Pick<LoadedConfig, 'config' | 'credentials' | 'service'>;
  readonly machine: Machine;
  readonly opened: Pick<OpenedState, 'state' | 'sections' | 'confirmedMode'>;
}

/** The whole conversation with the service, and the client that it uses. */
export interface Talk {
  readonly loops: readonly Loop[];
  /** Other loops may ask by it too. The maker of the talk closes it, after all loops have ended. */
  readonly client: ServiceClient;
  /** The wire dialect in force; it never changes while the agent runs. */
  readonly profile: Profile;
}

/**
 * Each loop asks again in its own time, so one try is enough: three tries of each call would triple
 * the load in an outage.
 */
export const triesPerCall = 1;

/** Begins with what an earlier run kept, and asks nothing yet. @throws insecure-url */
export async function createTalk(parts: TalkParts): Promise<Talk> {
  const { loaded, machine, opened, wakeups, facts, log, now, random } = parts;
  const { directory, onSetAside } = parts;
  const { state, sections, confirmedMode } = opened;
  const client = createContactClient(parts);
  const profile = profiles[chooseProfileName(loaded.config)];
  const session = createServiceSession({
    client,
    state,
    facts,
    credentials: loaded.credentials,
    machine,
    directory,
    onSetAside,
    log,
    now,
    onIssued: (registration) => service.take(registration),
  });
  const service = createServiceLoop({
    state,
    service: sections.service,
    session,
    wakeups,
    now,
    random,
  });
  await service.restore();
  const announce = createAnnounceLoop({
    state,
    announcement: sections.announcement,
    confirmedMode,
    client,
    profile,
    wakeups,
    now,
    random,
  });
  return { loops: [service, announce], client, profile };
}

/** A client that notes in the state whether the service answers. */
function createContactClient({ loaded, opened, now, names }: TalkParts): ServiceClient {
  const { state, sections } = opened;
  const { contact } = sections;
  return createServiceClient({
    ...loaded.service,
    tries: triesPerCall,
    names,
    certificateAuthority: () => state.configuration.certificateAuthority,
    onDate: (ms) => {
      contact.serviceTime = { ms, heardAtMs: performance.now() };
    },
    onAttempt: ({ outcome }) => {
      contact.requests[outcome] = (contact.requests[outcome] ?? 0) + 1;
      // No answer, or a portal's: of what else fails here, the loop of the renewals tells whether
      // it lasts.
      contact.isReachable = ![
        'service-unreachable',
        'answer-redirected',
        'answer-not-json',
      ].includes(outcome);
      if (outcome === 'ok') contact.lastContactAt = now();
    },
  });
}
