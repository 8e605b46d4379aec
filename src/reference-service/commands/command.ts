import type { Option } from 'commander';
import { SandboxError } from '../errors.ts';

/**
 * A command of the sandbox. It knows nothing of the program that offers it: the program reads the
 * command line by `usage` and `options`, calls `act`, and prints what is shown. Errors are thrown:
 * usage-invalid for a command line that cannot be obeyed, and what the service throws.
 */
export interface SandboxCommand<Options> {
  /** Its word, and the words that it takes: `locate <client> <place>`. */
  readonly usage: string;
  readonly description: string;
  /** By their flags: `--listen <address:port>`. */
  readonly options: Readonly<Record<string, Flag>>;
  /** Whole command lines, with what each does. */
  readonly examples: Readonly<Record<string, string>>;
  act(given: Given<Options>, clock: Clock): Promise<void>;
}

/** What an option means; as a pair, it also says how commander makes it required, say. */
export type Flag = string | readonly [meaning: string, complete: (option: Option) => Option];

/** What was typed. */
interface Given<Options> {
  /** The arguments, in the order of the usage. */
  readonly words: readonly string[];
  /** By the name in camel case; an option that was left out is undefined or has its default. */
  readonly options: Options;
  /** Prints the result as JSON under `--json`, and otherwise the text for people. */
  readonly show: (result: unknown, render: () => string) => Promise<void>;
}

interface Clock {
  readonly now: () => Date;
}

/** Options that every command takes, before its word or behind it. */
export interface SharedOptions {
  /** The directory of the database. */
  readonly data: string;
}

/** The error for a value of an option that cannot be used; `allowed` says what it has to be. */
export function refuseOption(option: string, text: string, allowed: string): SandboxError {
  return new SandboxError('usage-invalid', `${option} ${text}: it must be ${allowed}`);
}

interface Bounds {
  /** 0 by default. */
  readonly least?: number;
  readonly most: number;
}

/**
 * A whole number within the bounds.
 * @throws usage-invalid
 */
export function parseNumber(option: string, text: string, { least = 0, most }: Bounds): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw refuseOption(option, text, `a whole number from ${least} to ${most}`);
}

/** The name of an interface. @throws usage-invalid */
export function parseInterface(option: string, text: string): string {
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(text)) return text;
  throw refuseOption(option, text, 'the name of an interface');
}

/** A line for each label and value, for people. */
export function renderLabelled(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([label, value]) => `${label.padEnd(12)}${value}\n`)
    .join('');
}
