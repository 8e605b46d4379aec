import { ensureOwnDirectory } from '../system/files.ts';
import { createAdminCommands, runAdminCommand } from './admin-commands.ts';
import { openDatabase } from './database.ts';
import { servedProfiles } from './profile.ts';
import { createRepositories, defaultClientLimit } from './repositories.ts';

/**
 * Runs a command of the administrator on a data directory that no service has open; it is made where it is not there.
 * @throws already-running, state-unreadable, state-unwritable, usage-invalid
 */
export async function administerOffline(directory: string, name: string, request: unknown): Promise<object> {
  await ensureOwnDirectory(directory);
  using database = openDatabase(directory);
  // Which profile the service will have is said when it starts; codes of letters and digits do for both.
  const options = { profile: servedProfiles.documented, clientLimit: defaultClientLimit, now: Date.now };
  return await runAdminCommand(createAdminCommands(createRepositories(database, options)), name, request);
}
