import type { OperationRequest, OperationResponse } from '../../service/operations.ts';
import type { Given } from '../command.ts';
import type { OptionValues } from '../option-values.ts';
import { refuse } from '../refuse.ts';
import type { Session } from '../session.ts';
import { type ChosenPlace, choosePlace } from './choose-place.ts';

/** Providers, the best first, and what the words were taken for: undefined without words. */
export type ProvidersView = Awaited<ReturnType<typeof findProviders>>;
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

/** Finds providers as the command line asks for them. @throws usage-invalid, codes of `Session.call` */
export async function findProviders(session: Session, { words, options }: Given<ProvidersOptions>) {
  const { ids: idsOnly = false, exclude = [] } = options;
  const count = parseCount(options.count);
  const text = words.join(' ').trim();
  if (idsOnly) checkIdSearch(text, options);
  const place = text === '' ? undefined : await choosePlace(session, text);
  if (idsOnly) {
    const request = { ...createIdSearch({ place, options }), count, excludeLocationIds: exclude };
    const { clientIds } = await session.call('findProviders', request);
    return { place, providers: clientIds.map((clientId, index) => viewProvider({ clientId }, index)) };
  }
  const request = { specs: createSpecs({ place, options }), count, excludeClientIds: exclude, rankMode: 'quality' };
  const { providers } = await session.call('findProviders2', request);
  return { place, providers: providers.map(viewProvider) };
}

function viewProvider(provider: Partial<OperationResponse<'findProviders2'>['providers'][number]>, index: number) {
  const { clientId, estimatedBytesPerSecond, tier, intermediaryIds = [] } = provider;
  return { rank: index + 1, clientId, estimatedBytesPerSecond, tier, intermediaryIds };
}

/** What the words were taken for, and what else names a place. */
interface Search {
  readonly place: ChosenPlace | undefined;
  readonly options: ProvidersOptions;
}

/** Ids are found in one place at a time. @throws usage-invalid */
function checkIdSearch(text: string, { client, location, group }: ProvidersOptions): void {
  if (client !== undefined) throw refuse('--client with --ids: nothing but that id would come of it');
  if (text !== '' && (location ?? group) !== undefined) {
    throw refuse(`--ids: either ${text}, or --location and --group`);
  }
}

/** Each place, group and provider that was named, any of which will do; the best there is where none was. */
export function createSpecs({ place, options }: Search): OperationRequest<'findProviders2'>['specs'] {
  const isGiven = (id: string | undefined) => id !== undefined;
  const specs = [
    ...[place?.locationId, options.location].filter(isGiven).map((locationId) => ({ locationId })),
    ...[place?.locationGroupId, options.group].filter(isGiven).map((locationGroupId) => ({ locationGroupId })),
    ...[place?.clientId, options.client].filter(isGiven).map((clientId) => ({ clientId })),
  ];
  return specs.length === 0 ? [{ bestAvailable: true }] : specs;
}

/** @throws usage-invalid where the words name a provider */
function createIdSearch({ place, options }: Search) {
  const locationId = options.location ?? place?.locationId;
  const locationGroupId = options.group ?? place?.locationGroupId;
  if (place !== undefined && locationId === undefined && locationGroupId === undefined) {
    throw refuse('--ids with the id of a provider: name a place');
  }
  return {
    ...(locationId === undefined ? {} : { locationId }),
    ...(locationGroupId === undefined ? {} : { locationGroupId }),
  };
}

/** @throws usage-invalid */
function parseCount(text: string | undefined): number {
  if (text === undefined) return defaultCount;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw refuse(`--count ${text}: it must be a whole number from 1 to 99999`);
}
