import { TributaryError } from '../../lib/errors.ts';
import type { OperationRequest } from '../../service/operations.ts';
import type { Given } from '../service-command.ts';
import type { Session } from '../session.ts';
import { type ChosenPlace, choosePlace } from './choose-place.ts';
import type { ProvidersView, ProviderView } from './providers.ts';

/** What `network providers` takes. */
export interface ProvidersOptions {
  readonly location?: string;
  readonly group?: string;
  readonly client?: string;
  readonly count?: string;
  readonly exclude?: readonly string[];
  readonly ids?: boolean;
}

/** Services may take an absent count for none, so one is always sent. */
const defaultCount = 20;

/** Finds providers as the command line asks for them. @throws usage-invalid, codes of `Session.call` */
export async function readProviders(
  session: Session,
  { words, options }: Pick<Given<ProvidersOptions>, 'words' | 'options'>,
): Promise<ProvidersView> {
  const count = parseCount(options.count);
  const text = words.join(' ').trim();
  if (options.ids === true) refuseUnfit(text, options);
  const place = text === '' ? null : await choosePlace(session, text);
  const find = options.ids === true ? findIds : findRanked;
  return { place, providers: await find(session, { place, options, count }) };
}

/** Ids are found in one place at a time. @throws usage-invalid */
function refuseUnfit(text: string, { client, location, group }: ProvidersOptions): void {
  if (client !== undefined) {
    throw new TributaryError('usage-invalid', '--client with --ids: nothing but that id would come of it');
  }
  if (text !== '' && (location ?? group) !== undefined) {
    throw new TributaryError('usage-invalid', `--ids: either ${text}, or --location and --group`);
  }
}

interface Wanted {
  readonly place: ChosenPlace | null;
  readonly options: ProvidersOptions;
  readonly count: number;
}

async function findRanked(session: Session, wanted: Wanted): Promise<readonly ProviderView[]> {
  const { providers } = await session.call('findProviders2', {
    specs: toSpecs(wanted),
    count: wanted.count,
    excludeClientIds: wanted.options.exclude ?? [],
    rankMode: 'quality',
  });
  return providers.map((provider, index) => ({
    rank: index + 1,
    clientId: provider.clientId ?? null,
    estimatedBytesPerSecond: provider.estimatedBytesPerSecond ?? null,
    tier: provider.tier ?? null,
    intermediaryIds: provider.intermediaryIds,
  }));
}

/** Each place, group and provider that was named, any of which will do; the best there is where none was. */
export function toSpecs({ place, options }: Omit<Wanted, 'count'>): OperationRequest<'findProviders2'>['specs'] {
  const locationIds = [place?.locationId, options.location].filter(isGiven);
  const locationGroupIds = [place?.locationGroupId, options.group].filter(isGiven);
  const clientIds = [place?.clientId, options.client].filter(isGiven);
  const specs = [
    ...locationIds.map((locationId) => ({ locationId })),
    ...locationGroupIds.map((locationGroupId) => ({ locationGroupId })),
    ...clientIds.map((clientId) => ({ clientId })),
  ];
  return specs.length === 0 ? [{ bestAvailable: true }] : specs;
}

async function findIds(session: Session, { place, options, count }: Wanted): Promise<readonly ProviderView[]> {
  const locationId = options.location ?? place?.locationId ?? undefined;
  const locationGroupId = options.group ?? place?.locationGroupId ?? undefined;
  if (place !== null && locationId === undefined && locationGroupId === undefined) {
    throw new TributaryError('usage-invalid', '--ids with the id of a provider: name a place');
  }
  const { clientIds } = await session.call('findProviders', {
    ...(locationId === undefined ? {} : { locationId }),
    ...(locationGroupId === undefined ? {} : { locationGroupId }),
    count,
    excludeLocationIds: options.exclude ?? [],
  });
  return clientIds.map((clientId, index) => ({
    rank: index + 1,
    clientId,
    estimatedBytesPerSecond: null,
    tier: null,
    intermediaryIds: [],
  }));
}

function isGiven(id: string | null | undefined): id is string {
  return id !== null && id !== undefined;
}

/** @throws usage-invalid */
function parseCount(text: string | undefined): number {
  if (text === undefined) return defaultCount;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new TributaryError('usage-invalid', `--count ${text}: it must be a whole number from 1 to 99999`);
}
