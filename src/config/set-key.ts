import { resolve } from 'node:path';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { readLinkedFile, replaceFileText } from '../system/files.ts';
import { defaultConfigPath } from './config-file.ts';
import { type ConfigKey, listConfigKeys } from './keys.ts';
import { findNearest } from './nearest.ts';
import { explainIssues, hideSecret, renderPath } from './problems.ts';
import { configSchema } from './schema.ts';
import { setYamlValue } from './yaml-text.ts';

/** A key of the configuration file and what it is to say. */
export interface KeyChange {
  /** `--config`. */
  readonly configPath: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** `provide.mode` */
  readonly key: string;
  /** As it would stand in the file: `friends`, `500 GB`, `[25, 26]`. */
  readonly text: string;
}

export interface KeyChanged {
  /** The file. */
  readonly path: string;
  /** The value, as it may be shown. */
  readonly shown: string;
}

/**
 * Writes the value into the file, whose comments and other keys stay. What else may be missing is not
 * judged, so that keys can be set one by one.
 * @throws usage-invalid (no such key, no such value), configuration-invalid (the file is no YAML), state-unwritable
 */
export async function setConfigKey({ configPath, environment, key, text }: KeyChange): Promise<KeyChanged> {
  const known = findKey(key);
  const path = resolve(configPath || environment.TRIBUTARY_CONFIG || defaultConfigPath);
  const change = { path: known.path, text, isText: known.kind === 'text' };
  const { text: changed, tree } = await setYamlValue((await readLinkedFile(path)) ?? '', change).catch((error) => {
    throw new TributaryError('configuration-invalid', `changing ${path}: ${messageOf(error)}`, { cause: error });
  });
  const issues = configSchema.safeParse({ service: {}, ...tree }).error?.issues ?? [];
  const wrong = explainIssues(issues, tree).find((problem) => renderPath(problem.path).startsWith(key));
  if (wrong !== undefined) {
    throw new TributaryError('usage-invalid', `${renderPath(wrong.path)}: ${wrong.text}`);
  }
  await replaceFileText(path, changed);
  return { path, shown: String(hideSecret(known.path, text)) };
}

function findKey(key: string): ConfigKey {
  const keys = listConfigKeys();
  const known = keys.find(({ name }) => name === key);
  if (known !== undefined) return known;
  const nearest = findNearest(
    key,
    keys.map(({ name }) => name),
  );
  const hint = nearest === undefined ? 'see them with `tributary config show`' : `did you mean ${nearest}?`;
  throw new TributaryError('usage-invalid', `${key} is no key of the configuration; ${hint}`);
}
