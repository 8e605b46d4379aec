import { rethrow, TributaryError, toUndefined } from '../errors/codes.ts';
import { findNearest } from '../lib/edit-distance.ts';
import { readLinkedFile, replaceFileText } from '../system/files.ts';
import { type ConfigKey, listConfigKeys } from './keys.ts';
import { loadConfig } from './load.ts';
import { explainIssues, hideSecret, renderFound, renderPath } from './problems.ts';
import { configSchema } from './schema.ts';
import { setYamlValue } from './yaml-text.ts';

/** A key of the configuration file and its new value. */
export interface KeyChange {
  readonly key: string;
  /** The value as an owner would write it in the file: `friends`, `500 GB`, `[25, 26]`. */
  readonly text: string;
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
  const before = await readLinkedFile(path);
  let changed = before ?? '';
  for (const { key, text } of changes) {
    const setting = setYamlValue(changed, findKey(key), text);
    const { tree, ...written } = await setting.catch(
      rethrow('configuration-invalid', `changing ${path}`),
    );
    const issues = configSchema.safeParse({ service: {}, ...tree }).error?.issues ?? [];
    const wrong = explainIssues(issues, tree).find((problem) =>
      renderPath(problem.path).startsWith(key),
    );
    if (wrong !== undefined)
      throw new TributaryError('usage-invalid', `${renderPath(wrong.path)}: ${wrong.text}`);
    changed = written.text;
  }
  const load = (text: string) => loadConfig({ configPath: path, environment, text });
  if (await load(before ?? '').catch(toUndefined('configuration-invalid'))) await load(changed);
  if (changed !== before) await replaceFileText(path, changed);
  return before === undefined;
}

/**
 * Why the text cannot be this key's value; undefined if it can.
 * @throws usage-invalid (no such key)
 */
export function explainWrongValue(key: string, text: string): string | undefined {
  const [issue] = findKey(key).schema.safeParse(text).error?.issues ?? [];
  return issue && renderFound(text, issue.message);
}

/** The value in the form in which it may be shown. @throws usage-invalid (no such key) */
export function toShownValue({ key, text }: KeyChange): string {
  return String(hideSecret(findKey(key).path, text));
}

function findKey(key: string): ConfigKey {
  const keys = listConfigKeys();
  const known = keys.find(({ name }) => name === key);
  if (known !== undefined) return known;
  const names = keys.map(({ name }) => name);
  const nearest = findNearest(key, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new TributaryError('usage-invalid', `unknown key ${key}${hint}`, {
    action: 'All keys: tributary config show',
  });
}
