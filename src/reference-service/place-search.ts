import { countEdits } from '../lib/edit-distance.ts';
import { refuse } from './refusal.ts';
import {
  type ClientPlace,
  type Findable,
  idOf,
  type Place,
  type PlaceGroup,
  splitWords,
  toComparable,
  type World,
} from './world.ts';

/** A place or group that was named, or nearly named. */
export interface PlaceMatch {
  readonly found: Findable;
  /** The number of edits between the texts; less than one for the beginning of a name. */
  readonly distance: number;
}

const longestQuery = 200;
/** No name has more words than this. */
const mostWords = 4;
/** How far a suggestion may be from the typed text, as a share of its length. */
const suggestedFraction = 0.4;

/**
 * Everything that the text names: by a name or code, by the beginning of one of its words, or
 * nearly.
 * @throws usage-invalid
 */
export function findByName(world: World, text: string, mostFraction = 0): readonly PlaceMatch[] {
  const typed = toComparable(checkLength(text));
  if (typed === '') return [];
  const mostEdits = mostFraction * typed.length;
  const matches = world.findable
    .map((found) => ({ found, distance: measureNearest(typed, found, mostEdits) }))
    .filter(({ distance }) => distance <= mostEdits || distance < 1);
  const foreign = matches.length === 0 ? world.findForeign(typed) : undefined;
  return foreign === undefined ? matches : [{ found: foreign, distance: 0 }];
}

/**
 * After these words, the first of them English, places are not wanted; a use is unwanted directly
 * after one. `but` reverses what was said before it.
 */
const refusals =
  /^(not|no|never|dont|don|except|excludes?|excluding|without|outside|avoid|besides|minus|than|apart|nicht|keine?n?|ohne|au(ss|ß)er|pas|sans|sauf|sin|excepto|non|senza|tranne|niet|zonder|geen|nao|sem|exceto|nie|bez|inte|utan|ikke|uden)$/;
/** Places joined by these words are both asked for. */
const joins = /^(and|or|but)$/;
/** Codes of countries that are ordinary words in a text without small letters. */
const shoutedWords = /^(AT|BE|IN|IS|IT|NO)$/;

/**
 * What the words of a text name, each once, in order. Names may have small slips; codes have to be
 * in capitals. Of a place and the place around it, as in "Rome, Italy", only the first counts.
 * @throws usage-invalid
 */
export function findInWords(world: World, text: string) {
  const [wanted, unwanted] = [new Set<Findable>(), new Set<Findable>()];
  let [isWanted, isRefused] = [true, false];
  const phrases = [...readPhrases(world, text)];
  for (const { word, named, run } of phrases) {
    const others = phrases.flatMap((own) =>
      own.run === run && own.named !== named ? own.named : [],
    );
    for (const one of named.filter((own) => !others.some((other) => liesIn(world, other, own)))) {
      const isAsked = isUse(one) ? !isRefused : isWanted;
      (isAsked ? wanted : unwanted).add(one);
    }
    isRefused = refusals.test(word);
    isWanted = word === 'but' ? !isWanted : isWanted && !isRefused;
  }
  return { wanted: [...wanted], unwanted: [...unwanted] };
}

/**
 * What the text names, in order, and the words between in small letters; `run` is higher where
 * another thing begins.
 */
function* readPhrases(world: World, text: string) {
  const words = splitWords(checkLength(text));
  const isShouted = words.length > 1 && !/\p{Ll}/u.test(text);
  let run = 0;
  for (let at = 0; at < words.length; ) {
    const first = words[at] ?? '';
    const isWord = isShouted && shoutedWords.test(first);
    const { found, count } = isWord ? nothing : findAtStart(world, words.slice(at, at + mostWords));
    const word = found.length > 0 ? '' : first.toLowerCase();
    if (refusals.test(word) || joins.test(word)) run += 1;
    yield { word, named: found, run };
    at += count;
  }
}

const nothing = { found: [], count: 1 };

function liesIn(world: World, inner: Findable, outer: Findable): boolean {
  if (isUse(inner) || isUse(outer)) return false;
  const [inside, around] = [world.citiesOf(idOf(inner)), world.citiesOf(idOf(outer))];
  return inside.length < around.length && inside.every((city) => around.includes(city));
}

/** True for a group by use: it says what the providers are for, not where they are. */
export function isUse(found: Findable): found is PlaceGroup & { readonly promoted: true } {
  return found.type === 'group' && found.promoted;
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

function checkLength(text: string): string {
  if (text.length <= longestQuery) return text;
  throw refuse(`A query has at most ${longestQuery} characters.`);
}

function listNames(found: Findable): readonly string[] {
  return found.type === 'country' ? [...found.names, found.countryCode.toLowerCase()] : found.names;
}

/**
 * What the first words name, taking as many of them as possible, and how many were taken: one word
 * if they name nothing.
 */
function findAtStart(world: World, words: readonly string[]) {
  const country = world.places.find(
    ({ type, countryCode }) => type === 'country' && countryCode === words[0],
  );
  for (let count = words.length; count > 0; count -= 1) {
    const phrase = words.slice(0, count).join(' ').toLowerCase();
    const near = world.findable.filter(({ names }) => names.some((name) => isNearly(phrase, name)));
    // South Africa differs from South America by no more than a slip, so an exact name wins.
    const equal = near.filter(({ names }) => names.includes(phrase));
    if (equal.length > 0) return { found: equal, count };
    const foreign = world.findForeign(phrase);
    if (foreign !== undefined) return { found: [foreign], count };
    if (near.length > 0) return { found: near, count };
  }
  return { found: country === undefined ? [] : [country], count: 1 };
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

/**
 * True where a phrase is the name with a slip: one edit for every four letters, at most two, never
 * in the first letter.
 */
function isNearly(phrase: string, name: string): boolean {
  if (phrase === name) return true;
  // In a shorter name, one edit makes a different word.
  if (name.length < 5 || phrase[0] !== name[0]) return false;
  const mostEdits = Math.min(2, Math.floor(name.length / 4));
  return countEdits(phrase, name, mostEdits) <= mostEdits;
}
