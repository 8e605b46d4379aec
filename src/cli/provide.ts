import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import { parseDurationSeconds } from '../lib/units.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { statusDocument } from '../status/document.ts';
import { askAgent } from '../status/socket-client.ts';
import { toModeParts } from '../status/text.ts';
import type { CommandContext, PathOptions } from './context.ts';

interface ProvideOptions extends PathOptions {
  readonly for?: string;
  readonly clear?: boolean;
  readonly json?: boolean;
}

/** What the command line asks for; `mode` null takes an override away. */
export type ProvideOrder = { readonly kind: 'show' } | { readonly kind: 'set'; readonly body: ProvideBody };
interface ProvideBody {
  readonly mode: ProvideMode | null;
  readonly forSeconds?: number;
}

const provideAnswer = statusDocument.shape.provide;
const statusAnswer = statusDocument.pick({ provide: true });

/** `tributary provide [MODE] [--for 2h] [--clear] [--json]`. @throws usage-invalid, not-running, not-allowed */
export function registerProvide(program: Command, context: CommandContext): void {
  program
    .command('provide')
    .description('show the provide mode, or set it by hand until it is cleared')
    .argument('[mode|auto]', `${provideModes.join(', ')}; auto takes back what was set by hand`)
    .option('--for <duration>', 'only for this long, such as 30m, 2h or 1d')
    .option('--clear', 'the same as the mode auto')
    .option('--json', 'one JSON object, as `provide` in status')
    .action(async (mode: string | undefined, options: ProvideOptions, command: Command) => {
      const order = toProvideOrder(mode, options);
      const socketPaths = await context.resolveSocketPaths(command.optsWithGlobals<PathOptions>());
      const provide = await askProvide(socketPaths, order);
      const text = `Mode: ${toModeParts(provide, context.now())
        .filter((part) => part !== '')
        .join(', ')}`;
      context.stdout.write(`${options.json === true ? JSON.stringify(provide) : text}\n`);
    });
}

/** @throws usage-invalid */
export function toProvideOrder(
  mode: string | undefined,
  options: { readonly for?: string; readonly clear?: boolean },
): ProvideOrder {
  const isClearing = options.clear === true || mode === 'auto';
  if (options.clear === true && mode !== undefined && mode !== 'auto') {
    throw new TributaryError('usage-invalid', `setting the mode: ${mode} and --clear contradict each other`);
  }
  if (options.for !== undefined && (mode === undefined || isClearing)) {
    throw new TributaryError('usage-invalid', 'setting the mode: --for needs a mode to set');
  }
  if (isClearing) return { kind: 'set', body: { mode: null } };
  if (mode === undefined) return { kind: 'show' };
  const known = provideModes.find((candidate) => candidate === mode);
  if (known === undefined) {
    const allowed = `${provideModes.join(', ')} or auto`;
    throw new TributaryError('usage-invalid', `setting the mode: ${mode} is not one of ${allowed}`);
  }
  return { kind: 'set', body: { mode: known, ...toForSeconds(options.for) } };
}

function toForSeconds(text: string | undefined): { readonly forSeconds?: number } {
  if (text === undefined) return {};
  const forSeconds = parseDurationSeconds(text);
  if (forSeconds === undefined || forSeconds === 0) {
    throw new TributaryError('usage-invalid', `setting the mode: ${text} is not a duration such as 30m, 2h or 1d`);
  }
  return { forSeconds };
}

async function askProvide(socketPaths: readonly string[], order: ProvideOrder) {
  const parsed =
    order.kind === 'set'
      ? provideAnswer.safeParse(await askAgent(socketPaths, { method: 'POST', path: '/provide', body: order.body }))
      : statusAnswer
          .transform(({ provide }) => provide)
          .safeParse(await askAgent(socketPaths, { method: 'GET', path: '/status.json' }));
  if (parsed.success) return parsed.data;
  throw new TributaryError('command-failed', "reading the agent's mode: its answer is not as expected");
}
