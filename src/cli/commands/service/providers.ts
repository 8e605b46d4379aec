import type { Option } from 'commander';
import { toPlainValue } from '../../../lib/plain-text.ts';
import type { OperationRequest, OperationResponse } from '../../../service/operations.ts';
import { defineCommand, type OptionValues, parseNumber, refuse } from '../../frame/command.ts';
import { asBitrate, unknown } from '../../present/amounts.ts';
import { defineTable, type ListOptions, namesParts } from '../../present/tables.ts';
import { joinLines, joinSections } from '../../present/text.ts';
import { type ChosenPlace, choosePlace } from './choose-place.ts';

/** Services may read an absent count as zero, so a count is always sent. */
const defaultCount = 20;

const flags = {
  '--location <id>': 'only in this location: an id from "service locations"',
  '--group <id>': 'only in this location group: an id from "service locations"',
  '--client <id>': 'only this provider, by its client id',
  '--count <number>': `show at most this many (default: ${defaultCount})`,
  '--exclude <ids>': [
    'leave out these provider ids, separated by commas; with --ids, location ids',
    (option: Option) => option.default('', 'none').argParser((ids, before) => `${before},${ids}`),
  ],
  '--ids': "print ids only, including your own network's devices",
} as const;

export const providers = defineCommand({
  usage: 'providers [place...]',
  description: 'providers that can be used now, the best first; anywhere, or in a place',
  options: flags,
  examples: {
    'tributary service providers': 'the best anywhere',
    'tributary service providers germany --count 5': 'the best five of a country',
    'tributary service providers berlin --ids': 'ids only, one a line',
  },
  async run(session, { words, options }, { stderr }) {
    const { ids: idsOnly = false } = options;
    const exclude = options.exclude.split(',').filter((id) => id !== '');
    const count = parseNumber('--count', options.count ?? `${defaultCount}`, {
      least: 1,
      most: 99_999,
    });
    const text = words.join(' ').trim();
    if (idsOnly) {
      session.findServed('findProviders');
      checkIdSearch(text, options);
    }
    const place = text === '' ? undefined : await choosePlace(session, text);
    if (!idsOnly) {
      const request = {
        specs: createSpecs({ place, options }),
        count,
        excludeClientIds: exclude,
        rankMode: 'quality',
      };
      const answer = await session.call('findProviders2', request);
      return { place, providers: answer.providers.map(viewProvider) };
    }
    const request = { ...createIdSearch({ place, options }), count, excludeLocationIds: exclude };
    const { clientIds } = await session.call('findProviders', request);
    // A list that a script reads may contain ids only, so notes go to standard error.
    if (options.json !== true)
      stderr.write(renderNotes(toPlainValue(place), clientIds.length, options));
    return {
      place,
      providers: clientIds.map((clientId, index) => viewProvider({ clientId }, index)),
    };
  },
  tables: ({ providers: found }) => ({
    providers: defineTable(found, [
      { title: '#', name: 'rank', read: ({ rank }) => rank, align: 'right' },
      { title: 'Provider', read: ({ clientId }) => clientId, least: 8, isId: true },
      {
        ...asBitrate,
        title: 'Speed',
        read: ({ estimatedBytesPerSecond }) => estimatedBytesPerSecond,
      },
      { bar: (own) => own.estimatedBytesPerSecond, width: 10, dropOrder: 1 },
      { title: 'Tier', read: ({ tier }) => tier, align: 'right' },
      {
        title: 'Relays',
        read: ({ intermediaryIds: { length } }) => length,
        format: (own: number) => (own === 0 ? 'direct' : `${own}`),
      },
    ]),
  }),
  render({ place, providers: found }, { tables }, options) {
    if (options.ids === true) return joinLines(found.map(({ clientId }) => clientId ?? unknown));
    return joinSections([renderNotes(place, found.length, options), tables.providers]);
  },
});

/** A provider that was found: its rank and its id, and more where more than ids was asked for. */
function viewProvider(
  provider: Partial<OperationResponse<'findProviders2'>['providers'][number]>,
  index: number,
) {
  const { clientId, tier, intermediaryIds = [] } = provider;
  // A speed of zero was not measured yet.
  const estimatedBytesPerSecond = provider.estimatedBytesPerSecond || undefined;
  return { rank: index + 1, clientId, estimatedBytesPerSecond, tier, intermediaryIds };
}

function renderNotes(
  place: ChosenPlace | undefined,
  foundCount: number,
  options: Search['options'],
): string {
  const { name = '', type = 'place', alsoFits = [] } = place ?? {};
  return joinLines([
    name !== '' && `In ${name} (${type})`,
    alsoFits.length > 0 && `Other places of that name: ${alsoFits.join('; ')}`,
    foundCount === 0 && renderNone(place, options),
  ]);
}

/** Services answer an id that nothing has like a place in which nobody is online. */
function renderNone(
  place: ChosenPlace | undefined,
  { location, group, client }: Search['options'],
): string {
  const where = 'To see where some are: tributary service locations';
  if (client !== undefined) return `No provider with the id ${client} is online now. ${where}`;
  const id = location ?? group;
  if (id !== undefined)
    return `No provider is online in ${id} now, if there is such a place. ${where}`;
  return `No provider is online ${place === undefined ? '' : 'there '}now. ${where}`;
}

interface Search {
  readonly place: ChosenPlace | undefined;
  readonly options: Pick<OptionValues<typeof flags>, 'location' | 'group' | 'client'>;
}

/**
 * Checks a search for ids alone, which are found in one place and printed as they come.
 * @throws usage-invalid
 */
function checkIdSearch(
  text: string,
  { client, location, group, ...list }: Search['options'] & ListOptions,
): void {
  const isText = list.csv !== true && list.json !== true;
  if (isText && namesParts(list))
    throw refuse('--ids prints ids alone: choose with --count, or take --columns provider --csv');
  if (client !== undefined) throw refuse('--client with --ids: it would print only that id');
  if (text !== '' && (location ?? group) !== undefined)
    throw refuse(`--ids: either ${text}, or --location and --group`);
}

/**
 * A spec for each named place, group and provider, any of which may match; "best available" if none
 * was named.
 */
export function createSpecs({
  place,
  options,
}: Search): OperationRequest<'findProviders2'>['specs'] {
  const isGiven = (id: string | undefined) => id !== undefined;
  const specs = [
    ...[place?.locationId, options.location].filter(isGiven).map((locationId) => ({ locationId })),
    ...[place?.locationGroupId, options.group]
      .filter(isGiven)
      .map((locationGroupId) => ({ locationGroupId })),
    ...[place?.clientId, options.client].filter(isGiven).map((clientId) => ({ clientId })),
  ];
  return specs.length === 0 ? [{ bestAvailable: true }] : specs;
}

/** The search for ids in one place. @throws usage-invalid where the words name a provider */
function createIdSearch({ place, options }: Search) {
  const locationId = options.location ?? place?.locationId;
  const locationGroupId = options.group ?? place?.locationGroupId;
  if (place !== undefined && locationId === undefined && locationGroupId === undefined) {
    throw refuse('--ids with the id of a provider: name a place');
  }
  return { locationId, locationGroupId };
}
