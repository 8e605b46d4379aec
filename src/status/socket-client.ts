import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { basename, dirname } from 'node:path';
import * as z from 'zod';
import { isErrorCode } from '../health/reasons.ts';
import { messageOf, systemCodeOf, TributaryError } from '../lib/errors.ts';
import { parseJson } from '../lib/parse-json.ts';
import { openFolder } from '../system/folder.ts';

const timeoutMs = 5_000;
const answerLimitBytes = 4 * 1024 * 1024;

const errorAnswer = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** A running program of ours, and where it may answer; the likeliest first. */
interface Listening {
  /** As in "asking …". */
  readonly name: string;
  readonly socketPaths: readonly string[];
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export function askAgent(socketPaths: readonly string[], question: Question): Promise<unknown> {
  return askOverSocket({ name: 'the agent', socketPaths }, question);
}

/**
 * Asks over the first of the sockets that answers; the parsed JSON of the answer.
 * @throws not-running, not-allowed, command-failed, and whatever error the other side answers with
 */
export async function askOverSocket({ name, socketPaths }: Listening, question: Question): Promise<unknown> {
  for (const socketPath of socketPaths) {
    try {
      return await exchange(name, socketPath, question);
    } catch (error) {
      if (!isNobody(error)) throw createAskError(error, name, socketPath);
    }
  }
  throw new TributaryError('not-running', `asking ${name}: nothing answers on ${socketPaths.join(' or ')}`);
}

async function exchange(name: string, socketPath: string, { method, path, body }: Question) {
  const signal = AbortSignal.timeout(timeoutMs);
  // Root speaks as the folder's owner: a link in the place of the agent's socket could lead to one that only root may use.
  await using folder = await openFolder(dirname(socketPath));
  const createConnection = () => folder.at(basename(socketPath), (own) => connect(own));
  return await new Promise<unknown>((resolve, reject) => {
    const options = { createConnection, method, path, signal, headers: { Host: 'localhost' } };
    const outgoing = request(options, (incoming) => {
      readAnswer(name, incoming).then(resolve, reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function readAnswer(name: string, incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    length += chunk.length;
    if (length > answerLimitBytes) {
      throw new TributaryError('command-failed', `asking ${name}: its answer is too long`);
    }
    chunks.push(chunk);
  }
  const { statusCode: status = 0 } = incoming;
  const value = parseJson(Buffer.concat(chunks).toString('utf8'));
  if (status >= 200 && status < 300 && value !== undefined) return value;
  const told = errorAnswer.safeParse(value);
  if (told.success && isErrorCode(told.data.error.code)) {
    throw new TributaryError(told.data.error.code, told.data.error.message);
  }
  throw new TributaryError('command-failed', `asking ${name}: it answered with status ${status}`);
}

/** No socket there, or one that a dead process left. */
function isNobody(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'].includes(systemCodeOf(error) ?? '');
}

function createAskError(error: unknown, name: string, socketPath: string): TributaryError {
  if (error instanceof TributaryError) return error;
  if (systemCodeOf(error) === 'EACCES' || systemCodeOf(error) === 'EPERM') {
    const message = `asking ${name}: this user may not use ${socketPath}; use sudo, or the user that runs ${name}`;
    return new TributaryError('not-allowed', message, { cause: error });
  }
  const isTimeout = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  const why = isTimeout ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
  return new TributaryError('command-failed', `asking ${name} on ${socketPath}: ${why}`, { cause: error });
}
