import { hasCode, rethrow, TributaryError, toUndefined } from '../errors/codes.ts';
import { findNearest } from '../lib/edit-distance.ts';
import { readLinkedFile, replaceFileText } from '../system/files.ts';
import { whileAlone } from '../system/lock.ts';
import { type ConfigKey, listConfigKeys } from './keys.ts';
import { loadConfig } from './load.ts';
import { explainIssues, hideSecret, renderFound, renderPath } from './problems.ts';
import { configSchema } from './schema.ts';
import { parseYaml, removeYamlKey, setYamlValue } from './yaml-text.ts';

/** A key of the configuration file and its new value. */
export interface KeyChange {
  readonly key: string;
  /**
   * The value as an owner would write it in the file: `friends`, `500 GB`, `[25, 26]`; undefined
   * to take the key out of the file, or all keys of the section that it names.
   */
  readonly text: string | undefined;
}

/**
 * Writes only these values, and only if the file is valid afterwards. Resolves with whether the
 * file is new.
 * @throws usage-invalid, configuration-invalid, state-*
 */
export async function setConfigKeys(
  path: string,
  changes: readonly KeyChange[],
  environment: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  return whileAlone(path, async () => {
    const { before, changed } = await planConfigKeys(path, changes, environment);
    if (changed !== before) await replaceFileText(path, changed);
    return before === undefined;
  });
}

/**
 * The file's text with these values, checked; nothing is written.
 * @throws usage-invalid, configuration-invalid, state-unreadable
 */
export async function planConfigKeys(
  path: string,
  changes: readonly KeyChange[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly before: string | undefined; readonly changed: string }> {
  const before = await readLinkedFile(path);
  let changed = before ?? '';
  for (const change of changes) {
    changed = await changeText(changed, change).catch((error: unknown) => {
      if (hasCode(error, 'usage-invalid')) throw error;
      return rethrow('configuration-invalid', `changing ${path}`)(error);
    });
  }
  const load = (text: string) => loadConfig({ configPath: path, environment, text });
  if (await load(before ?? '').catch(toUndefined('configuration-invalid'))) await load(changed);
  return { before, changed };
}

/** The file's text with the change. @throws usage-invalid, Error where it is no YAML */
async function changeText(before: string, { key, text }: KeyChange): Promise<string> {
  const after =
    text === undefined
      ? ((await removeYamlKey(before, findPath(key))) ?? before)
      : await setYamlValue(before, findConfigKey(key), text);
  const { tree = {} } = await parseYaml(after, '');
  const issues = configSchema.safeParse({ service: {}, ...tree }).error?.issues ?? [];
  const wrong = explainIssues(issues, tree).find((problem) =>
    `${renderPath(problem.path)}.`.startsWith(`${key}.`),
  );
  if (wrong === undefined) return after;
  throw new TributaryError('usage-invalid', `${renderPath(wrong.path)}: ${wrong.text}`);
}

/**
 * Whether the file has the key, or a section of that name.
 * @throws usage-invalid (no such key), configuration-invalid, state-unreadable
 */
export async function hasConfigKey(file: string, key: string): Promise<boolean> {
  const path = findPath(key);
  const text = (await readLinkedFile(file)) ?? '';
  const removed = await removeYamlKey(text, path).catch(
    rethrow('configuration-invalid', `reading ${file}`),
  );
  return removed !== undefined;
}

/**
 * Why the text cannot be this key's value; undefined if it can.
 * @throws usage-invalid (no such key)
 */
export function explainWrongValue(key: string, text: string): string | undefined {
  const [issue] = findConfigKey(key).schema.safeParse(text).error?.issues ?? [];
  return issue && renderFound(text, issue.message);
}

/** The value in the form in which it may be shown. @throws usage-invalid (no such key) */
export function toShownValue(key: string, text: string): string {
  return String(hideSecret(findConfigKey(key).path, text));
}

/** The key of this name. @throws usage-invalid, with the key that may have been meant */
export function findConfigKey(key: string): ConfigKey {
  const keys = listConfigKeys();
  const known = keys.find(({ name }) => name === key);
  if (known !== undefined) return known;
  const below = listKeysBelow(key).join(', ');
  const named = keys.find(({ path }) => path.includes(key))?.name;
  const nearest =
    findNearest(
      key,
      keys.map(({ name }) => name),
    ) ?? named;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const message = below === '' ? `unknown key ${key}${hint}` : `${key} has keys below it: ${below}`;
  throw new TributaryError('usage-invalid', message, {
    action: 'All keys: tributary config show',
  });
}

function listKeysBelow(section: string): readonly string[] {
  return listConfigKeys().flatMap(({ name }) => (name.startsWith(`${section}.`) ? [name] : []));
}

/** The path of a key or of a section. @throws usage-invalid */
function findPath(key: string): readonly string[] {
  return listKeysBelow(key).length > 0 ? key.split('.') : findConfigKey(key).path;
}
