import { toUndefined } from '../../../errors/codes.ts';
import type { OperationResponse } from '../../../service/operations.ts';
import { type Profile, toProvideMode } from '../../../service/profiles.ts';
import type { Session } from '../../frame/session.ts';
import { createRowKeeper, toNamedClient } from '../choose-client.ts';
import { divide, sumFigures } from './figures.ts';

type Answer = Pick<OperationResponse<'providers'>, 'createdTime' | 'providers'>;

/** What every device of the network did, as `stats --json` shows it. */
export type NetworkStats = ReturnType<typeof viewNetworkStats> & {
  readonly provided: Provided | undefined;
};
export type ProviderStats = NetworkStats['providers'][number];

/** Reads the service's figures of every device. @throws codes of `Session.call` */
export async function readNetworkStats(
  session: Session,
  windowHours: number,
): Promise<NetworkStats> {
  const answer = await readProviders(session, windowHours);
  const names =
    answer.providers.length === 0 ? new Map<string, string>() : await readNames(session);
  const stats = viewNetworkStats(answer, { profile: session.profile, names, windowHours });
  return { ...stats, provided: await readProvided(session) };
}

/** What counts for payouts; undefined where the service does not say it. */
async function readProvided(session: Session): Promise<Provided | undefined> {
  const said = await session.call('transferStats', undefined).catch(toUndefined(...silent));
  const { paidBytesProvided: paidBytes, unpaidBytesProvided: unpaidBytes } = said ?? {};
  if (paidBytes === undefined && unpaidBytes === undefined) return undefined;
  return { paidBytes, unpaidBytes };
}

/** How a service without this figure answers. The others are there all the same. */
const silent = [
  'operation-not-served',
  'service-refused',
  'service-failed',
  'service-unreachable',
  'not-authorized',
  'rate-limited',
  'answer-redirected',
  'answer-invalid',
  'answer-too-large',
  'answer-not-json',
  'answer-truncated',
] as const;

/** Bytes that the network's devices provided since the beginning; undefined where not said. */
type Provided = Readonly<Record<'paidBytes' | 'unpaidBytes', number | undefined>>;

/**
 * If the answer is too large to be read whole, only its list is read; the time at which it was made
 * is unknown then.
 */
async function readProviders(session: Session, windowHours: number): Promise<Answer> {
  const isDay = windowHours === 24;
  const request = { lastN: windowHours };
  const call = isDay
    ? session.call('providers', undefined)
    : session.call('providersLastN', request);
  const whole = await call.catch(toUndefined('answer-too-large'));
  if (whole !== undefined) return whole;
  const list = isDay
    ? session.stream('providers', undefined)
    : session.stream('providersLastN', request);
  return {
    createdTime: undefined,
    providers: await Array.fromAsync(list, createRowKeeper('devices')),
  };
}

/** The figures of an answer with the devices' names, and their sums. */
export function viewNetworkStats(
  answer: Answer,
  {
    profile,
    names,
    windowHours,
  }: { profile: Profile; names: ReadonlyMap<string, string>; windowHours: number },
) {
  const providers = answer.providers.map((provider) => ({
    clientId: provider.clientId,
    name: names.get(provider.clientId ?? '') || undefined,
    isConnected: provider.connected,
    uptimeHours: provider.uptimeLast24h,
    /** A share of the window, 0 to 1. */
    uptimeShare: divide(provider.uptimeLast24h, windowHours),
    transferGib: provider.transferDataLast24h,
    payoutUsdc: provider.payoutLast24h,
    searchInterest: provider.searchInterestLast24h,
    contracts: provider.contractsLast24h,
    consumers: provider.clientsLast24h,
    provideMode: toProvideMode(profile, provider.provideMode),
    /**
     * `at` is undefined where the service does not say; `isConnected` is true for a beginning
     * connection.
     */
    connectedEvents: provider.connectedEventsLast24h.map(({ eventTime, connected }) => {
      return { at: eventTime, isConnected: connected ?? false };
    }),
  }));
  return {
    scope: 'network' as const,
    windowHours,
    createdAt: answer.createdTime,
    providers,
    totals: {
      deviceCount: providers.length,
      connectedCount: providers.filter(({ isConnected }) => isConnected).length,
      ...sumFigures(providers, windowHours * providers.length),
    },
  };
}

async function readNames(session: Session): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const keep = createRowKeeper('devices');
  for await (const client of session.stream('clients', undefined)) {
    const named = toNamedClient(client);
    if (named !== undefined) names.set(named.clientId, keep(named).name);
  }
  return names;
}
