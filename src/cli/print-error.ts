import { findAction } from '../health/reasons.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { toPlainJson, toPlainText } from '../lib/plain-text.ts';
import type { Output } from './context.ts';
import { isOfCommander } from './exit-code.ts';

interface PrintErrorOptions {
  readonly stderr: Output;
  readonly isJson: boolean;
  /** Each line begins with the priority of an error, which systemd's journal takes from it. */
  readonly isForJournal?: boolean;
}

/** What to do about it, on a line of its own; with `isJson` one `{"error": {code, message, action}}`. */
export function printError(error: unknown, options: PrintErrorOptions): void {
  // commander has printed it already.
  if (isOfCommander(error)) return;
  const isKnown = error instanceof TributaryError;
  const { code, action } = isKnown
    ? { code: error.code, action: findAction(error.code) }
    : { code: 'bug', action: 'This is a bug in tributary: please report it.' };
  const message = messageOf(error);
  // A configuration's errors come one a line; every other control character goes.
  const lines = options.isJson
    ? [toPlainJson({ error: { code, message, action } })]
    : [...`tributary: ${message}`.split('\n'), `  > ${action}`].map(toPlainText);
  options.stderr.write(lines.map((line) => `${options.isForJournal ? '<3>' : ''}${line}\n`).join(''));
}
