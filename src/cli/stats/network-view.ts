import { hasCode } from '../../lib/errors.ts';
import type { OperationResponse } from '../../service/operations.ts';
import { type Profile, type ProvideMode, toProvideMode } from '../../service/profiles.ts';
import { toNamedClient } from '../choose-client.ts';
import type { Session } from '../session.ts';
import type { ConnectionEvent } from './timeline.ts';
import { sumKnown } from './window.ts';

/** What every device of the network did, as `stats --json` shows it; null where the service says nothing. */
export interface NetworkStats {
  readonly scope: 'network';
  readonly windowHours: number;
  /** When the service made the figures. */
  readonly createdAt: string | null;
  readonly providers: readonly ProviderStats[];
  /** Consumers are left out: one that used two devices would count twice. */
  readonly totals: Omit<Figures, 'consumers'> & {
    readonly deviceCount: number;
    readonly connectedCount: number;
  };
}

interface Figures {
  readonly uptimeHours: number | null;
  /** Of the window, 0 to 1. */
  readonly uptimeShare: number | null;
  readonly transferGib: number | null;
  readonly payoutUsdc: number | null;
  readonly searchInterest: number | null;
  readonly contracts: number | null;
  readonly consumers: number | null;
}

/** One device over the window. */
export interface ProviderStats extends Figures {
  readonly clientId: string | null;
  readonly name: string | null;
  readonly isConnected: boolean | null;
  readonly provideMode: ProvideMode | null;
  readonly connectedEvents: readonly ConnectionEvent[];
}

type Answer = Pick<OperationResponse<'providers'>, 'createdTime' | 'providers'>;

/** @throws codes of `Session.call` */
export async function readNetworkStats(session: Session, windowHours: number): Promise<NetworkStats> {
  const answer = await readProviders(session, windowHours);
  const names = answer.providers.length === 0 ? new Map<string, string>() : await readNames(session);
  return toNetworkStats(answer, { profile: session.profile, names, windowHours });
}

/** Of a network whose answer is too large to be taken whole there is the list only: when it was made is not known then. */
async function readProviders(session: Session, windowHours: number): Promise<Answer> {
  const isDay = windowHours === 24;
  const request = { lastN: windowHours };
  try {
    return isDay ? await session.call('providers', undefined) : await session.call('providersLastN', request);
  } catch (error) {
    if (!hasCode(error, 'answer-too-large')) throw error;
  }
  const list = isDay ? session.stream('providers', undefined) : session.stream('providersLastN', request);
  const providers: Answer['providers'][number][] = [];
  for await (const provider of list) providers.push(provider);
  return { createdTime: undefined, providers };
}

/** The figures of an answer with the names of devices by id, and their sums. */
export function toNetworkStats(
  answer: Answer,
  given: { readonly profile: Profile; readonly names: ReadonlyMap<string, string>; readonly windowHours: number },
): NetworkStats {
  const { profile, names, windowHours } = given;
  const providers = answer.providers.map((provider) => ({
    clientId: provider.clientId ?? null,
    name: names.get(provider.clientId ?? '') || null,
    isConnected: provider.connected ?? null,
    uptimeHours: provider.uptimeLast24h ?? null,
    uptimeShare: toShare(provider.uptimeLast24h, windowHours),
    transferGib: provider.transferDataLast24h ?? null,
    payoutUsdc: provider.payoutLast24h ?? null,
    searchInterest: provider.searchInterestLast24h ?? null,
    contracts: provider.contractsLast24h ?? null,
    consumers: provider.clientsLast24h ?? null,
    provideMode: toProvideMode(profile, provider.provideMode) ?? null,
    connectedEvents: provider.connectedEventsLast24h.map(({ eventTime, connected }) => ({
      at: eventTime ?? null,
      isConnected: connected ?? false,
    })),
  }));
  return {
    scope: 'network',
    windowHours,
    createdAt: answer.createdTime ?? null,
    providers,
    totals: toTotals(providers, windowHours),
  };
}

function toTotals(providers: readonly ProviderStats[], windowHours: number): NetworkStats['totals'] {
  const sum = (read: (provider: ProviderStats) => number | null) => sumKnown(providers.map(read));
  const uptimeHours = sum((provider) => provider.uptimeHours);
  return {
    deviceCount: providers.length,
    connectedCount: providers.filter(({ isConnected }) => isConnected).length,
    uptimeHours,
    uptimeShare: toShare(uptimeHours, windowHours * providers.length),
    transferGib: sum((provider) => provider.transferGib),
    payoutUsdc: sum((provider) => provider.payoutUsdc),
    searchInterest: sum((provider) => provider.searchInterest),
    contracts: sum((provider) => provider.contracts),
  };
}

function toShare(hours: number | null | undefined, wholeHours: number): number | null {
  return hours === null || hours === undefined || wholeHours <= 0 ? null : hours / wholeHours;
}

async function readNames(session: Session): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const client of session.stream('clients', undefined)) {
    const named = toNamedClient(client);
    if (named !== undefined) names.set(named.clientId, named.name);
  }
  return names;
}
