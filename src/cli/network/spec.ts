import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import { toPlainText } from '../../status/wrap.ts';
import type { CommandContext } from '../context.ts';
import { formatCount, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';
import type { Session } from '../session.ts';
import { type SpecView, toFullName, toPlacesView, toSpecView } from './place-view.ts';

/** What a description in words comes down to, as `network spec --json` shows it. */
interface SpecsView {
  readonly query: string;
  readonly specs: readonly NamedSpec[];
}

/** What is known of a spec; null where the service lists nothing of that id. */
interface NamedSpec extends SpecView {
  readonly name: string | null;
  /** country, region, city, group or provider; null also for the best there is. */
  readonly type: string | null;
  /** Active providers there. */
  readonly providerCount: number | null;
}

type Naming = Pick<NamedSpec, 'name' | 'type' | 'providerCount'>;
type Places = Pick<ReturnType<typeof toPlacesView>, 'locations' | 'groups'>;

/** Adds `tributary network spec`. */
export function registerSpec(group: Command, context: CommandContext): void {
  addServiceCommand<SpecsView, object>(group, context, {
    usage: 'spec <words...>',
    description: 'what a use or a place, described in words, comes down to: specs to find providers by',
    examples: {
      'tributary network spec streaming in germany': 'the places and groups that fit',
      'tributary network spec somewhere in europe --json': 'for a script',
    },
    run: (session, { words }) => readSpecs(session, words.join(' ').trim()),
    render: renderSpecs,
  });
}

async function readSpecs(session: Session, query: string): Promise<SpecsView> {
  if (query === '') throw new TributaryError('usage-invalid', 'say in words what the providers are for, or where');
  const specs = (await session.call('createProviderSpec', { query })).specs.map(toSpecView);
  const names = await readNames(session, query, specs);
  return { query, specs: specs.map((spec) => ({ ...spec, ...nameSpec(spec, names) })) };
}

/** The names of what has providers; while one is missing, also of what the words find, together and one by one. */
async function readNames(
  session: Session,
  query: string,
  specs: readonly SpecView[],
): Promise<ReadonlyMap<string, Naming>> {
  const ids = specs.flatMap((spec) => toId(spec) ?? []);
  if (ids.length === 0) return new Map();
  const listed = await session.call('providerLocations', undefined);
  const devices = listed.devices.flatMap(({ clientId, deviceName }) =>
    clientId === undefined
      ? []
      : [[clientId, { name: deviceName ?? null, type: 'provider', providerCount: null }] as const],
  );
  const names = new Map<string, Naming>([...devices, ...toNames(toPlacesView(listed))]);
  for (const words of [query, ...toWords(query)]) {
    if (ids.every((id) => names.has(id))) break;
    const found = await session.call('findLocations', { query: words });
    for (const [id, naming] of toNames(toPlacesView(found))) if (!names.has(id)) names.set(id, naming);
  }
  return names;
}

/** The single words that may be a place's name, the longest first; so few that asking for each is no burden. */
function toWords(query: string): readonly string[] {
  const words = new Set(query.split(/\s+/).filter((word) => word.length >= 3 && word !== query));
  return [...words].toSorted((one, other) => other.length - one.length).slice(0, 5);
}

function toNames({ locations, groups }: Places): readonly (readonly [string, Naming])[] {
  return [
    ...locations.map((place) => [place.locationId, { ...place, name: toFullName(place) }] as const),
    ...groups.map((group) => [group.locationGroupId, { ...group, type: 'group' }] as const),
  ].flatMap(([id, { name, type, providerCount }]) =>
    id === null ? [] : [[id, { name, type, providerCount }] as const],
  );
}

function nameSpec(spec: SpecView, names: ReadonlyMap<string, Naming>): Naming {
  const type = spec.clientId !== null ? 'provider' : spec.locationGroupId !== null ? 'group' : null;
  return names.get(toId(spec) ?? '') ?? { name: null, type, providerCount: null };
}

/** undefined for the best there is. */
function toId({ clientId, locationId, locationGroupId }: SpecView): string | undefined {
  return clientId ?? locationId ?? locationGroupId ?? undefined;
}

function renderSpecs({ query, specs }: SpecsView, { columns }: Paper): string {
  if (specs.length === 0) {
    return `Nothing fits ${toPlainText(query)}. The places there are: tributary network locations\n`;
  }
  return renderTable(specColumns, specs, columns);
}

const specColumns: readonly Column<NamedSpec>[] = [
  { title: 'Spec', read: (spec) => spec.name ?? (spec.isBestAvailable ? 'the best there is' : unknown), least: 12 },
  { title: 'Type', read: ({ type }) => type ?? unknown, least: 8, dropOrder: 1 },
  { title: 'Providers', read: ({ providerCount }) => formatCount(providerCount), align: 'right', dropOrder: 2 },
  { title: 'To ask with', read: formatOption },
];

/** The option of `network providers` that the spec stands for. */
function formatOption({ clientId, locationId, locationGroupId }: SpecView): string {
  if (clientId !== null) return `--client ${clientId}`;
  if (locationId !== null) return `--location ${locationId}`;
  return locationGroupId === null ? unknown : `--group ${locationGroupId}`;
}
