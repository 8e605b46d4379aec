import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type LoadedConfig, loadConfig } from '../../../src/config/load.ts';
import { TributaryError } from '../../../src/errors/codes.ts';

/** A directory that goes with the test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-config-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A file in a directory of its own. */
export function makeFile(content: string | Uint8Array, name = 'tributary.yaml'): string {
  const path = join(makeDirectory(), name);
  writeFileSync(path, content);
  return path;
}

/** Loads the text as the configuration file, without the environment of this process. */
export function load(
  text: string | Uint8Array,
  environment: NodeJS.ProcessEnv = {},
): Promise<LoadedConfig> {
  return loadConfig({ configPath: makeFile(text), environment, userId: 0 });
}

/** The error's lines, with `FILE` for the path of the file; empty where there is no error. */
export async function linesOf(
  text: string | Uint8Array,
  environment: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  const configPath = makeFile(text);
  try {
    await loadConfig({ configPath, environment, userId: 0 });
    return [];
  } catch (error) {
    if (!(error instanceof TributaryError) || error.code !== 'configuration-invalid') throw error;
    return error.message.replaceAll(configPath, 'FILE').split('\n').slice(1);
  }
}

/** A file that is right, with these lines after it. */
export function withService(...lines: readonly string[]): string {
  return ['service:', '  base_url: https://service.example', ...lines, ''].join('\n');
}
