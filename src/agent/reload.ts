import type { LoadedConfig } from '../config/load.ts';
import { messageOf, TributaryError } from '../errors/codes.ts';
import { continueProblem } from '../health/problem.ts';
import { isSame } from '../lib/secret.ts';
import type { Sections, Shared } from './state.ts';

export interface ReloadParts
  extends Pick<Shared, 'wakeups' | 'log' | 'now'>,
    Pick<Sections, 'configuration'> {
  readonly load: () => Promise<Pick<LoadedConfig, 'config' | 'service'>>;
}

/**
 * Sections that the agent is built on and cannot change while it runs. A restart within the
 * permit's time interrupts no traffic.
 */
const needRestart = ['service', 'status', 'source', 'tunnel', 'connect', 'report'] as const;

/**
 * Puts a changed configuration into force without a restart.
 * Reloads that are asked for at once run one after the other: otherwise one that began early and
 * read slowly would put an older file into force over a newer one.
 * @throws configuration-invalid; the former configuration stays in force then
 */
export function createReload(parts: ReloadParts): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const reloaded = last.then(() => reload(parts));
    last = reloaded.catch(() => undefined);
    return reloaded;
  };
}

async function reload({ configuration, wakeups, load, log, now }: ReloadParts): Promise<void> {
  try {
    const { config, service } = await load();
    const changed: string[] = needRestart.filter(
      (key) => !isSame(config[key], configuration.config[key]),
    );
    if (config.log.format !== configuration.config.log.format) changed.push('log.format');
    if (changed.length > 0) {
      const message = `changes to ${changed.join(', ')} need a restart of the agent`;
      throw new TributaryError('configuration-invalid', message);
    }
    configuration.config = config;
    configuration.certificateAuthority = service.certificateAuthority?.();
    configuration.problem = undefined;
    log.level = config.log.level;
    for (const wakeup of Object.values(wakeups)) wakeup.notify();
    log.info('the configuration was read again');
  } catch (error) {
    configuration.problem = continueProblem(configuration.problem, error, now());
    log.error(
      { reason: messageOf(error) },
      'the new configuration is refused; the one before stays in force',
    );
    throw error;
  }
}
