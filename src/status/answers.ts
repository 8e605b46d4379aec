import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { isOfMissingPart, messageOf, TributaryError } from '../errors/codes.ts';
import { findAction } from '../health/reasons.ts';
import { toPlainJson, toPlainText } from '../lib/plain-text.ts';

export interface StatusRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The caller's address; undefined over the socket. */
  readonly address: string | undefined;
  /** Empty if none was sent. */
  readonly body: string;
}

export interface StatusAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The compressed body, which is sent instead of `body`. */
  readonly packed?: Buffer;
  /** Goes on writing after the headers, until it or the reader ends the answer. */
  readonly stream?: (response: ServerResponse) => void;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createAnswer(contentType: string, body: string): StatusAnswer {
  return { status: 200, contentType, body };
}

export function createTextAnswer(status: number, line: string): StatusAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${toPlainText(line)}\n` };
}

export function createJsonAnswer(status: number, value: unknown): StatusAnswer {
  return {
    status,
    contentType: 'application/json; charset=utf-8',
    body: `${toPlainJson(value)}\n`,
  };
}

/** The answer for an unknown path, and for a path that is closed to this caller. */
export function answerNotFound(): StatusAnswer {
  return createTextAnswer(404, 'There is nothing here.');
}

const partIsGone =
  'Part of the program is gone, as after an upgrade. Start the agent again: sudo systemctl restart tributary';

/**
 * `{error: {code, message, action}}`. An error that is not ours is a bug, and its text is not sent.
 */
export function toErrorAnswer(error: unknown): StatusAnswer {
  if (isOfMissingPart(error)) return createTextAnswer(500, partIsGone);
  if (!(error instanceof TributaryError))
    return createTextAnswer(500, 'This is a bug in the agent.');
  const { code } = error;
  return createJsonAnswer(code === 'usage-invalid' ? 400 : 422, {
    error: { code, message: messageOf(error), action: error.action ?? findAction(code) },
  });
}
