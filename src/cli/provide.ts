import { TributaryError } from '../lib/errors.ts';
import { parseDurationSeconds } from '../lib/units.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { defineCommand, refuse } from './command.ts';

/** A mode to set by hand; null removes what was set. */
type ProvideBody = { readonly mode: ProvideMode | null; readonly forSeconds?: number };

/** `tributary provide [MODE] [--for 2h] [--clear] [--json]`. @throws usage-invalid, not-running, not-allowed */
export const provide = defineCommand({
  usage: 'provide [mode|auto]',
  description: 'show the provide mode, or set it by hand until it is cleared',
  arguments: { 'mode|auto': `${[...provideModes].join(', ')}; auto takes back what was set by hand` },
  options: {
    '--for <duration>': 'only for this long, such as 30m, 2h or 1d',
    '--clear': 'the same as the mode auto',
    '--json': 'one JSON object, as `provide` in status',
  },
  async act({ words: [mode], options, show }, context) {
    const body = readProvideBody(mode, options);
    const shown = await askProvide(await context.resolveSocketPaths(options), body);
    const { describeMode } = await import('../status/text.ts');
    const parts = describeMode(shown, context.now()).filter((part) => part !== '');
    await show(shown, () => `Mode: ${parts.join(', ')}\n`);
  },
});

/** undefined to change nothing. @throws usage-invalid */
export function readProvideBody(
  mode: string | undefined,
  options: { readonly for?: string; readonly clear?: boolean },
): ProvideBody | undefined {
  const isClearing = options.clear === true || mode === 'auto';
  if (options.clear === true && mode !== undefined && mode !== 'auto') {
    throw refuse(`setting the mode: ${mode} and --clear contradict each other`);
  }
  if (options.for !== undefined && (mode === undefined || isClearing)) {
    throw refuse('setting the mode: --for needs a mode to set');
  }
  if (isClearing) return { mode: null };
  if (mode === undefined) return undefined;
  const known = provideModes.find((candidate) => candidate === mode);
  if (known === undefined) {
    throw refuse(`setting the mode: ${mode} is not one of ${provideModes.join(', ')} or auto`);
  }
  if (options.for === undefined) return { mode: known };
  const forSeconds = parseDurationSeconds(options.for);
  if (forSeconds) return { mode: known, forSeconds };
  throw refuse(`setting the mode: ${options.for} is not a duration such as 30m, 2h or 1d`);
}

async function askProvide(socketPaths: readonly string[], body: ProvideBody | undefined) {
  const { askAgent } = await import('../status/socket-client.ts');
  const answer = await (body === undefined
    ? askAgent(socketPaths, { method: 'GET', path: '/status.json' })
    : askAgent(socketPaths, { method: 'POST', path: '/provide', body }));
  // Only now: the mode is in force sooner without what reads the answer.
  const { statusDocument } = await import('../status/document.ts');
  const provideOf = statusDocument.pick({ provide: true }).transform((status) => status.provide);
  const parsed = (body === undefined ? provideOf : statusDocument.shape.provide).safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new TributaryError('command-failed', "reading the agent's mode: its answer is not as expected");
}
