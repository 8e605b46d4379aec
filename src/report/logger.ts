import { type Logger, pino } from 'pino';
import { systemCodeOf, TributaryError } from '../errors/codes.ts';
import { parseJson } from '../lib/parse-json.ts';
import { escapeUnseen, toPlainJson, toPlainText } from '../lib/plain-text.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'json' | 'text';
}

export interface LogSurroundings {
  /**
   * True where a person reads the log on a terminal, which is not so under systemd and in
   * containers.
   */
  readonly isTty: boolean;
  /**
   * True where systemd's journal takes each line. The journal adds its own time, and reads the
   * priority from the beginning of the line.
   */
  readonly isJournal?: boolean;
  readonly destination: { write(text: string): unknown };
}

const secretNames = [
  'token',
  'jwt',
  'byJwt',
  'byClientJwt',
  'networkJwt',
  'authCode',
  'privateKey',
  'authorization',
];

/**
 * The log: JSON lines for machines, or one readable line for each record, for people and for the
 * journal. `auto` chooses by the reader.
 */
export function createLogger(settings: LogSettings, surroundings: LogSurroundings): Logger {
  const { isTty, isJournal = false, destination } = surroundings;
  const isText = settings.format === 'text' || (settings.format === 'auto' && (isTty || isJournal));
  // The journal reads a priority in the form of sd-daemon(3).
  const begin = (time: string, level: string) =>
    isJournal
      ? `<${{ error: 3, warn: 4, info: 6 }[level] ?? 7}>`
      : `${time.slice(11, 19)} ${level.padEnd(5)} `;
  const toLine = isText ? (line: string) => toLogText(line, begin) : escapeUnseen;
  return pino(
    {
      level: settings.level,
      base: null,
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: toErrorFields, err: toErrorFields },
      // A second protection. The first is that secrets are of class `Secret`, which prints as
      // `[secret]`.
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[secret]',
      },
    },
    { write: (line: string) => void destination.write(toLine(line)) },
  );
}

/** A JSON record as one line: `12:03:04 info  tunnel is up  interface=tributary0`. */
function toLogText(line: string, begin: (time: string, level: string) => string): string {
  const record = parseJson(line);
  if (!isObject(record)) return line;
  const { time, level, message, ...fields } = record;
  const parts = [toPlainText(String(message ?? '')), ...listPairs(fields, '')];
  return `${begin(String(time), String(level))}${parts.join('  ').slice(0, longest)}\n`;
}

/**
 * The journal splits lines of more than 48 KiB, and would read a priority from the beginning of the
 * second part.
 */
const longest = 12_000;

function listPairs(fields: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isObject(value)
      ? listPairs(value, `${prefix}${name}.`)
      : `${toPlainText(prefix + name)}=${formatValue(value)}`,
  );
}

/** One plain word is written bare, anything else in JSON's quotes. */
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : toPlainJson(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const deepest = 3;

/**
 * Code and message of an error and of its causes. Other properties are left out, because a
 * program's input and output may hold keys.
 */
function toErrorFields(error: unknown, depth = 0): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const { cause } = error;
  const code = error instanceof TributaryError ? error.code : systemCodeOf(error);
  // The message of execa's errors contains the program's whole output, and its short message does
  // not.
  const { shortMessage } = error as { shortMessage?: unknown };
  const isOfProgram = typeof shortMessage === 'string';
  return {
    code: code ?? error.name,
    message: isOfProgram ? shortMessage : error.message,
    ...(cause === undefined || depth >= deepest ? {} : { cause: toErrorFields(cause, depth + 1) }),
    ...(depth === 0 && code === undefined && !isOfProgram ? { stack: pickFrames(error) } : {}),
  };
}

function pickFrames({ stack = '' }: Error): string {
  const frames = stack.matchAll(/^\s+(at .*)$/gm).map(([, frame]) => frame);
  return [...frames.take(8)].join('; ');
}
