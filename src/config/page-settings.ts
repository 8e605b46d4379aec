import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { removeFile } from '../system/files.ts';
import { whileAlone } from '../system/lock.ts';
import { createStateFile } from '../system/state-file.ts';
import { listConfigKeys } from './keys.ts';
import type { Problem } from './problems.ts';
import { settingKeys } from './setting-keys.ts';
import { type ConfigTree, valueAt, withoutValue, withValue } from './tree.ts';
import { parseYaml, setYamlValue } from './yaml-text.ts';

/** How a value that the page set is said to come from it, by commands and page alike. */
const pagePlace = 'set on the page';

/**
 * A value that the page set where the agent may not write the configuration file. It holds for as
 * long as the file says of the key what it said then: the last change of a key decides it.
 */
const pageSetting = z.object({
  /** `provide.cap.bytes`. */
  key: z.string(),
  /** As in the file; empty where the key is not set, whatever the file says. */
  text: z.string(),
  /** What tells the file's value then from another one. */
  over: z.string(),
});
const document = z.object({ settings: z.array(pageSetting) });

export type PageSetting = Readonly<z.output<typeof pageSetting>>;

/** Kept in the state directory, which the agent may write wherever it runs. */
function openPageSettings(directory: string) {
  return createStateFile({
    directory,
    name: 'page-settings',
    schema: document,
    // Nothing but the page knows what was set on it, so the file is never set aside.
    onSetAside: () => undefined,
  });
}

interface ReadPageSettings {
  readonly settings: readonly PageSetting[];
  readonly problem?: Problem;
  readonly warning?: string;
  /** True where this user may not read the file, so that nothing is known of it. */
  readonly isUnseen?: boolean;
}

/**
 * What the page set. A file that is broken is a problem, because without it more might be shared
 * than its owner wished, and so is one that the agent itself may not read. For another user that is
 * a warning.
 */
export async function readPageSettings(directory: string): Promise<ReadPageSettings> {
  try {
    return keepKnown((await openPageSettings(directory).peek())?.settings ?? []);
  } catch (error) {
    const code = error instanceof TributaryError ? systemCodeOf(error.cause) : undefined;
    const isRefused = code === 'EACCES' || code === 'EPERM';
    if (isRefused && !(await mayWrite(directory)))
      return { settings: [], isUnseen: true, warning: unseen };
    const text = `${messageOf(error)}. Without it the configuration file alone holds: sudo rm ${join(directory, 'page-settings.json')}`;
    return { settings: [], problem: { path: [], place: pagePlace, text } };
  }
}

const unseen = 'whether something was set on the page is not seen here: use sudo';

/** The agent may write this file, and it must decide nothing else that root's commands do. */
function keepKnown(found: readonly PageSetting[]): ReadPageSettings {
  const settings = found.filter(({ key }) => settingKeys.includes(key));
  if (settings.length === found.length) return { settings };
  return { settings, warning: 'page-settings.json sets keys that the page cannot: not used' };
}

/** By its mode, so that a read-only disk makes no stranger of the agent. */
async function mayWrite(directory: string): Promise<boolean> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) return false;
  const { uid, gid, mode } = found;
  const user = process.geteuid?.();
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  if (user === 0 || user === uid) return true;
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && groups.includes(gid));
}

/** The file's values with the page's values over them, and the paths of these. */
export async function applyPageSettings(tree: ConfigTree, settings: readonly PageSetting[]) {
  let applied = tree;
  const paths: (readonly string[])[] = [];
  for (const { key, text, over } of settings) {
    const known = listConfigKeys().find(({ name }) => name === key);
    if (known === undefined || over !== tellValue(tree, known.path)) continue;
    const { path } = known;
    // A cap without its amount is no cap: what else its section says goes with it.
    const gone = path.length > 2 ? path.slice(0, -1) : path;
    if (text === '') applied = withoutValue(applied, gone);
    else {
      const parsed = await parseYaml(await setYamlValue('', known, text), '');
      applied = withValue(applied, path, valueAt(parsed.tree, path));
    }
    paths.push(text === '' ? gone : path);
  }
  return { tree: applied, paths };
}

/** Takes one value in, in place of an earlier one for its key. */
export function putPageSetting(
  settings: readonly PageSetting[],
  { tree, ...change }: Pick<PageSetting, 'key' | 'text'> & { readonly tree: ConfigTree },
): readonly PageSetting[] {
  const others = settings.filter(({ key }) => key !== change.key);
  return [...others, { ...change, over: tellValue(tree, change.key.split('.')) }];
}

/**
 * Changes what the page set, while no other process does; `plan` resolves with undefined where it
 * stays as it is.
 * @throws state-unwritable, and what `plan` throws
 */
export async function changePageSettings(
  directory: string,
  plan: (settings: readonly PageSetting[]) => Promise<readonly PageSetting[] | undefined>,
): Promise<void> {
  const file = openPageSettings(directory);
  await whileAlone(file.path, async () => {
    const { settings, problem, isUnseen } = await readPageSettings(directory);
    if (problem !== undefined) throw new TributaryError('state-unwritable', problem.text);
    if (isUnseen) throw new TributaryError('state-unwritable', unseen);
    const planned = await plan(settings);
    if (planned === undefined) return;
    if (planned.length === 0) await removeFile(file.path);
    else await file.write({ settings: [...planned] });
  });
}

/**
 * Forgets what the page set for these keys, and for those below them: they were changed elsewhere.
 * @throws state-unwritable
 */
export async function dropPageSettings(
  directory: string,
  changed: readonly string[],
): Promise<void> {
  // What cannot be read is left as it is. Mostly there is nothing, which needs no lock.
  if ((await readPageSettings(directory)).settings.length === 0) return;
  await changePageSettings(directory, async (settings) => {
    const left = settings.filter(
      ({ key }) => !changed.some((other) => key === other || key.startsWith(`${other}.`)),
    );
    return left.length < settings.length ? left : undefined;
  });
}

/** The value itself may be long; a schedule often is. */
function tellValue(tree: ConfigTree, path: readonly string[]): string {
  const text = JSON.stringify(valueAt(tree, path)) ?? '';
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
