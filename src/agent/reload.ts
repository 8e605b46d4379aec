import type { LoadedConfig } from '../config/load.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import type { Logger } from '../report/logger.ts';
import type { Board } from './state.ts';

/** Takes a changed configuration into force without a restart. */
export interface Reload {
  /** @throws configuration-invalid; the configuration before stays in force */
  readonly now: () => Promise<void>;
  /** The same for SIGHUP, which has nobody to tell: the log and `status` say it. It rejects only for a bug. */
  readonly onSignal: () => Promise<void>;
}

export interface ReloadParts {
  readonly board: Board;
  readonly load: () => Promise<LoadedConfig>;
  readonly log: Logger;
}

/** What the agent is built on and cannot change under itself; a restart inside the permit's time interrupts nobody. */
const needRestart = ['service', 'status', 'tunnel', 'report', 'log'] as const;

export function createReload({ board, load, log }: ReloadParts): Reload {
  const reload = async () => {
    try {
      const { config } = await load();
      const changed = needRestart.filter((key) => JSON.stringify(config[key]) !== JSON.stringify(board.config[key]));
      if (changed.length > 0) {
        const message = `${changed.join(', ')} changed, which a running agent cannot take on: restart it`;
        throw new TributaryError('configuration-invalid', message);
      }
      board.config = config;
      board.setProblem('configuration', undefined);
      board.wakes.dataPath.notify();
      board.wakes.announce.notify();
      board.wakes.service.notify();
      log.info('the configuration was read anew');
    } catch (error) {
      board.setProblem('configuration', error);
      log.error({ reason: messageOf(error) }, 'the new configuration is refused; the one before stays in force');
      throw error;
    }
  };
  return {
    now: reload,
    onSignal: () =>
      reload().catch((error: unknown) => {
        if (!(error instanceof TributaryError)) throw error;
      }),
  };
}
