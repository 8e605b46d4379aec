import { hash } from 'node:crypto';

/** A row of nft's JSON: what kind of thing it is, and what is said of it. */
export type ListedRow = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An element of a set: its text, and its state if the set keeps one. */
export interface ListedElement {
  readonly val: string;
  readonly expires: number | undefined;
  readonly packets: number | undefined;
}

/*
 * Each pass reads hundreds of rows, and an agent without the engine's compilers would spend most of
 * a reading in zod. So these few forms are told apart by hand.
 */

/** Thrown for a listing of another form than nft's. */
export class UnknownForm extends Error {}

/** @throws UnknownForm */
export function toRows(json: unknown): readonly ListedRow[] {
  const { nftables } = toObject(json);
  return toArray(nftables).map((row) => {
    const kinds = toObject(row);
    for (const kind in kinds) toObject(kinds[kind]);
    return kinds as ListedRow;
  });
}

/** @throws UnknownForm */
export function toElement(listed: unknown): ListedElement {
  const { elem } = typeof listed === 'object' && listed !== null ? toObject(listed) : {};
  if (elem === undefined) return { val: toText(listed), expires: undefined, packets: undefined };
  const { val, expires, counter } = toObject(elem);
  return {
    val: toText(val),
    expires: expires === undefined ? undefined : toNumber(expires),
    packets: counter === undefined ? undefined : toNumber(toObject(counter).packets),
  };
}

/** `10.0.0.0/8`, `1.1.1.1-1.1.1.3`, `192.0.2.1 . 80`, `25`. */
function toText(listed: unknown): string {
  if (typeof listed !== 'object') return toWord(listed);
  const { prefix, range, concat } = toObject(listed);
  if (prefix !== undefined) {
    const { addr, len } = toObject(prefix);
    return `${toWord(addr)}/${toNumber(len)}`;
  }
  if (range !== undefined) return toArray(range).map(toWord).join('-');
  return toArray(concat).map(toWord).join(' . ');
}

function toWord(listed: unknown): string {
  if (typeof listed === 'string' || typeof listed === 'number') return String(listed);
  throw new UnknownForm();
}

/** @throws UnknownForm */
export function toNumber(listed: unknown): number {
  if (typeof listed === 'number') return listed;
  throw new UnknownForm();
}

/** @throws UnknownForm */
export function toName(listed: unknown): string {
  if (typeof listed === 'string') return listed;
  throw new UnknownForm();
}

/** @throws UnknownForm */
export function toArray(listed: unknown): readonly unknown[] {
  if (Array.isArray(listed)) return listed;
  throw new UnknownForm();
}

function toObject(listed: unknown): Readonly<Record<string, unknown>> {
  if (typeof listed === 'object' && listed !== null && !Array.isArray(listed))
    return listed as Readonly<Record<string, unknown>>;
  throw new UnknownForm();
}

/**
 * A hash of what neither time nor traffic changes. Sets and chains are listed in the order in which
 * they were made, which means nothing, so they are sorted. The order of rules counts.
 */
export function hashListing(rows: readonly ListedRow[]): string {
  const seen = new Map<string, number>();
  const lines = rows.map((row) => {
    const chain = String(row.rule?.chain ?? '');
    const place = (seen.get(chain) ?? 0) + 1;
    seen.set(chain, place);
    return `${toLastingText(row)} ${chain === '' ? '' : place}`;
  });
  return hash('sha256', lines.sort().join('\n'));
}

/** Fields that time, packets or each loading change. */
const passing = ['metainfo', 'handle', 'packets', 'used', 'expires'];

function toLastingText(row: ListedRow): string {
  const { set, map } = row;
  const text = JSON.stringify(
    set ? { set: { ...set, elem: 0 } } : map ? { map: { ...map, elem: 0 } } : row,
  );
  // Most rows are rules, of which only the handle passes.
  return row.rule !== undefined && !/"(packets|used|expires)":/.test(text)
    ? text.replace(/"handle":\d+,?/, '')
    : JSON.stringify(withoutWhatPasses(row));
}

function withoutWhatPasses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWhatPasses);
  if (typeof value !== 'object' || value === null) return value;
  const isCount = 'packets' in value || 'used' in value;
  const isSet = 'table' in value;
  const lasting = Object.entries(value).filter(
    ([key]) =>
      !(passing.includes(key) || (isCount && key === 'bytes') || (isSet && key === 'elem')),
  );
  // nft 1.0.6 prints a table's flags as a text without meaning, which may differ each time.
  const isTable = !isSet && 'family' in value;
  return Object.fromEntries(
    lasting.map(([key, inner]) => [
      key,
      isTable && key === 'flags' ? 'some' : withoutWhatPasses(inner),
    ]),
  );
}
