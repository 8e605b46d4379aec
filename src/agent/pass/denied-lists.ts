import { stat } from 'node:fs/promises';
import { splitDenied } from '../../config/deny-destinations.ts';
import type { Config } from '../../config/schema.ts';
import { systemCodeOf, TributaryError, toFailure } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { AddressList, ListRules } from '../../system/address-list.ts';
import type { Sections, Shared } from '../state.ts';

export type DeniedListsParts = Pick<Shared, 'state' | 'now'> & Pick<Sections, 'denied'>;

interface Known {
  readonly signature: string;
  /** The list of the last reading without an error; undefined if no reading has worked yet. */
  readonly list: AddressList | undefined;
  readonly error: TributaryError | undefined;
}

/**
 * Looks at the files of `gateway.deny_destinations` and `gateway.bad_addresses`, and reads the ones
 * that have changed. A file that cannot be read keeps the list that was read before.
 */
export function createDeniedLists({ state, denied, now }: DeniedListsParts): () => Promise<void> {
  const lookAtDenied = createWatchedFiles(loadDeniedRules);
  const lookAtBad = createWatchedFiles(loadBadRules);
  return async () => {
    const { gateway } = state.configuration.config;
    const { named, files } = splitDenied(gateway.deny_destinations);
    const own = await lookAtDenied(files);
    const bad = await lookAtBad(listBadFiles(gateway));
    denied.lists = [...(await toNamedList(named)), ...own.lists];
    denied.missing = own.missing;
    denied.badAddresses = bad.lists;
    denied.missingBad = bad.missing;
    denied.problem = continueProblem(denied.problem, own.problem ?? bad.problem, now());
  };
}

/**
 * The lists that the configuration names at present, both kinds. @throws list-refused
 */
export async function readDenied(
  gateway: GatewayLists,
): Promise<Readonly<Record<'denied' | 'badAddresses', readonly AddressList[]>>> {
  const { named, files } = splitDenied(gateway.deny_destinations);
  const readAll = async (paths: readonly string[], rules: LoadRules) =>
    Promise.all(paths.map((path) => readList(path, rules)));
  return {
    denied: [...(await toNamedList(named)), ...(await readAll(files, loadDeniedRules))],
    badAddresses: await readAll(listBadFiles(gateway), loadBadRules),
  };
}

type GatewayLists = Pick<Config['gateway'], 'deny_destinations' | 'bad_addresses' | 'strict_rules'>;

/** Where the strict rules never hold, nobody needs the files. */
function listBadFiles({ bad_addresses: entries, strict_rules: strict }: GatewayLists) {
  return strict === 'never' ? [] : splitDenied(entries).files;
}

// Loaded at the first use: most homes have no list.
const loadLists = () => import('../../system/address-list.ts');
const loadDeniedRules = async () => (await loadLists()).deniedListRules;
const loadBadRules = async () => (await loadLists()).badListRules;

type LoadRules = () => Promise<ListRules>;

const readList = async (path: string, rules: LoadRules) =>
  (await loadLists()).readAddressList(path, await rules());

async function toNamedList(named: readonly string[]): Promise<readonly AddressList[]> {
  if (named.length === 0) return [];
  const { namedListRules, parseAddressList } = await loadLists();
  return [parseAddressList(named.join('\n'), 'gateway.deny_destinations', namedListRules)];
}

/** What is known of some files after a look at them. */
interface Looked {
  readonly lists: readonly AddressList[];
  /** Why one of them could never be read. */
  readonly missing: TributaryError | undefined;
  /** What the owner has to know of them; undefined if all is well. */
  readonly problem: TributaryError | undefined;
}

function createWatchedFiles(rules: LoadRules): (paths: readonly string[]) => Promise<Looked> {
  let known: ReadonlyMap<string, Known> = new Map();
  return async (paths) => {
    const looked = paths.map(
      async (path) => [path, await look(path, rules, known.get(path))] as const,
    );
    known = new Map(await Promise.all(looked));
    const all = [...known.values()];
    const broken = all.filter(({ error }) => error !== undefined);
    return {
      lists: all.flatMap(({ list }) => list ?? []),
      missing: broken.find(({ list }) => list === undefined)?.error,
      problem: (broken[0] && explain(broken[0])) ?? explainSkipped(all),
    };
  };
}

async function look(path: string, rules: LoadRules, before: Known | undefined): Promise<Known> {
  const signature = await stat(path).then(
    ({ ino, size, mtimeMs, ctimeMs }) => [ino, size, mtimeMs, ctimeMs].join(' '),
    (error: unknown) => systemCodeOf(error) ?? 'unknown',
  );
  if (before?.signature === signature) return before;
  const list = await readList(path, rules).catch(toFailure('list-refused'));
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

function explainSkipped(all: readonly Known[]): TributaryError | undefined {
  const skipped = all.flatMap(({ list }) => list?.skipped ?? []);
  if (skipped.length === 0) return undefined;
  return new TributaryError('list-lines-skipped', `left out: ${skipped.join('. ')}`);
}
