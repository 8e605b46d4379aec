import { TributaryError } from '../../../errors/codes.ts';
import { findNearest } from '../../../lib/edit-distance.ts';
import { parseDurationSeconds } from '../../../lib/units.ts';
import { provideModes } from '../../../service/profiles.ts';
import { explainRisk, modeWords } from '../../../status/mode-words.ts';
import type { ProvideRequest } from '../../../status/routes.ts';
import type { Listening } from '../../../status/socket-client.ts';
import { defineCommand, refuse, refuseOption, type Show } from '../../frame/command.ts';
import type { CommandContext, PathOptions } from '../../frame/context.ts';

/** What each mode means, for help. */
export const modeMeanings = Object.entries(modeWords)
  .map(([mode, { who }]) => `${mode}: ${who}`)
  .join('; ');

/**
 * `tributary provide [MODE] [--for 2h] [--limit RATE] [--clear] [--json]`.
 * @throws usage-invalid, not-running, not-allowed
 */
export const provide = defineCommand({
  usage: 'provide [mode|auto]',
  description: 'show the provide mode, or set it by hand until you clear it',
  arguments: { 'mode|auto': `${modeMeanings}; auto: back to the schedule or configuration` },
  options: {
    '--for <duration>': 'only for this long, such as 30m, 2h or 1d',
    '--until <time>': 'only until this time of the day, such as 18:00',
    '--limit <rate>': 'limit sharing to this rate each way, such as "10 Mbit"',
    '--clear': 'the same as the mode auto',
    '--json': 'one JSON object, as `provide` in status',
  },
  examples: {
    'tributary provide': 'show the mode',
    'tributary provide friends --for 2h': 'set it for two hours',
    'tributary provide auto': 'undo what was set by hand',
  },
  act: ({ words: [mode], ...given }, context) => showProvide(mode, given, context),
});

export const pause = defineCommand({
  usage: 'pause',
  description: 'share nothing until you resume; the same as `tributary provide none`',
  options: {
    '--for <duration>': 'only for this long, such as 30m, 2h or 1d',
    '--until <time>': 'only until this time of the day, such as 18:00',
    '--json': 'one JSON object',
  },
  examples: {
    'sudo tributary pause --for 2h': 'for two hours',
    'sudo tributary pause --until 18:00': 'until six in the evening',
  },
  act: (given, context) => showProvide('none', given, context),
});

export const resume = defineCommand({
  usage: 'resume',
  description: 'share again as configured: undoes pause and provide',
  options: { '--json': 'one JSON object' },
  examples: { 'tributary resume': 'after a pause' },
  act: (given, context) => showProvide('auto', given, context),
});

type Given = { readonly options: ProvideOptions & PathOptions; readonly show: Show };

/** Sets a mode if one is given, and shows the mode that holds now. */
async function showProvide(
  mode: string | undefined,
  { options, show }: Given,
  context: CommandContext,
): Promise<void> {
  const body = await readProvideBody(mode, options, context.now());
  const shown = await askProvide(await context.resolvePlaces(options), body);
  const { describeLine, describeMode } = await import('../../../status/text.ts');
  await show(shown, (plain) => {
    const parts = describeMode(plain, context.now()).filter((part) => part !== '');
    const line = describeLine(plain).filter((part) => part !== '');
    const risk = mode === undefined ? undefined : explainRisk(mode);
    return `Mode: ${parts.join(', ')}\nLimit: ${line.join(', ')}\n${risk ? `${risk}\n` : ''}`;
  });
}

type ProvideOptions = Readonly<Partial<Record<'for' | 'until' | 'limit', string>>> & {
  readonly clear?: boolean;
};

/** The order for the agent; undefined to change nothing. @throws usage-invalid */
export async function readProvideBody(
  mode: string | undefined,
  options: ProvideOptions,
  now: Date,
): Promise<ProvideRequest | undefined> {
  const isClearing = options.clear === true || mode === 'auto';
  if (options.clear === true && !['auto', undefined].includes(mode))
    throw refuse(`give ${mode} or --clear, not both`);
  const given = (['for', 'until', 'limit'] as const).find((name) => options[name] !== undefined);
  if (given !== undefined && (mode === undefined || isClearing))
    throw refuse(`--${given} needs a mode to set`);
  if (isClearing) return { mode: null };
  if (mode === undefined) return undefined;
  const known = provideModes.find((candidate) => candidate === mode);
  if (known === undefined) throw refuseMode(mode, [...provideModes, 'auto'], 'tributary pause');
  const forSeconds = readSeconds(options, now);
  // Loaded only for a limit: nothing else that the order needs takes long to load.
  if (options.limit === undefined) return { mode: known, forSeconds };
  const { bitRate } = await import('../../../config/amounts.ts');
  const { data: limitBitsPerSecond, error } = bitRate.safeParse(options.limit);
  if (error) throw refuseOption('--limit', options.limit, `${error.issues[0]?.message}`);
  return { mode: known, forSeconds, limitBitsPerSecond };
}

/** How long the mode is to hold; undefined for as long as nobody takes it back. */
function readSeconds(options: ProvideOptions, now: Date): number | undefined {
  if (options.for !== undefined && options.until !== undefined)
    throw refuse('give --for or --until, not both');
  if (options.until !== undefined) {
    const seconds = findSecondsUntil(options.until, now);
    if (seconds === undefined) throw refuseOption('--until', options.until, 'a time like 18:00');
    return seconds;
  }
  if (options.for === undefined) return undefined;
  const seconds = parseDurationSeconds(options.for);
  if (!seconds) throw refuseOption('--for', options.for, 'a time like 30m, 2h or 1d');
  return seconds;
}

/** The seconds until this machine's clock next shows the time; undefined for any other text. */
function findSecondsUntil(text: string, now: Date): number | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined) return undefined;
  const at = new Date(now);
  at.setHours(Number(hour), Number(minute), 0, 0);
  if (at <= now) at.setDate(at.getDate() + 1);
  return Math.ceil((at.getTime() - now.getTime()) / 1000);
}

/** The error for an unknown mode. `pause` is the command that stops sharing. */
export function refuseMode(text: string, modes: readonly string[], pause: string): TributaryError {
  const nearest = findNearest(text, modes);
  const hint =
    nearest === undefined ? `the modes are ${modes.join(', ')}` : `did you mean ${nearest}?`;
  const action = ['off', 'stop', 'pause'].includes(text) ? `To stop sharing: ${pause}` : undefined;
  return refuse(`unknown mode ${text}; ${hint}`, { action });
}

async function askProvide(places: Listening, body: ProvideRequest | undefined) {
  const { askAgent } = await import('../../../status/socket-client.ts');
  const answer = await (body === undefined
    ? askAgent(places, { method: 'GET', path: '/status.json' })
    : askAgent(places, { method: 'POST', path: '/provide', body }));
  // Loaded only now, so that the mode is in force sooner.
  const { statusDocument } = await import('../../../status/document.ts');
  const provideOf = statusDocument.pick({ provide: true }).transform((status) => status.provide);
  const parsed = (body === undefined ? provideOf : statusDocument.shape.provide).safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new TributaryError(
    'command-failed',
    "reading the agent's mode: its answer is not as expected",
  );
}
