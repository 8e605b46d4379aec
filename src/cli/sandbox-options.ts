import type { Command, Option } from 'commander';
import { TributaryError } from '../lib/errors.ts';

/** Of all that `tributary sandbox` takes, what its subcommands take too. */
export function listSharedOptions(command: Command): Option[] {
  return command.parent?.options.filter(({ long }) => long === '--data' || long === '--json') ?? [];
}

/** A whole number within the bounds. @throws usage-invalid */
export function parseNumber(
  option: string,
  text: string,
  { least = 0, most }: { readonly least?: number; readonly most: number },
): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw refuseOption(option, text, `a number from ${least} to ${most}`);
}

/** Refuses what was typed for an option; `allowed` says what it has to be. */
export function refuseOption(option: string, text: string, allowed: string): TributaryError {
  return new TributaryError('usage-invalid', `${option} ${text}: it must be ${allowed}`);
}

/** One line for each label and its value. */
export function renderRows(rows: readonly (readonly [string, string | number])[]): string {
  return rows.map(([label, value]) => `${label.padEnd(12)}${value}\n`).join('');
}
