import type { CommanderError } from 'commander';
import {
  type ErrorKind,
  errorKinds,
  isAbort,
  isOfMissingPart,
  messageOf,
  systemCodeOf,
  TributaryError,
} from '../../errors/codes.ts';
import { findAction } from '../../health/reasons.ts';
import { toPlainJson, toPlainText } from '../../lib/plain-text.ts';
import type { Output } from './context.ts';

/** Exit codes as in sysexits.h. */
const exitCodes = {
  done: 0,
  usage: 64,
  refused: 65,
  unavailable: 69,
  bug: 70,
  output: 74,
  'try-again': 75,
  'not-allowed': 77,
  configuration: 78,
} as const satisfies Readonly<Record<ErrorKind | 'done' | 'bug', number>>;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * The exit code of anything thrown. Help that was asked for is success, other errors of commander
 * are usage errors, and an unknown error is a bug.
 */
export function toExitCode(error: unknown): ExitCode {
  if (error instanceof TributaryError) return exitCodes[errorKinds[error.code]];
  if (isOfCommander(error)) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  return isAbort(error) ? exitCodes['try-again'] : exitCodes.bug;
}

/** Recognized by its code, because importing its class would load all of commander. */
function isOfCommander(error: unknown): error is CommanderError {
  return systemCodeOf(error)?.startsWith('commander.') === true;
}

const report = 'This is a bug in tributary: please report it.';
/** Under systemd the agent is started again anyway. */
const startAgain =
  'Part of the program is gone, as while it is being upgraded: start it again, or install it again.';

interface PrintErrorOptions {
  readonly stderr: Output;
  readonly isJson: boolean;
  /**
   * True where each line has to begin with the priority of an error, which systemd's journal reads.
   */
  readonly isForJournal?: boolean;
}

/**
 * Prints an error, with what to do about it on a line of its own; with `isJson` as
 * `{"error": {code, message, action}}`.
 */
export function printError(error: unknown, options: PrintErrorOptions): void {
  // Commander has printed its help already.
  if (isOfCommander(error)) return;
  const isKnown = error instanceof TributaryError;
  const { code, action } = isKnown
    ? { code: error.code, action: error.action ?? findAction(error.code) }
    : { code: 'bug', action: isOfMissingPart(error) ? startAgain : report };
  const message = messageOf(error);
  // Errors of a configuration come one on each line. Any other message is one line, no matter
  // who made it, and all other control characters are removed.
  const told = `tributary: ${message}`;
  const lines = options.isJson
    ? [toPlainJson({ error: { code, message, action } })]
    : [
        ...(code === 'configuration-invalid' ? told.split('\n') : [told]),
        ...(action === '' ? [] : [`  > ${action}`]),
      ].map(toPlainText);
  options.stderr.write(
    lines.map((line) => `${options.isForJournal ? '<3>' : ''}${line}\n`).join(''),
  );
}
