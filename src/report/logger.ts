import { type Logger, pino } from 'pino';
import { systemCodeOf, TributaryError } from '../lib/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import { escapeUnseen, toPlainJson, toPlainText } from '../lib/plain-text.ts';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'auto' | 'json' | 'text';
}

export interface LogSurroundings {
  /** True where a person reads along; under systemd and in containers it is not. */
  readonly isTty: boolean;
  /**
   * True where systemd's journal takes each line, with its own time, at the priority that the line
   * begins with.
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
 * The log: JSON lines for machines, one readable line a record for people and for the journal
 * (`auto` chooses by the reader).
 */
export function createLogger(settings: LogSettings, surroundings: LogSurroundings): Logger {
  const { isTty, isJournal = false, destination } = surroundings;
  const isText = settings.format === 'text' || (settings.format === 'auto' && (isTty || isJournal));
  // The journal's priority is as sd-daemon(3) has it.
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
      // The belt; the braces are that secrets are `Secret` and print as `[secret]` by themselves.
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
 * The journal breaks a longer line (48 KiB), and would take a priority from the beginning of its
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

/** Bare where it is one plain word, in JSON's quotes otherwise. */
function formatValue(value: unknown): string {
  return typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : toPlainJson(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const deepest = 3;

/**
 * Code and message, down the causes. Never other properties: a program's output and input may hold
 * keys.
 */
function toErrorFields(error: unknown, depth = 0): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { code: undefined, message: String(error) };
  const { cause } = error;
  const code = error instanceof TributaryError ? error.code : systemCodeOf(error);
  // An error of execa carries the whole output in its message; its short message does not.
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
