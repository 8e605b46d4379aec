import { systemCodeOf, TributaryError } from '../errors/codes.ts';
import { defaultConfigPath } from './config-file.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import { settingKeys } from './setting-keys.ts';
import { type ConfigTree, isTree, valueAt } from './tree.ts';

/** A setting as the configuration has it. */
export interface Setting {
  /** `provide.cap.bytes`. */
  readonly key: string;
  /** As the owner would write it in the file; empty where it is not set. */
  readonly text: string;
  /** Where it comes from, in words: `tributary.yaml:14`, `set on the page`; null for a default. */
  readonly from: string | null;
  /** The variable that sets it, so that nothing else can; null where none does. */
  readonly overruledBy: string | null;
}

/** A setting and its new value; an empty text means that it is not set. */
export type SettingChange = Pick<Setting, 'key' | 'text'>;

export function listSettings({ given, config, originOf }: LoadedConfig): readonly Setting[] {
  return settingKeys.map((key) => {
    const { kind, place = null } = originOf(key.split('.'));
    const usual = key === 'provide.mode' ? config.provide.mode : '';
    const overruledBy = kind === 'environment' ? place : null;
    return { key, text: readText(given, key) ?? usual, from: place, overruledBy };
  });
}

function readText(tree: ConfigTree, key: string): string | undefined {
  const value = valueAt(tree, key.split('.'));
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

type Changed = Pick<LoadedConfig, 'file' | 'inFile' | 'originOf' | 'stateDirectory'>;

/**
 * Keeps one setting, with every check of `config set`: in the configuration file where the agent
 * may write it, otherwise in the state directory, which is read over the file. The agent reads it
 * when it is told to reload.
 * @throws usage-invalid (a wrong value, or one that the environment sets), configuration-invalid,
 * state-unwritable
 */
export async function changeSetting(
  { file, inFile, originOf, stateDirectory }: Changed,
  { key, text }: SettingChange,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  if (!settingKeys.includes(key))
    throw new TributaryError('usage-invalid', `${key} is not for the page to change`);
  const { kind, place } = originOf(key.split('.'));
  if (kind === 'environment')
    throw new TributaryError('usage-invalid', `${place} sets it and wins: change it there`);
  // Without its only value a section goes whole.
  const section = /^(\w+\.\w+)\.\w+$/.exec(key)?.[1] ?? key;
  const change = text === '' ? { key: section, text: undefined } : { key, text };
  // Loaded at the first change, so that an agent whose settings stay does not hold it in memory.
  const { planConfigKeys, setConfigKeys } = await import('./set-key.ts');
  const { changePageSettings, putPageSetting } = await import('./page-settings.ts');
  // A container mostly has no file, and one that is made there does not outlive it. A section that
  // says more than this value stays in the file, because nothing else knows what it says.
  const around = valueAt(inFile, section.split('.'));
  const isKept = text === '' && section !== key && isTree(around) && Object.keys(around).length > 1;
  const isInFile =
    file === undefined || isKept
      ? await planConfigKeys(file ?? defaultConfigPath, [change], environment).then(() => false)
      : await setConfigKeys(file, [change], environment).then(() => true, leaveUnwritten);
  await changePageSettings(stateDirectory, async (settings) => {
    const others = settings.filter((own) => own.key !== key);
    const isAsFile = isInFile || (readText(inFile, key) ?? '') === text;
    const pageSettings = isAsFile ? others : putPageSetting(settings, { key, text, tree: inFile });
    if (isAsFile && others.length === settings.length) return undefined;
    // What would keep the next start from its configuration is never written.
    await loadConfig({ configPath: file, stateDirectory, environment, pageSettings });
    return pageSettings;
  });
}

/**
 * The package's agent may not write what root reads. The value has passed every check by then.
 */
function leaveUnwritten(error: unknown): false {
  const code = error instanceof TributaryError ? systemCodeOf(error.cause) : undefined;
  if (code !== undefined && keptCodes.has(code)) return false;
  throw error;
}

const keptCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EBUSY']);
