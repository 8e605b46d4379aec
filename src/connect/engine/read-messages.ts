import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { type ConsumerData, mostAddressesKept } from '../contract/consumer-data.ts';
import { mostFinishedKept } from '../contract/finished-contracts.ts';
import { engineLimits } from '../provider/limits.ts';
import { mostHastened } from '../socket/clock-rate.ts';
import { type FromEngine, longestLine, type ToEngine } from './messages.ts';

/** A line that is no sound message. Its text says which field, and never what was in it. */
export class MessageError extends Error {}

/** Reads a line of the agent, without its line feed. @throws MessageError */
export function readToEngine(line: string): ToEngine {
  return read(line, toEngine);
}

/** Reads a line of the engine, without its line feed. @throws MessageError */
export function readFromEngine(line: string): FromEngine {
  return read(line, fromEngine);
}

/** One line, with its line feed. */
export function writeMessage(message: ToEngine | FromEngine): string {
  return `${JSON.stringify(message)}\n`;
}

const uuid = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/));
/** Both go into headers, where a line feed would begin another one. */
const token = z.string().check(z.regex(/^[\x21-\x7e]{1,16384}$/));
const version = z.string().check(z.regex(/^[\x21-\x7e]{1,100}$/));
const count = z.number().check(z.int(), z.nonnegative());
/** Unix ms that a Date can hold: what reads it makes one of it. */
const moment = z.number().check(z.int(), z.nonnegative(), z.maximum(8.64e15));
const counts = z.record(z.string().check(z.regex(/^[a-z][A-Za-z-]{0,63}$/)), count);
const wish = z.enum(['public', 'friends', 'network', 'stream', 'none']);
const opaque = z.nullable(z.string().check(z.maxLength(200)));

const account = z.object({
  contract: uuid,
  peer: uuid,
  byteCount: count,
  createdAt: z.number(),
  counted: count,
  reported: count,
  bridged: z.optional(count),
});
const report = z.object({ contract: uuid, bytes: count, isCheckpoint: z.boolean() });
const consumer = z.object({
  peer: uuid,
  sequence: uuid,
  next: z.optional(count),
  lane: z.string().check(z.regex(/^[01][01][0-8]$/)),
  mode: z.number().check(z.int(), z.minimum(1), z.maximum(4)),
  heardAt: z.number(),
  seals: z.optional(z.boolean()),
  addresses: z
    .array(z.string().check(z.regex(/^([0-9a-f]{8}:[0-9a-f]{8}|[0-9a-f]{32}:[0-9a-f]{32})$/)))
    .check(z.minLength(1), z.maxLength(mostAddressesKept)),
});
const consumers = z.array(consumer).check(z.maxLength(engineLimits.consumers), z.refine(areApart));
const finished = z.object({
  contracts: z.array(uuid).check(z.maxLength(mostFinishedKept)),
  forgottenUpTo: z.nullable(uuid),
});
const books = z.object({
  received: z.array(account),
  own: z.array(account),
  waiting: z.optional(z.array(report)),
  finished: z.optional(finished),
  consumers: z.optional(consumers),
});

const secret = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** By the number of the mode: network, friends and family, public, stream. */
const secrets = z.object({ 1: secret, 2: secret, 3: secret, 4: secret });

const certificatePem =
  /^-----BEGIN CERTIFICATE-----\n[A-Za-z0-9+/=\n]{1,4096}-----END CERTIFICATE-----\n$/;
const keyPem = /^-----BEGIN PRIVATE KEY-----\n[A-Za-z0-9+/=\n]{1,4096}-----END PRIVATE KEY-----\n$/;
/** What the agent made: a key that fits no certificate is its fault, and found when it is used. */
const identity = z.object({
  seed: secret,
  certificate: z.string().check(z.regex(certificatePem)),
  certificateKey: z.string().check(z.regex(keyPem)),
});

const socketAddress = z.string().check(z.refine((text) => isAddress(text, ['ws:', 'wss:'])));
const httpAddress = z.string().check(z.refine((text) => isAddress(text, ['http:', 'https:'])));
/** More than all consumers together can have only make the search for a free one slow. */
const poolSize = z.number().check(z.int(), z.positive(), z.maximum(2 ** 20));
const pool = z.object({
  ipv4: z.object({ first: z.string(), count: poolSize }).check(z.refine(isIpv4Pool)),
  ipv6: z.object({ first: z.string().check(z.refine(isIpv6Address)), count: poolSize }),
});

const toEngine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('start'),
    ownId: uuid,
    token,
    urls: z.array(socketAddress).check(z.minLength(1), z.maxLength(16)),
    controlUrl: httpAddress,
    authority: z.nullable(z.string().check(z.maxLength(1024 * 1024))),
    instanceId: uuid,
    appVersion: version,
    secrets,
    identity: z.nullable(identity),
    isSealingRequired: z.boolean(),
    published: opaque,
    wish,
    pool,
    device: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,14}$/)),
    mostUnpaidBytes: count,
    books: z.nullable(books),
    largestId: z.nullable(uuid),
  }),
  z.object({ type: z.literal('token'), token }),
  z.object({ type: z.literal('wish'), wish }),
  z.object({ type: z.literal('network') }),
  z.object({ type: z.literal('kept'), number: count }),
  z.object({ type: z.literal('stop'), final: z.boolean() }),
]);

const problem = z.enum([
  'line-refused',
  'device-unavailable',
  'token-refused',
  'version-refused',
  'tls-refused',
  'platform-unreachable',
  'platform-refused',
]);

const sighting = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('noted'),
    isFirst: z.boolean(),
    aheadMs: z.number().check(z.int(), z.minimum(-1e14), z.maximum(1e14)),
  }),
  z.object({ kind: z.literal('changed') }),
  z.object({ kind: z.literal('latency-test') }),
  z.object({ kind: z.literal('speed-test'), bytesPerSecond: count, isWhole: z.boolean() }),
]);

const fromEngine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('opened') }),
  z.object({
    type: z.literal('keep'),
    number: count,
    books,
    largestId: z.nullable(uuid),
    published: opaque,
  }),
  z.object({
    type: z.literal('state'),
    isConnected: z.boolean(),
    connectedSince: z.nullable(moment),
    url: z.nullable(z.string().check(z.maxLength(2048))),
    clockRate: z.nullable(z.number().check(z.int(), z.minimum(1), z.maximum(mostHastened))),
    isPublished: z.boolean(),
    problem: z.nullable(problem),
    counters: z.object({
      consumers: count,
      upBytes: count,
      downBytes: count,
      overheadBytes: count,
      admittedContracts: count,
      refusedContracts: counts,
      unpaidBytes: count,
      doubtfulBytes: count,
      reportsWaiting: count,
      reportsRefused: z.optional(count),
      renewals: z.optional(counts),
      sealing: z.optional(
        z.object({
          consumers: count,
          handshakes: count,
          refusedHandshakes: counts,
          sealedMessages: count,
          openedMessages: count,
          unopenedMessages: count,
          workMs: z.optional(count),
        }),
      ),
      dropped: counts,
      failedWrites: count,
    }),
  }),
  z.object({ type: z.literal('seen'), sighting, isPublished: z.boolean() }),
  z.object({
    type: z.literal('problem'),
    code: problem,
    message: z.string().check(z.maxLength(2000)),
  }),
  z.object({ type: z.literal('ended'), reportsLeft: count }),
]);

function read<T extends { readonly type: string }>(line: string, schema: z.ZodMiniType<T>): T {
  const parsed = schema.safeParse(parse(line));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new MessageError(`not sound: ${issue?.path.join('.') || 'the message'}`);
  }
  const { type } = parsed.data;
  if (line.length > longestLine && type !== 'start' && type !== 'keep')
    throw new MessageError(`a message of type ${type} is too long`);
  return parsed.data;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // What JSON.parse says quotes the text, which may hold a token.
    throw new MessageError('no JSON');
  }
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  return text.length <= 2048 && URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function isIpv4Pool({ first, count }: { readonly first: string; readonly count: number }): boolean {
  if (isIP(first) !== 4) return false;
  const number = first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return number + count <= 2 ** 32;
}

/** An address of the pool is one consumer's, or answers would reach another one. */
function areApart(consumers: readonly ConsumerData[]): boolean {
  const peers = consumers.map(({ peer }) => peer);
  const outers = consumers.flatMap(({ addresses }) => addresses.map((pair) => pair.split(':')[1]));
  return new Set(peers).size === peers.length && new Set(outers).size === outers.length;
}

function isIpv6Address(text: string): boolean {
  return isIP(text) === 6 && !text.includes('%');
}
