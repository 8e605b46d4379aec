import type { CommanderError } from 'commander';
import { type ErrorKind, errorKinds, isAbort, systemCodeOf, TributaryError } from '../lib/errors.ts';

/** Exit codes as in sysexits.h. */
const exitCodes = {
  done: 0,
  usage: 64,
  unavailable: 69,
  bug: 70,
  'try-again': 75,
  'not-allowed': 77,
  configuration: 78,
} as const satisfies Readonly<Record<ErrorKind | 'done' | 'bug', number>>;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of anything thrown: help is done, a wrong command line is usage, a stranger is a bug. */
export function toExitCode(error: unknown): ExitCode {
  if (error instanceof TributaryError) return exitCodes[errorKinds[error.code]];
  if (isOfCommander(error)) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  return isAbort(error) ? exitCodes['try-again'] : exitCodes.bug;
}

/** Told by its code: its class comes with all of commander. */
export function isOfCommander(error: unknown): error is CommanderError {
  return systemCodeOf(error)?.startsWith('commander.') === true;
}
