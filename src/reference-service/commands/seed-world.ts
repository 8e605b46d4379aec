import { renderResult } from './administer.ts';
import { parseNumber, type SandboxCommand, type SharedOptions } from './command.ts';

const clientsPerNetwork = 100;
const terminalEveryMs = 100;
const lineEveryMs = 3000;

/** Numbers are texts, as they were typed. */
interface SeedOptions extends SharedOptions {
  readonly clients: string;
  readonly days: string;
  readonly networks?: string;
  readonly seed: string;
}

/** Makes a world of simulated clients. Its `act` throws usage-invalid, already-running, state-…. */
export function createSeedCommand(program: string): SandboxCommand<SeedOptions> {
  return {
    usage: 'seed',
    description:
      'fill the database with simulated clients and their past, while no service runs on it',
    options: {
      '--clients <number>': ['number of clients', (option) => option.default('1000')],
      '--days <number>': [
        'days of history; the last week also by the hour',
        (option) => option.default('90'),
      ],
      '--networks <number>':
        'to spread them over; 1: all in the first (default: one per 100 clients)',
      '--seed <number>': [
        'random seed: another number makes other clients',
        (option) => option.default('1'),
      ],
    },
    examples: {
      [`${program} seed --clients 10000 --days 90 --data ./sandbox`]: 'a quarter of a large world',
    },
    async act({ options, show }, { now }) {
      const clients = parseNumber('--clients', options.clients, { least: 1, most: 100_000 });
      const days = parseNumber('--days', options.days, { least: 1, most: 3650 });
      const usualNetworks = Math.ceil(clients / clientsPerNetwork);
      const networks = parseNumber('--networks', options.networks ?? `${usualNetworks}`, {
        least: 1,
        most: clients,
      });
      const seed = parseNumber('--seed', options.seed, { least: 0, most: 999_999_999 });
      const { seedWorld } = await import('../seed.ts');
      const startedMs = performance.now();
      const onProgress = createProgress(process.stderr, clients);
      await seedWorld({
        directory: options.data,
        clients,
        days,
        networks,
        seed,
        nowMs: now().getTime(),
        onProgress,
      });
      const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
      const result = { clients, networks, days, seconds };
      await show(result, () => renderResult(result));
    },
  };
}

/**
 * Shows progress: at a terminal on one line that is rewritten, elsewhere on a new line every few
 * seconds.
 */
function createProgress(stderr: NodeJS.WriteStream, clients: number): (done: number) => void {
  let toldMs = performance.now();
  return (done) => {
    const isLast = stderr.isTTY && done === clients;
    if (!isLast && performance.now() - toldMs < (stderr.isTTY ? terminalEveryMs : lineEveryMs))
      return;
    toldMs = performance.now();
    const text = `${done} of ${clients} clients`;
    stderr.write(stderr.isTTY ? `\r${text}${isLast ? '\n' : ''}` : `${text}\n`);
  };
}
