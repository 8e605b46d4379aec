import { connect, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { hasCode, isAbort, messageOf, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { isErrorCode } from '../health/reasons.ts';
import type { HostPort } from '../lib/host-port.ts';
import { parseJson } from '../lib/parse-json.ts';
import { toPlainText } from '../lib/plain-text.ts';
import { openFolder } from '../system/folder.ts';
import { toReadersPath } from './readers-socket.ts';
import { stateHeader, versionHeader } from './source.ts';

/**
 * In ms. An order is answered when a pass has carried it out, for which a busy device takes its
 * time.
 */
const usualTimeoutMs = { GET: 5_000, POST: 20_000 } as const;
const answerLimitBytes = 4 * 1024 * 1024;
/** Of lists and objects in each other; what the agent answers has fewer than ten. */
const mostLevels = 32;
/** These mean that no socket is there, or one that a dead process left. */
const nobody: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED']);

/** The agent to ask, and where it may answer, the likeliest place first. */
export interface Listening {
  readonly socketPaths: readonly string[];
  /** The state directory of the agent that is meant; any other agent refuses to answer. */
  readonly onlyOf?: string | undefined;
  /** What is wrong with the configuration; thrown if no agent answers. */
  readonly problem?: Error | undefined;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** How long an answer is waited for, in ms; an order's longer by default. */
  readonly timeoutMs?: number;
  /** Called with the version of the program that answers; undefined if it does not say. */
  readonly onVersion?: (version: string | undefined) => void;
}

/**
 * The parsed answer of the first socket at which an agent answers. A user who may not use it
 * asks where its readers do.
 * @throws `problem` or not-running, not-allowed, command-failed, and the error in the answer
 */
export async function askAgent(
  { socketPaths, onlyOf, problem }: Listening,
  question: Question,
): Promise<unknown> {
  const name = onlyOf === undefined ? 'the agent' : `the agent of ${onlyOf}`;
  const others: string[] = [];
  for (const socketPath of socketPaths) {
    try {
      return await exchangeOrRead(socketPath, onlyOf, question);
    } catch (error) {
      if (hasCode(error, 'not-running')) others.push(`; on ${socketPath} ${error.message}`);
      else if (!nobody.has(systemCodeOf(error)))
        throw createAskError(error, { name, socketPath, ...question });
    }
  }
  const nothing = `${name} is not running: nothing answers on ${socketPaths.join(' or ')}`;
  const found =
    others.length > 0 ? `asking ${name}: it does not answer${others.join('')}` : nothing;
  throw problem ?? new TributaryError('not-running', found);
}

/**
 * The parsed answer of the status page, which every user of this machine may read.
 * Rejects where nothing answers there as an agent does.
 */
export async function askPage(page: HostPort, question: Question): Promise<unknown> {
  const signal = limit(question);
  return await converse(connect({ ...page, signal }), '', question);
}

/** Who may not use the socket, may be one of its readers, who give no orders. */
function exchangeOrRead(socketPath: string, onlyOf: string | undefined, question: Question) {
  return exchange(socketPath, onlyOf, question).catch((error: unknown) => {
    if (question.method !== 'GET' || !isRefused(error)) throw error;
    const read = exchange(toReadersPath(socketPath), onlyOf, question);
    return read.catch(() => Promise.reject(error));
  });
}

function isRefused(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'EACCES' || code === 'EPERM';
}

function limit({ method, timeoutMs = usualTimeoutMs[method] }: Question): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

async function exchange(socketPath: string, onlyOf: string | undefined, question: Question) {
  const signal = limit(question);
  // Root connects with the rights of the folder's owner. A link in place of the agent's socket
  // could otherwise lead to one that only root may use.
  await using folder = await openFolder(dirname(socketPath));
  const socket = folder.at(basename(socketPath), (own) => connect({ path: own, signal }));
  // A socket in the state directory belongs to its agent, even if the agent knows that directory by
  // another path.
  const isCertain = onlyOf === undefined || dirname(socketPath) === onlyOf;
  const meant = isCertain ? '' : `${stateHeader}: ${encodeURI(onlyOf)}\r\n`;
  return await converse(socket, meant, question);
}

/**
 * Asks by HTTP/1.0, whose answers end with the connection. Node's own client takes longer to load
 * than this whole exchange.
 */
async function converse(
  socket: Socket,
  meant: string,
  { method, path, body, onVersion }: Question,
): Promise<unknown> {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(sent)}\r\n`;
  socket.write(`${method} ${path} HTTP/1.0\r\nHost: localhost\r\n${meant}${length}\r\n${sent}`);
  const answer = await readToEnd(socket);
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.subarray(0, Math.max(0, end)).toString('latin1');
  onVersion?.(new RegExp(`^${versionHeader}: *(.*)$`, 'im').exec(head)?.[1]);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  return await readAnswer(status, answer.subarray(end + 4).toString('utf8'));
}

async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of socket) {
    length += chunk.length;
    if (length > answerLimitBytes) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readAnswer(status: number, text: string): Promise<unknown> {
  const value = parseJson(text);
  if (isDeeperThan(mostLevels, value)) throw new Error('its answer is nested too deeply');
  if (status >= 200 && status < 300 && value !== undefined) return value;
  // Loaded only for errors, which most answers are not.
  const z = await import('zod');
  const told = z
    .object({ error: z.object({ code: z.string(), message: z.string() }) })
    .safeParse(value);
  if (told.success && isErrorCode(told.data.error.code)) {
    throw new TributaryError(told.data.error.code, toMessage(told.data.error));
  }
  throw new Error(`it answered with ${status === 0 ? 'no whole answer' : `status ${status}`}`);
}

/**
 * An error in the agent's words, of which none can begin a line: an attacker who took the agent
 * over could write one that looks like the owner's prompt. Only a configuration has several errors.
 */
function toMessage({ code, message }: { readonly code: string; readonly message: string }): string {
  const lines = code === 'configuration-invalid' ? message.split('\n') : [message];
  return lines.map(toPlainText).join('\n  ');
}

/** Whether more than so many lists and objects lie in each other. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

interface Asked extends Pick<Question, 'method' | 'timeoutMs'> {
  /** Which agent was asked, in words. */
  readonly name: string;
  readonly socketPath: string;
}

function createAskError(
  error: unknown,
  { name, socketPath, method, timeoutMs = usualTimeoutMs[method] }: Asked,
): TributaryError {
  if (error instanceof TributaryError) return error;
  if (isRefused(error)) {
    const message = `asking ${name}: this user may not use ${socketPath}`;
    return new TributaryError('not-allowed', message, { cause: error });
  }
  const why = isAbort(error) ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
  return new TributaryError('command-failed', `asking ${name} on ${socketPath}: ${why}`, {
    cause: error,
  });
}
