import { countEdits } from '../lib/edit-distance.ts';
import { checkLength, dropAround, isUse, readPhrases, refusals } from './place-phrases.ts';
import { refuse } from './refusal.ts';
import { type ClientPlace, type Findable, type Place, toComparable, type World } from './world.ts';

/** A place or group that was named, or nearly named. */
export interface PlaceMatch {
  readonly found: Findable;
  /** The number of edits between the texts; less than one for the beginning of a name. */
  readonly distance: number;
}

/** How far a suggestion may be from the typed text, as a share of its length. */
const suggestedFraction = 0.4;

/**
 * Everything that the text names: by a name or code, by the beginning of one of its words, or
 * nearly; otherwise by a name with what lies around it, such as "Paris, France".
 * @throws usage-invalid
 */
export function findByName(world: World, text: string, mostFraction = 0): readonly PlaceMatch[] {
  const typed = toComparable(checkLength(text));
  if (typed === '') return [];
  const mostEdits = mostFraction * typed.length;
  const near = world.findable
    .map((found) => ({ found, distance: measureNearest(typed, found, mostEdits) }))
    .filter(({ distance }) => distance <= mostEdits || distance < 1);
  if (near.some(({ distance }) => distance === 0)) return near;
  const foreign = world.findForeign(typed);
  // Niger begins the name of Nigeria, and is another country.
  const matches = near.filter(
    ({ distance }) => foreign !== 'elsewhere' || distance !== distanceOfBeginning,
  );
  if (matches.length > 0) return matches;
  const named = typeof foreign === 'object' ? [foreign] : findQualified(world, text);
  return named.map((found) => ({ found, distance: 0 }));
}

/** Words that may be beside the name of a place. */
const beside = /^(the|of|in|city|town|region|province|state|county|country)$/;

/** What a name means that has what lies around it, or its kind, beside it; else nothing. */
function findQualified(world: World, text: string): readonly Findable[] {
  const phrases = [...readPhrases(world, text, 'exactly')];
  const isName = phrases.every(({ named, word }) => named.length > 0 || beside.test(word));
  const inner = phrases
    .map((phrase) => dropAround(world, phrase, phrases))
    .filter((named) => named.length > 0);
  return isName && inner.length === 1 ? (inner[0] ?? []) : [];
}

/**
 * What the words of a text name, each once, in order. Names may have small slips; codes have to be
 * in capitals. Of a place and the place around it, as in "Rome, Italy", only the first counts.
 * `missing` and `unwantedMissing` are names of countries that are not in this world.
 * @throws usage-invalid
 */
export function findInWords(world: World, text: string) {
  const [wanted, unwanted] = [new Set<Findable | string>(), new Set<Findable | string>()];
  let [isWanted, isRefused] = [true, false];
  const phrases = [...readPhrases(world, text, 'nearly')];
  for (const phrase of phrases) {
    for (const one of [...dropAround(world, phrase, phrases), ...phrase.missing]) {
      const isAsked = typeof one === 'object' && isUse(one) ? !isRefused : isWanted;
      (isAsked ? wanted : unwanted).add(one);
    }
    isRefused = refusals.test(phrase.word);
    isWanted = phrase.word === 'but' ? !isWanted : isWanted && !isRefused;
  }
  const [asked, refused] = [splitMissing(wanted), splitMissing(unwanted)];
  return {
    wanted: asked.places,
    unwanted: refused.places,
    missing: asked.missing,
    unwantedMissing: refused.missing,
  };
}

function splitMissing(named: ReadonlySet<Findable | string>) {
  const all = [...named];
  return {
    places: all.filter((one) => typeof one === 'object'),
    missing: all.filter((one) => typeof one === 'string'),
  };
}

export function asksForBest(text: string): boolean {
  return /\b(best|any|anything|anywhere|auto|automatic|fastest|recommended|whatever)\b/i.test(text);
}

/**
 * The city that a text means: by a place's id or name, or by a beginning that only one place has.
 * @throws usage-invalid
 */
export function findCity(world: World, text: string): ClientPlace {
  const matches = findPlaces(world, text);
  const equal =
    world.findPlace(text) ?? matches.find((place) => listNames(place).includes(toComparable(text)));
  const [place = equal, ...others] = equal === undefined ? matches : [];
  const city =
    place === undefined || others.length > 0 ? undefined : world.citiesOf(place.locationId)[0];
  if (city !== undefined) return city;
  const near = matches.length > 0 ? matches : findPlaces(world, text, suggestedFraction);
  const suggestions = [...new Set(near.map(({ name }) => name))].slice(0, 5);
  const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(', ')}?`;
  throw refuse(`no one place is called ${JSON.stringify(text)}${hint}`);
}

function findPlaces(world: World, text: string, mostFraction = 0): readonly Place[] {
  return findByName(world, text, mostFraction)
    .toSorted((one, other) => one.distance - other.distance)
    .flatMap(({ found }) => (found.type === 'group' ? [] : [found]));
}

function listNames(found: Findable): readonly string[] {
  return found.type === 'country' ? [...found.names, found.countryCode.toLowerCase()] : found.names;
}

/** Nearer than any slip, but not as near as the full name. */
const distanceOfBeginning = 0.5;

/**
 * The number of edits: 0 for an exact name, and more than `mostEdits` where it is too far off and
 * begins no word of a name.
 */
function measureNearest(typed: string, found: Findable, mostEdits: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const name of listNames(found))
    nearest = Math.min(nearest, measureDistance(typed, name, mostEdits));
  return nearest;
}

function measureDistance(typed: string, name: string, mostEdits: number): number {
  if (name === typed) return 0;
  if (name.startsWith(typed) || name.includes(` ${typed}`)) return distanceOfBeginning;
  if (mostEdits < 1) return Number.POSITIVE_INFINITY;
  const beginning = name.slice(0, typed.length);
  return Math.min(countEdits(typed, name, mostEdits), countEdits(typed, beginning, mostEdits));
}
