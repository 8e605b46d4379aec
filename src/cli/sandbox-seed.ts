import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import type { CommandContext } from './context.ts';
import { toShared } from './sandbox-orders.ts';

interface SeedCommandOptions {
  readonly data: string;
  readonly json?: boolean;
  readonly clients: string;
  readonly days: string;
  readonly networks?: string;
  readonly seed: string;
}

const clientsPerNetwork = 100;
const terminalEveryMs = 100;
const lineEveryMs = 3000;

/** Adds `tributary sandbox seed`: a world of simulated clients. @throws usage-invalid, already-running, state-… */
export function registerSandboxSeed(sandbox: Command, context: CommandContext): void {
  sandbox
    .command('seed')
    .description('fill the database with simulated clients and their past, while no service runs on it')
    .option('--clients <number>', 'how many', '1000')
    .option('--days <number>', 'of the past, by the day; of the last week also by the hour', '90')
    .option('--networks <number>', 'to spread them over; 1: all in the first (default: one for 100 clients)')
    .option('--seed <number>', 'another number makes other clients', '1')
    .configureHelp({ visibleGlobalOptions: toShared })
    .addHelpText('after', '\nExample:\n  tributary sandbox seed --clients 10000 --days 90 --data ./sandbox\n')
    .action((_: unknown, command: Command) => runSeed(command.optsWithGlobals<SeedCommandOptions>(), context));
}

async function runSeed(options: SeedCommandOptions, { stdout, now }: CommandContext): Promise<void> {
  const clients = parseNumber('--clients', options.clients, { least: 1, most: 100_000 });
  const days = parseNumber('--days', options.days, { least: 1, most: 3650 });
  const networks =
    options.networks === undefined
      ? Math.ceil(clients / clientsPerNetwork)
      : parseNumber('--networks', options.networks, { least: 1, most: clients });
  const seed = parseNumber('--seed', options.seed, { least: 0, most: 999_999_999 });
  const { seedWorld } = await import('../reference-service/seed.ts');
  const startedMs = performance.now();
  const onProgress = createProgress(process.stderr, clients);
  await seedWorld({ directory: options.data, clients, days, networks, seed, nowMs: now().getTime(), onProgress });
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
  const result = { clients, networks, days, seconds };
  stdout.write(options.json === true ? `${JSON.stringify(result)}\n` : renderText(result));
}

/** At a terminal one line that is written anew; elsewhere one every few seconds. */
function createProgress(stderr: NodeJS.WriteStream, clients: number): (done: number) => void {
  let toldMs = performance.now();
  return (done) => {
    const isOver = done === clients;
    if (performance.now() - toldMs < (stderr.isTTY ? terminalEveryMs : lineEveryMs) && !(isOver && stderr.isTTY))
      return;
    toldMs = performance.now();
    const text = `${done} of ${clients} clients`;
    stderr.write(stderr.isTTY ? `\r${text}${isOver ? '\n' : ''}` : `${text}\n`);
  };
}

function renderText(result: Readonly<Record<'clients' | 'networks' | 'days' | 'seconds', number>>): string {
  return Object.entries({
    Clients: result.clients,
    Networks: result.networks,
    Days: result.days,
    Seconds: result.seconds,
  })
    .map(([label, value]) => `${label.padEnd(12)}${value}\n`)
    .join('');
}

function parseNumber(option: string, text: string, { least, most }: { readonly least: number; readonly most: number }) {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new TributaryError('usage-invalid', `${option} ${text}: it must be a number from ${least} to ${most}`);
}
