import type { OperationRequest, OperationResponse } from '../../service/operations.ts';
import type { Given } from '../command.ts';
import type { OptionValues } from '../option-values.ts';
import { refuse } from '../refuse.ts';
import type { Session } from '../session.ts';
import { type ChosenPlace, choosePlace } from './choose-place.ts';

/** Providers, the best first, as `network providers --json` shows them. */
export interface ProvidersView {
  /** What the words were taken for; undefined without words. */
  readonly place: ChosenPlace | undefined;
  readonly providers: readonly ProviderView[];
}

/** A provider that was found: where only ids were asked for, its rank and its id. */
export type ProviderView = ReturnType<typeof viewProvider>;

/** Services may take an absent count for none, so one is always sent. */
const defaultCount = 20;

/** The options of `network providers`. */
export const providersFlags = {
  '--location <id>': 'of this location, as `network locations` shows it',
  '--group <id>': 'of this location group',
  '--client <id>': 'this provider',
  '--count <number>': `at most so many (default: ${defaultCount})`,
  '--exclude <id...>': 'leave these providers out; with --ids, these locations',
  '--ids': "print ids only, including your own network's devices",
};
export type ProvidersOptions = OptionValues<typeof providersFlags>;

/** What is looked for. */
interface Search {
  readonly place: ChosenPlace | undefined;
  readonly options: ProvidersOptions;
  readonly count: number;
}

/** Finds providers as the command line asks for them. @throws usage-invalid, codes of `Session.call` */
export async function findProviders(
  session: Session,
  { words, options }: Given<ProvidersOptions>,
): Promise<ProvidersView> {
  const count = parseCount(options.count);
  const text = words.join(' ').trim();
  if (options.ids === true) checkIdSearch(text, options);
  const place = text === '' ? undefined : await choosePlace(session, text);
  const find = options.ids === true ? findIds : findRanked;
  return { place, providers: await find(session, { place, options, count }) };
}

/** Ids are found in one place at a time. @throws usage-invalid */
function checkIdSearch(text: string, { client, location, group }: ProvidersOptions): void {
  if (client !== undefined) throw refuse('--client with --ids: nothing but that id would come of it');
  if (text !== '' && (location ?? group) !== undefined) {
    throw refuse(`--ids: either ${text}, or --location and --group`);
  }
}

async function findRanked(session: Session, search: Search): Promise<readonly ProviderView[]> {
  const { providers } = await session.call('findProviders2', {
    specs: createSpecs(search),
    count: search.count,
    excludeClientIds: search.options.exclude ?? [],
    rankMode: 'quality',
  });
  return providers.map(viewProvider);
}

function viewProvider(provider: Partial<OperationResponse<'findProviders2'>['providers'][number]>, index: number) {
  const { clientId, estimatedBytesPerSecond, tier, intermediaryIds = [] } = provider;
  return { rank: index + 1, clientId, estimatedBytesPerSecond, tier, intermediaryIds };
}

/** Each place, group and provider that was named, any of which will do; the best there is where none was. */
export function createSpecs({ place, options }: Omit<Search, 'count'>): OperationRequest<'findProviders2'>['specs'] {
  const isGiven = (id: string | undefined) => id !== undefined;
  const specs = [
    ...[place?.locationId, options.location].filter(isGiven).map((locationId) => ({ locationId })),
    ...[place?.locationGroupId, options.group].filter(isGiven).map((locationGroupId) => ({ locationGroupId })),
    ...[place?.clientId, options.client].filter(isGiven).map((clientId) => ({ clientId })),
  ];
  return specs.length === 0 ? [{ bestAvailable: true }] : specs;
}

async function findIds(session: Session, { place, options, count }: Search): Promise<readonly ProviderView[]> {
  const locationId = options.location ?? place?.locationId;
  const locationGroupId = options.group ?? place?.locationGroupId;
  if (place !== undefined && locationId === undefined && locationGroupId === undefined) {
    throw refuse('--ids with the id of a provider: name a place');
  }
  const { clientIds } = await session.call('findProviders', {
    ...(locationId === undefined ? {} : { locationId }),
    ...(locationGroupId === undefined ? {} : { locationGroupId }),
    count,
    excludeLocationIds: options.exclude ?? [],
  });
  return clientIds.map((clientId, index) => viewProvider({ clientId }, index));
}

/** @throws usage-invalid */
function parseCount(text: string | undefined): number {
  if (text === undefined) return defaultCount;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw refuse(`--count ${text}: it must be a whole number from 1 to 99999`);
}
