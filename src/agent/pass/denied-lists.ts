import { stat } from 'node:fs/promises';
import { splitDenied } from '../../config/deny-destinations.ts';
import { systemCodeOf, TributaryError, toFailure } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { AddressList } from '../../system/address-list.ts';
import type { Sections, Shared } from '../state.ts';

export type DeniedListsParts = Pick<Shared, 'state' | 'now'> & Pick<Sections, 'denied'>;

interface Known {
  readonly signature: string;
  /** The list of the last reading without an error; undefined if no reading has worked yet. */
  readonly list: AddressList | undefined;
  readonly error: TributaryError | undefined;
}

/**
 * Looks at the files of `gateway.deny_destinations`, and reads the ones that have changed. A broken
 * file keeps the list that was read before.
 */
export function createDeniedLists({ state, denied, now }: DeniedListsParts): () => Promise<void> {
  let known: ReadonlyMap<string, Known> = new Map();
  return async () => {
    const { named, files } = splitDenied(state.configuration.config.gateway.deny_destinations);
    const looked = files.map(async (path) => [path, await look(path, known.get(path))] as const);
    known = new Map(await Promise.all(looked));
    const lists = [...known.values()].flatMap(({ list }) => list ?? []);
    denied.lists = [...(await toNamedList(named)), ...lists];
    const broken = [...known.values()].filter(({ error }) => error !== undefined);
    denied.missing = broken.find(({ list }) => list === undefined)?.error;
    denied.problem = continueProblem(denied.problem, broken[0] && explain(broken[0]), now());
  };
}

/** The lists that `gateway.deny_destinations` names at present. @throws list-refused */
export async function readDenied(destinations: readonly string[]): Promise<readonly AddressList[]> {
  const { named, files } = splitDenied(destinations);
  return [...(await toNamedList(named)), ...(await Promise.all(files.map(readList)))];
}

// Loaded at the first use: most homes have no list.
const loadLists = () => import('../../system/address-list.ts');

const readList = async (path: string) => (await loadLists()).readAddressList(path);

async function toNamedList(named: readonly string[]): Promise<readonly AddressList[]> {
  if (named.length === 0) return [];
  return [(await loadLists()).parseAddressList(named.join('\n'), 'gateway.deny_destinations')];
}

async function look(path: string, before: Known | undefined): Promise<Known> {
  const signature = await stat(path).then(
    ({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs].join(' '),
    (error: unknown) => systemCodeOf(error) ?? 'unknown',
  );
  if (before?.signature === signature) return before;
  const list = await readList(path).catch(toFailure('list-refused'));
  if (list instanceof TributaryError) return { signature, list: before?.list, error: list };
  return { signature, list, error: undefined };
}

function explain({ list, error }: Known): TributaryError | undefined {
  if (error === undefined || list === undefined) return error;
  return new TributaryError(
    'list-refused',
    `${error.message}. The list as it was read before stays in force.`,
  );
}
