import { countEdits } from '../lib/edit-distance.ts';
import { refuse } from './refusal.ts';
import { type Findable, idOf, type PlaceGroup, splitWords, type World } from './world.ts';

const longestQuery = 200;
/** No name has more words than this. */
const mostWords = 4;
/**
 * After these words, the first of them English, places are not wanted; a use is unwanted directly
 * after one. `but` reverses what was said before it.
 */
export const refusals =
  /^(not|no|never|dont|don|except|excludes?|excluding|without|outside|avoid|besides|minus|than|apart|nicht|keine?n?|ohne|au(ss|ß)er|pas|sans|sauf|sin|excepto|non|senza|tranne|niet|zonder|geen|nao|sem|exceto|nie|bez|inte|utan|ikke|uden)$/;
/** Places joined by these words are both asked for. */
const joins = /^(and|or|but)$/;
/** Codes of countries that are ordinary words in a text without small letters. */
const shoutedWords = /^(AT|BE|IN|IS|IT|NO)$/;

/** A word of a text, or several that name something together. */
export interface Phrase {
  /** In small letters; '' where something is named. */
  readonly word: string;
  readonly named: readonly Findable[];
  /** The name of a country that is not in this world; otherwise empty. */
  readonly missing: readonly string[];
  /** Higher where another thing begins. */
  readonly run: number;
}

/** Whether a name may have small slips. */
type Reading = 'nearly' | 'exactly';

/** What the text names, in order, and the words between. */
export function* readPhrases(world: World, text: string, reading: Reading): Generator<Phrase> {
  const words = splitWords(checkLength(text));
  const isShouted = words.length > 1 && !/\p{Ll}/u.test(text);
  let run = 0;
  for (let at = 0; at < words.length; ) {
    const first = words[at] ?? '';
    const isWord = isShouted && shoutedWords.test(first);
    const { found, missing, count } = isWord
      ? nothing
      : findAtStart(world, words.slice(at, at + mostWords), reading);
    const word = found.length + missing.length > 0 ? '' : first.toLowerCase();
    if (refusals.test(word) || joins.test(word)) run += 1;
    yield { word, named: found, missing, run };
    at += count;
  }
}

const nothing: Start = { found: [], missing: [], count: 1 };

/** What a phrase names, without what lies around something that another phrase beside it names. */
export function dropAround(world: World, { named, run }: Phrase, phrases: readonly Phrase[]) {
  const others = phrases.flatMap((own) =>
    own.run === run && own.named !== named ? own.named : [],
  );
  return named.filter((own) => !others.some((other) => liesIn(world, other, own)));
}

function liesIn(world: World, inner: Findable, outer: Findable): boolean {
  if (isUse(inner) || isUse(outer)) return false;
  const [inside, around] = [world.citiesOf(idOf(inner)), world.citiesOf(idOf(outer))];
  return inside.length < around.length && inside.every((city) => around.includes(city));
}

/** True for a group by use: it says what the providers are for, not where they are. */
export function isUse(found: Findable): found is PlaceGroup & { readonly promoted: true } {
  return found.type === 'group' && found.promoted;
}

interface Start extends Pick<Phrase, 'missing'> {
  readonly found: readonly Findable[];
  /** How many words it takes. */
  readonly count: number;
}

/**
 * What the first words name, taking as many of them as possible; one word if they name nothing.
 */
function findAtStart(world: World, words: readonly string[], reading: Reading): Start {
  const country = world.places.find(
    ({ type, countryCode }) => type === 'country' && countryCode === words[0],
  );
  for (let count = words.length; count > 0; count -= 1) {
    const phrase = words.slice(0, count).join(' ').toLowerCase();
    const near = world.findable.filter(({ names }) => names.some((name) => isNearly(phrase, name)));
    // South Africa differs from South America by no more than a slip, so an exact name wins.
    const equal = near.filter(({ names }) => names.includes(phrase));
    if (equal.length > 0) return { found: equal, missing: [], count };
    if (ordinaryWords.test(phrase)) continue;
    const foreign = world.findForeign(phrase);
    // So does a country which is not here: Syria is no slip for Styria.
    if (foreign === 'elsewhere') return { found: [], missing: [phrase], count };
    if (foreign !== undefined) return { found: [foreign], missing: [], count };
    if (near.length > 0 && reading === 'nearly') return { found: near, missing: [], count };
  }
  return { ...nothing, found: country === undefined ? [] : [country] };
}

/** English words that are a name in another language, or a slip away from one. */
const ordinaryWords = /^(island|north|parts?|texts?)$/;

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

export function checkLength(text: string): string {
  if (text.length <= longestQuery) return text;
  throw refuse(`A query has at most ${longestQuery} characters.`);
}
