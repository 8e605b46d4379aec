import { systemCodeOf, TributaryError } from '../errors/codes.ts';
import { defaultConfigPath } from './config-file.ts';
import { listConfigKeys } from './keys.ts';
import type { LoadedConfig } from './load.ts';
import { valueAt } from './tree.ts';

/**
 * What the page may change: how much is shared, with whom and when. All of it takes effect without
 * a restart, and none of it decides what the firewall lets into the home or whom the agent talks
 * with.
 */
const settingKeys: readonly string[] = [
  'provide.mode',
  'provide.cap.bytes',
  'provide.rate_limit.line',
  'provide.schedule',
];

/** A setting as the configuration has it. */
export interface Setting {
  /** `provide.cap.bytes`. */
  readonly key: string;
  /** As the owner would write it in the file; empty where it is not set. */
  readonly text: string;
  /** The variable that sets it, so that the file cannot; null where none does. */
  readonly overruledBy: string | null;
}

/** A setting and its new value; an empty text takes it out of the file. */
export type SettingChange = Pick<Setting, 'key' | 'text'>;

export function listSettings({ given, config, originOf }: LoadedConfig): readonly Setting[] {
  return settingKeys.map((key) => {
    const path = key.split('.');
    const { kind, place } = originOf(path);
    const value = valueAt(given, path) ?? (key === 'provide.mode' ? config.provide.mode : '');
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    return { key, text, overruledBy: kind === 'environment' ? place : null };
  });
}

/**
 * Writes one setting into the configuration file, with every check of `config set`. The agent reads
 * it when it is told to reload.
 * @throws usage-invalid (a wrong value, or one that the environment sets), configuration-invalid,
 * not-allowed (with the command that does it, where the agent may not write the file)
 */
export async function changeSetting(
  { file, originOf }: Pick<LoadedConfig, 'file' | 'originOf'>,
  { key, text }: SettingChange,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (!settingKeys.includes(key))
    throw new TributaryError('usage-invalid', `${key} is not for the page to change`);
  const { kind, place } = originOf(key.split('.'));
  if (kind === 'environment')
    throw new TributaryError('usage-invalid', `${place} sets it and wins: change it there`);
  const path = file ?? defaultConfigPath;
  const change = { key, text: text === '' ? undefined : text };
  // Loaded at the first change, so that an agent whose settings stay does not hold it in memory.
  const { setConfigKeys } = await import('./set-key.ts');
  await setConfigKeys(path, [change], environment).catch((error: unknown) => {
    if (!isKeptFromWriting(error)) throw error;
    throw new TributaryError('not-allowed', explainKept(file, key), {
      cause: error,
      action:
        text === ''
          ? `sudo tributary config unset ${key}`
          : `sudo tributary config set ${key} '${text.replaceAll("'", `'\\''`)}'`,
    });
  });
}

const keptCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT']);

function isKeptFromWriting(error: unknown): boolean {
  const code = error instanceof TributaryError ? systemCodeOf(error.cause) : undefined;
  return code !== undefined && keptCodes.has(code);
}

/**
 * The package's agent may not write what root reads, and a container mostly has no file at all. The
 * value has passed every check by then.
 */
function explainKept(file: string | undefined, key: string): string {
  const name = listConfigKeys().find((own) => own.name === key)?.environmentName;
  return file === undefined
    ? `The value is good, but there is no configuration file here: set ${name} where this agent's environment comes from, and start it again, or type on the device:`
    : `The value is good, but the agent itself may not write ${file}, which root reads. Type on the device:`;
}
