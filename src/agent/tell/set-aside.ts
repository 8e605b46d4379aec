import type { Logger } from '../../report/logger.ts';
import type { OnSetAside } from '../../system/state-file.ts';

/** Says in the log where a broken state file was put, and why: its owner may need it. */
export function logSetAside(log: Logger): OnSetAside {
  return (path, keptAs, why) => log.error({ path, keptAs, why }, 'a broken file was set aside');
}
