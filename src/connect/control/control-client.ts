import {
  type CloseContract,
  type CreateContract,
  closeContract,
  createContract,
  createContractResult,
} from '../wire/contract-messages.ts';
import { type ProvideKey, provide } from '../wire/control-messages.ts';
import {
  type ClientKey,
  clientKey,
  type EncryptedKey,
  encryptedKey,
} from '../wire/encrypted-control.ts';
import { decodeFrames, encodeFrames, type Frame, toFrame } from '../wire/frame.ts';
import { decode, encode, type Message } from '../wire/message.ts';
import { messageTypes } from '../wire/message-types.ts';
import { WireError } from '../wire/wire-error.ts';

/** Sends one JSON text to `/connect/control` with the client's token, and gives the answer's. */
export type PostControl = (body: string, signal: AbortSignal) => Promise<PostAnswer>;

export type PostAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** The request certainly reached nobody. */
  | { readonly kind: 'not-sent'; readonly message: string }
  /** It may have been carried out. */
  | { readonly kind: 'lost'; readonly message: string };

/**
 * What went wrong. `unknown` means that it may have been carried out: checkpoints are not sent a
 * second time then, closes and secrets can be. `not-sent` means that it certainly was not, and
 * `refused` that the service does not want it, as it is.
 */
export interface ControlFailure {
  readonly kind: 'failed';
  readonly reason: 'not-sent' | 'unauthorized' | 'refused' | 'unknown';
  readonly message: string;
}

type ContractAnswer =
  | { readonly kind: 'granted'; readonly contract: Buffer }
  | { readonly kind: 'refused'; readonly error: number }
  | ControlFailure;

/**
 * The platform's control over HTTP, where an answer means that it was carried out. Nothing is tried
 * twice here: what may be depends on what was asked.
 */
export interface ControlClient {
  /** Publishes the whole set. Each time costs the running minute: only when something changed. */
  provide(keys: readonly ProvideKey[], signal: AbortSignal): Promise<Done | ControlFailure>;
  /** Who the client is to its peers; once for each process. */
  publishIdentity(of: Publication, signal: AbortSignal): Promise<Done | ControlFailure>;
  createContract(request: CreateContract, signal: AbortSignal): Promise<ContractAnswer>;
  /** Any number at once; of one that the service had closed before, nothing is left to do. */
  report(reports: readonly CloseContract[], signal: AbortSignal): Promise<Done | ControlFailure>;
}

interface Publication {
  readonly clientKey: ClientKey;
  readonly encryptedKey: EncryptedKey;
}

export interface Done {
  readonly kind: 'done';
}

/** Texts of the service that mean there is nothing left to do. */
const settledTexts = ['already closed', 'Contract not found', 'in dispute', 'is not a party'];

export function createControlClient(post: PostControl): ControlClient {
  const ask = async (frames: readonly Frame[], signal: AbortSignal): Promise<Asked> => {
    const pack = encodeFrames(frames).toString('base64');
    const answer = await post(JSON.stringify({ pack }), signal).catch(toLost);
    if (answer.kind !== 'answered')
      return fail(answer.kind === 'lost' ? 'unknown' : 'not-sent', answer.message);
    const { status, text } = answer;
    if (status === 401) return fail('unauthorized', 'the service refuses the token');
    if (status >= 400) return fail(nameFailedStatus(status), `HTTP ${status}`);
    return readAnswer(text);
  };
  const askDone = async (frames: readonly Frame[], signal: AbortSignal) => {
    const asked = await ask(frames, signal);
    if (asked.kind === 'failed') return asked;
    // What went wrong with each frame is joined into one text.
    const errors = asked.error.split(/\n|; /).filter(Boolean);
    const isSettled = (error: string) => settledTexts.some((one) => error.includes(one));
    if (!errors.every(isSettled)) return fail('unknown', asked.error);
    return { kind: 'done' as const };
  };

  return {
    provide: (keys, signal) => askDone([frameOf('provide', provide, { keys })], signal),
    publishIdentity: (of, signal) =>
      askDone(
        [
          frameOf('clientKey', clientKey, of.clientKey),
          frameOf('encryptedKey', encryptedKey, of.encryptedKey),
        ],
        signal,
      ),
    report: (reports, signal) =>
      askDone(
        reports.map((one) => frameOf('closeContract', closeContract, one)),
        signal,
      ),
    async createContract(request, signal) {
      const asked = await ask([frameOf('createContract', createContract, request)], signal);
      if (asked.kind === 'failed') return asked;
      const frame = asked.frames.find(({ type }) => type === messageTypes.createContractResult);
      if (frame === undefined) return fail('unknown', asked.error || 'an answer without a result');
      return readResult(frame.bytes);
    },
  };
}

type Asked =
  | { readonly kind: 'asked'; readonly frames: readonly Frame[]; readonly error: string }
  | ControlFailure;

function frameOf<T extends object>(
  type: keyof typeof messageTypes,
  message: Message<T>,
  value: T,
): Frame {
  return toFrame(messageTypes[type], encode(message, value));
}

/** `{ "pack": base64, "error": { "message" } | null }`; whatever else comes is a failure. */
function readAnswer(text: string): Asked {
  try {
    const answer: unknown = JSON.parse(text);
    const { pack, error } = answer as { readonly pack?: unknown; readonly error?: unknown };
    const frames = decodeFrames(Buffer.from(typeof pack === 'string' ? pack : '', 'base64'));
    const message = (error as { readonly message?: unknown } | null | undefined)?.message;
    return { kind: 'asked', frames, error: error == null ? '' : String(message ?? 'an error') };
  } catch (error) {
    return fail('unknown', `the answer cannot be read: ${(error as Error).message}`);
  }
}

function readResult(bytes: Buffer): ContractAnswer {
  try {
    const { contract, error } = decode(createContractResult, bytes);
    if (contract !== undefined) return { kind: 'granted', contract };
    return { kind: 'refused', error: error ?? 0 };
  } catch (error) {
    if (error instanceof WireError) return fail('unknown', error.message);
    throw error;
  }
}

function toLost(error: unknown): PostAnswer {
  return { kind: 'lost', message: error instanceof Error ? error.message : String(error) };
}

/** Request Timeout, Too Early and Too Many Requests: the same request is taken later. */
const laterStatuses = new Set([408, 425, 429]);

function nameFailedStatus(status: number): ControlFailure['reason'] {
  if (laterStatuses.has(status)) return 'not-sent';
  return status < 500 ? 'refused' : 'unknown';
}

function fail(reason: ControlFailure['reason'], message: string): ControlFailure {
  return { kind: 'failed', reason, message };
}
