import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chooseConfigPath, readConfigFile } from '../config/config-file.ts';
import { valueAt } from '../config/tree.ts';
import { createNetworkJwtStore } from '../identity/network-jwt-store.ts';
import { createRegistrationFiles } from '../identity/registration-files.ts';
import { TributaryError } from '../lib/errors.ts';
import { isThere } from '../system/files.ts';
import type { CommandContext, PathOptions } from './context.ts';
import { loadConfig } from './load-config.ts';

export type Before = Awaited<ReturnType<typeof readBefore>>;

/**
 * What there is before anything is asked; a missing file or address is no error here.
 * @throws configuration-invalid with every problem, state-unreadable, not-allowed where this user may not write the file
 */
export async function readBefore({ config, stateDir }: PathOptions, { environment }: CommandContext) {
  const path = chooseConfigPath({ configPath: config, environment });
  const isWritable = await canWrite(path);
  if (!isWritable && process.geteuid?.() !== 0) {
    const ways = 'sudo tributary setup or, for a device of your own, --config ~/.config/tributary/tributary.yaml';
    throw new TributaryError('not-allowed', `${path} is not yours to write: use ${ways}`);
  }
  // What is absent reads as empty.
  const file = (await isThere(path)) ? path : '/dev/null';
  const { tree } = await readConfigFile({ configPath: file, environment });
  const { TRIBUTARY_SERVICE_BASE_URL: given, TRIBUTARY_SERVICE_BASE_URL_FILE: twin } = environment;
  const isNew = (valueAt(tree, ['service', 'base_url']) ?? given ?? twin) === undefined;
  const standIn = isNew ? { TRIBUTARY_SERVICE_BASE_URL: 'https://service.invalid' } : {};
  const options = { config: file, ...(stateDir === undefined ? {} : { stateDir }) };
  const loaded = await loadConfig(options, { environment: { ...environment, ...standIn } });
  const { identity, registration } = createRegistrationFiles(loaded.stateDirectory, () => undefined);
  const client = (await identity.peek())?.clientId ?? (await registration.peek())?.clientId;
  const jwt = await createNetworkJwtStore(loaded.stateDirectory, () => undefined).peek();
  return {
    path,
    isWritable,
    loaded,
    isNew,
    /** What file and environment give. */
    given: isNew ? tree : loaded.given,
    isRegistered: client !== undefined,
    isSignedIn: jwt?.token !== undefined,
  };
}

async function canWrite(path: string): Promise<boolean> {
  if (!(await isThere(path)) && dirname(path) !== path) return canWrite(dirname(path));
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}
