import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** An answer after its check, and what of it was left out because it could not be read. */
interface Mended {
  readonly data: unknown;
  /** Where something was left out, and what was expected there. */
  readonly leftOut: readonly Issue[];
  /** The first value that is needed and cannot be read; undefined where the answer is good. */
  readonly fault: Issue | undefined;
}

/** A value that is left out may have hidden others: one round for each level that schemas have. */
const mostRounds = 8;

/**
 * Checks a parsed JSON value strictly where `isNeeded` says so, and leniently elsewhere: a number
 * may be written as a text, a field of another form counts as absent, and such an entry of a list
 * or map is left out. So one strange value hides no answer.
 */
export function mend(
  schema: z.ZodType,
  given: unknown,
  isNeeded: (path: readonly PropertyKey[]) => boolean,
): Mended {
  const leftOut: Issue[] = [];
  let value = given;
  for (let round = 0; ; round += 1) {
    const { success, data, error } = schema.safeParse(value);
    if (success) return { data, leftOut, fault: undefined };
    // What was given stays as it is, because messages quote its kinds.
    if (round === 0) value = structuredClone(given);
    const left = error.issues.filter((issue) => !readAsNumber(value, issue));
    const fault = round < mostRounds ? left.find(({ path }) => isNeeded(path)) : left[0];
    if (fault !== undefined) return { data: undefined, leftOut, fault };
    leaveOut(value, left);
    leftOut.push(...left);
  }
}

type Holder = Record<PropertyKey, unknown>;

/** The object or list that holds what a path leads to; undefined where it is not there any more. */
function findHolder(value: unknown, path: readonly PropertyKey[]): Holder | undefined {
  const holder = path
    .slice(0, -1)
    .reduce<unknown>((within, key) => (within as Holder | null | undefined)?.[key], value);
  return typeof holder === 'object' && holder !== null ? (holder as Holder) : undefined;
}

/** Makes a number of a text of digits where a number is expected; true if it did. */
function readAsNumber(value: unknown, issue: Issue): boolean {
  const key = issue.path.at(-1);
  const holder = findHolder(value, issue.path);
  const text = key === undefined ? undefined : holder?.[key];
  const isNumber = typeof text === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(text);
  const isExpected = issue.code === 'invalid_type' && issue.expected === 'number';
  if (!isExpected || !isNumber || key === undefined || holder === undefined) return false;
  holder[key] = Number(text);
  return true;
}

function leaveOut(value: unknown, issues: readonly Issue[]): void {
  const lists = new Set<unknown[]>();
  for (const { path } of issues) {
    const key = path.at(-1);
    const holder = findHolder(value, path);
    if (key === undefined || holder === undefined) continue;
    delete holder[key];
    if (Array.isArray(holder)) lists.add(holder);
  }
  // What was deleted left a gap, which `filter` does not see.
  for (const list of lists) {
    const kept = list.filter(() => true);
    list.length = 0;
    for (const item of kept) list.push(item);
  }
}
