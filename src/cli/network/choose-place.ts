import { TributaryError } from '../../lib/errors.ts';
import type { Session } from '../session.ts';
import { type SpecView, toFullName, toPlacesView } from './place-view.ts';

/** The place, group or provider that words were taken for: one of the three ids is there. */
export interface ChosenPlace {
  /** null where the words fit no name, but the service knew what they stand for. */
  readonly name: string | null;
  /** country, region, city or group; null for a single provider. */
  readonly type: string | null;
  readonly locationId: string | null;
  readonly locationGroupId: string | null;
  readonly clientId: string | null;
  /** What else fits as well, each with its type. */
  readonly alsoFits: readonly string[];
}

type Places = ReturnType<typeof toPlacesView>;

/** Somewhere that the words may mean. */
interface Candidate extends Omit<ChosenPlace, 'alsoFits'> {
  readonly label: string;
  /** What it is called by, whole. */
  readonly names: readonly (string | null)[];
  readonly matchDistance: number;
  readonly providerCount: number;
}

/**
 * What the words name: the nearest by the service's measure, and of several equally near the one with the most providers.
 * @throws usage-invalid where they fit nothing; codes of `Session.call`
 */
export async function choosePlace(session: Session, words: string): Promise<ChosenPlace> {
  const chosen = pickPlace(words, toPlacesView(await session.call('findLocations', { query: words })));
  if (chosen !== undefined) return chosen;
  const message = `no place is called ${words}; try \`tributary network locations ${words} --near\``;
  throw new TributaryError('usage-invalid', `${message}, or leave it out for the best there is`);
}

/** undefined where nothing fits. */
export function pickPlace(words: string, { locations, groups, specs }: Places): ChosenPlace | undefined {
  const isExact = ({ names }: Candidate) => names.some((name) => name?.toLowerCase() === words.toLowerCase());
  const [best, ...others] = [...locations.map(toPlaceCandidate), ...groups.map(toGroupCandidate)]
    .filter(({ locationId, locationGroupId }) => locationId !== null || locationGroupId !== null)
    .toSorted(
      (one, other) =>
        one.matchDistance - other.matchDistance ||
        Number(isExact(other)) - Number(isExact(one)) ||
        other.providerCount - one.providerCount,
    );
  if (best === undefined) return pickNamed(specs);
  const alsoFits = others
    .filter((other) => other.matchDistance === best.matchDistance && isExact(other) === isExact(best))
    .map(({ label }) => label);
  const { name, type, locationId, locationGroupId, clientId } = best;
  return { name, type, locationId, locationGroupId, clientId, alsoFits };
}

/** The first spec that names something: "the best there is" may be a service's answer to anything. */
function pickNamed(specs: readonly SpecView[]): ChosenPlace | undefined {
  const named = specs.find((spec) => (spec.clientId ?? spec.locationId ?? spec.locationGroupId) !== null);
  if (named === undefined) return undefined;
  const { locationId, locationGroupId, clientId } = named;
  return { name: null, type: null, locationId, locationGroupId, clientId, alsoFits: [] };
}

function toPlaceCandidate(place: Places['locations'][number]): Candidate {
  const { name, type, locationId, countryCode, matchDistance, providerCount } = place;
  return {
    ...{ name, type, locationId, locationGroupId: null, clientId: null, matchDistance, providerCount },
    names: type === 'country' ? [name, countryCode] : [name],
    label: `${toFullName(place)} (${type ?? 'place'})`,
  };
}

function toGroupCandidate({
  name,
  locationGroupId,
  matchDistance,
  providerCount,
}: Places['groups'][number]): Candidate {
  return {
    ...{ name, type: 'group', locationId: null, locationGroupId, clientId: null, matchDistance, providerCount },
    names: [name],
    label: `${name} (group)`,
  };
}
