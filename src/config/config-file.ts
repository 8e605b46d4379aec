import { resolve } from 'node:path';
import { messageOf, systemCodeOf } from '../lib/errors.ts';
import { readSmallFile } from '../system/small-file.ts';
import type { Problem } from './problems.ts';
import type { ConfigTree } from './tree.ts';

export const defaultConfigPath = '/etc/tributary/tributary.yaml';

/** The configuration file; without a file, an empty tree. */
export interface ConfigFile {
  readonly path: string | undefined;
  /** undefined where the text could not be parsed; then only `problems` counts. */
  readonly tree: ConfigTree | undefined;
  readonly problems: readonly Problem[];
  /**
   * `tributary.yaml:12`, the place of the key or of the nearest one above it; undefined without a
   * file.
   */
  readonly placeOf: (path: readonly PropertyKey[]) => string | undefined;
}

export interface ConfigFileOptions {
  readonly configPath?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The text to check instead of the file's present text. */
  readonly text?: string;
}

export const configLimitBytes = 256 * 1024;

/** `--config`, else TRIBUTARY_CONFIG, else the default path. */
export function chooseConfigPath({ configPath, environment }: ConfigFileOptions): string {
  return resolve(configPath || environment.TRIBUTARY_CONFIG || defaultConfigPath);
}

/**
 * Reads the file at the chosen path. A missing file is an empty configuration at the default path,
 * and a problem at any other. Nothing is thrown.
 */
export async function readConfigFile({
  configPath,
  environment,
  ...given
}: ConfigFileOptions): Promise<ConfigFile> {
  const named = configPath || environment.TRIBUTARY_CONFIG || undefined;
  const path = chooseConfigPath({ configPath, environment });
  try {
    const text = given.text ?? (await readSmallFile(path, configLimitBytes));
    // Loaded at the first use: in a container the whole configuration may come from the
    // environment.
    const { parseYaml } = await import('./yaml-text.ts');
    return { path, ...(await parseYaml(text, path)) };
  } catch (error) {
    const isAbsent = systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR';
    if (isAbsent && named === undefined)
      return { path: undefined, tree: {}, problems: [], placeOf: () => undefined };
    const text = isAbsent ? 'there is no such file' : messageOf(error);
    return {
      path,
      tree: undefined,
      problems: [{ path: [], place: path, text }],
      placeOf: () => path,
    };
  }
}
