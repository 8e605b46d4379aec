import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../lib/parse-json.ts';
import { ensureDirectory, writeFileAtomic } from '../../system/files.ts';
import { readSmallFile } from '../../system/small-file.ts';
import type { CommandContext } from './context.ts';

/** Kinds of names, by the words that arguments and options use. */
export type NamedKind = 'client' | 'wallet';

/**
 * Names that the service listed last, with what tells them apart. They may be outdated, so they are
 * for completion only.
 */
export type KnownNames = Readonly<Partial<Record<string, readonly KnownName[]>>>;

interface KnownName {
  readonly id: string;
  readonly name: string;
}

type Place = Pick<CommandContext, 'environment'>;

const mostNames = 500;
const mostBytes = 256 * 1024;

function findPath({
  environment: { XDG_CACHE_HOME: cache, HOME: home },
}: Place): string | undefined {
  const directory = cache || (home && join(home, '.cache'));
  return directory ? join(directory, 'tributary', 'names.json') : undefined;
}

/**
 * Keeps the names in the user's cache, beside the names of the other kind. The cache only serves
 * completion, so a failure to write it fails no command.
 */
export async function keepNames(
  kind: NamedKind,
  names: readonly KnownName[],
  place: Place,
): Promise<void> {
  const path = findPath(place);
  if (path === undefined) return;
  try {
    const before = await readNames(place);
    const known = { ...before, [kind]: names.slice(0, mostNames) };
    // A list that is watched shows the same names many times; they are not written again, which
    // spares the card.
    if (isDeepStrictEqual(known, before)) return;
    await ensureDirectory(join(path, '..'));
    await writeFileAtomic(path, JSON.stringify(known));
  } catch {
    // The disk may be full, or the home read-only.
  }
}

/** The names that were kept; none if the file is missing or another program wrote it. */
export async function readNames(place: Place): Promise<KnownNames> {
  const text = await readSmallFile(findPath(place) ?? '', mostBytes).catch(() => '{}');
  const known = parseJson(text);
  if (typeof known !== 'object' || known === null) return {};
  const isName = (one: Partial<KnownName> | null) =>
    typeof one?.id === 'string' && typeof one.name === 'string';
  return Object.fromEntries(
    Object.entries(known).flatMap(([kind, names]) =>
      Array.isArray(names) ? [[kind, names.filter(isName)]] : [],
    ),
  );
}
