import type { Command } from 'commander';
import { TributaryError } from '../../lib/errors.ts';
import type { OperationRequest } from '../../service/operations.ts';
import type { CommandContext } from '../context.ts';
import { addServiceCommand, type Given } from '../service-command.ts';
import type { Session } from '../session.ts';
import { renderLocations } from './locations-text.ts';
import { type GroupView, type PlaceView, type SpecView, toPlacesView } from './place-view.ts';

/** What `network locations` takes. */
export interface LocationsOptions {
  /** True where it was given without a fraction. */
  readonly near?: string | true;
}

/** Where providers are, as `network locations --json` shows it. */
export interface LocationsView {
  /** What was looked for; null for all that there is. */
  readonly query: string | null;
  readonly locations: readonly PlaceView[];
  readonly groups: readonly GroupView[];
  readonly specs: readonly SpecView[];
  /** Single providers that the service puts forward; none where something was looked for. */
  readonly devices: readonly { readonly clientId: string | null; readonly name: string | null }[];
}

/** Adds `tributary network locations`. */
export function registerLocations(group: Command, context: CommandContext): void {
  addServiceCommand<LocationsView, LocationsOptions>(group, context, {
    usage: 'locations [words...]',
    description: 'where providers are; with words, the places that are called so',
    options: {
      '--near [fraction]':
        'also names that are misspelt: at most this share of the letters, 0 to 1 (default: as the service sees fit)',
    },
    examples: {
      'tributary network locations': 'every place with providers, and how many',
      'tributary network locations new york': 'places of that name',
      'tributary network locations berln --near 0.3': 'and what was meant by it',
    },
    run: readLocations,
    render: renderLocations,
  });
}

async function readLocations(session: Session, given: Given<LocationsOptions>): Promise<LocationsView> {
  const query = given.words.join(' ').trim();
  const near = parseNear(given.options.near, query);
  if (query === '') {
    const answer = await session.call('providerLocations', undefined);
    const devices = answer.devices.map((own) => ({ clientId: own.clientId ?? null, name: own.deviceName ?? null }));
    return { query: null, ...toPlacesView(answer), devices };
  }
  const answer = await session.call('findLocations', { query, ...near });
  return { query, ...toPlacesView(answer), devices: [] };
}

/** @throws usage-invalid */
function parseNear(
  near: string | true | undefined,
  query: string,
): Partial<Pick<OperationRequest<'findLocations'>, 'maxDistanceFraction' | 'enableMaxDistanceFraction'>> {
  if (near === undefined) return {};
  if (query === '') throw new TributaryError('usage-invalid', '--near needs the words that something is near to');
  if (near === true) return { enableMaxDistanceFraction: true };
  const maxDistanceFraction = Number(near);
  if (near.trim() === '' || !(maxDistanceFraction >= 0 && maxDistanceFraction <= 1)) {
    throw new TributaryError('usage-invalid', `--near ${near}: it must be a fraction from 0 to 1, or nothing`);
  }
  return { enableMaxDistanceFraction: true, maxDistanceFraction };
}
