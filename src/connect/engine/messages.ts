import type { Books } from '../contract/account.ts';
import type { ProvideWish, SecretsData } from '../contract/secrets.ts';
import type { IdentityData } from '../sealed/identity.ts';
import type { Sighting } from '../socket/sighting.ts';
import type { SealingFigures } from './sealing-figures.ts';

/**
 * What the agent and the engine's process say to each other: one JSON object a line, ended by a
 * line feed. The engine reads its standard input and writes its standard output; its standard error
 * is free text for the log, without secrets. What starts it hands it its network device, open, as
 * the descriptor `deviceDescriptor`: it opens nothing and starts no program.
 *
 * Order: `start` is the first line and comes once. Everything else may come at any time after it.
 * The engine ends after `stop`, by SIGTERM, and when its device is gone; it says `ended` last, at
 * most ten seconds after it was asked. A process that ends without it has crashed. After `ended` it
 * ends itself by SIGKILL, because a pending read of the device keeps it from ending in any other
 * way. Where its standard input ends, it ends at once and says nothing: nobody would keep the
 * books. The reader of either side refuses a line that is not sound, and goes on with the next one:
 * see `read-messages.ts`.
 */
export type ToEngine =
  | StartMessage
  | TokenMessage
  | WishMessage
  | NetworkMessage
  | KeptMessage
  | StopMessage;

/**
 * The TUN device with virtio headers and the kernel's offloads, attached, when the engine begins.
 * It comes before the first line, and no other process holds it any more.
 */
export const deviceDescriptor = 3;

export type FromEngine =
  | OpenedMessage
  | KeepMessage
  | StateMessage
  | SeenMessage
  | ProblemMessage
  | EndedMessage;

/** Everything that the engine needs. It asks nobody else and reads no file. */
export interface StartMessage {
  readonly type: 'start';
  /** The device's client id, as a UUID. */
  readonly ownId: string;
  /** The device's client JWT; never the token of its owner's network. */
  readonly token: string;
  /** WebSocket addresses of the platform (`ws:` or `wss:`); where one drains, the next is tried. */
  readonly urls: readonly string[];
  /** `http:` or `https:`, with the path. */
  readonly controlUrl: string;
  /**
   * Certificates in PEM form, to be trusted in place of Node's own, for both kinds of addresses;
   * null for Node's own.
   */
  readonly authority: string | null;
  /** A UUID, new for each process. */
  readonly instanceId: string;
  readonly appVersion: string;
  /** A secret for each mode, in hex, as `saveSecrets` writes them: all of them, made once. */
  readonly secrets: SecretsData;
  /** Who this device is to consumers that seal; null where nothing is sealed and no key told. */
  readonly identity: IdentityData | null;
  /** Consumers that do not seal are not served; of no meaning without an identity. */
  readonly isSealingRequired: boolean;
  /** What the last `keep` said was published; null where nothing was, or nobody knows. */
  readonly published: string | null;
  readonly wish: ProvideWish;
  /** Consumers get addresses from here. The device's own address must not be among them. */
  readonly pool: { readonly ipv4: PoolAddresses; readonly ipv6: PoolAddresses };
  /** The name of the device that was handed over, for what is said of it. */
  readonly device: string;
  /** Unpaid bytes, both ways, that a consumer may carry from one of its contracts to the next. */
  readonly mostUnpaidBytes: number;
  /** The books and the id of the last `keep`, of whichever process; null before the first. */
  readonly books: Books | null;
  readonly largestId: string | null;
}

/** Addresses from the first on, as text: `{ first: '100.112.0.2', count: 65000 }`. */
interface PoolAddresses {
  readonly first: string;
  readonly count: number;
}

/** A renewed token. It is used for every request and every dial from now on. */
interface TokenMessage {
  readonly type: 'token';
  readonly token: string;
}

/** The owner's mode changed: it is published at once, and contracts are checked by it. */
interface WishMessage {
  readonly type: 'wish';
  readonly wish: ProvideWish;
}

/**
 * The device's way to the Internet is another one, or is back: the socket in use may be dead by
 * that without a sign, so another one is opened, and the old one is kept until then.
 */
interface NetworkMessage {
  readonly type: 'network';
}

/** What `keep` brought under this number is on the disk. */
interface KeptMessage {
  readonly type: 'kept';
  readonly number: number;
}

/** End every sequence, keep the books, send the last reports, and end. */
interface StopMessage {
  readonly type: 'stop';
  /**
   * True where it does not come back soon: the platform is told that nothing is offered any more.
   * False for a restart: what was published stays.
   */
  readonly final: boolean;
}

/** The device is open; packets may come. */
interface OpenedMessage {
  readonly type: 'opened';
}

/**
 * To be written down, whole, in place of what was kept before, and then answered by `kept` with the
 * same number. No report is sent before that: what was reported is never reported twice, whenever
 * either process ends. Without an answer nothing is earned, so answer each of them. The next one
 * comes only after the answer.
 */
export interface KeepMessage {
  readonly type: 'keep';
  /** From 1 on in each process. */
  readonly number: number;
  readonly books: Books;
  readonly largestId: string | null;
  /** A text to be given back in `start`; it means nothing to anybody else. */
  readonly published: string | null;
}

/**
 * Where something in it changed: counters at most once a second, everything else at once; once
 * after `opened`, and from then on every fifteen seconds at least, whether anything changed or not.
 */
export interface StateMessage {
  readonly type: 'state';
  readonly isConnected: boolean;
  /** Unix ms; null while not connected. */
  readonly connectedSince: number | null;
  /** The address in use; null while not connected. */
  readonly url: string | null;
  /**
   * How many of the platform's ms pass in one of ours, as it last said; null before that. It is
   * other than 1 by a sandbox that hastens its clock, alone.
   */
  readonly clockRate: number | null;
  /** The platform has acknowledged what is offered for the wish, and it is not nothing. */
  readonly isPublished: boolean;
  /** The problem that there is now; null where all is well, also after one that is over. */
  readonly problem: ProblemCode | null;
  readonly counters: EngineCounters;
}

/** Sent when it happens, so that its time is the time at which it is read. */
export interface SeenMessage {
  readonly type: 'seen';
  readonly sighting: Sighting;
  /** As in `state`. */
  readonly isPublished: boolean;
}

/** What is counted since the process started; all but `consumers` and `reportsWaiting` grow. */
export interface EngineCounters {
  /** Consumers that have a sequence now. */
  readonly consumers: number;
  /** Consumers' IP packets in bytes: up from them to the device, down to them once sent. */
  readonly upBytes: number;
  readonly downBytes: number;
  /** What the sockets carried besides, of both directions, without TLS, TCP and IP. */
  readonly overheadBytes: number;
  /** Consumers' contracts that were accepted. */
  readonly admittedContracts: number;
  /** Contracts that were refused, by reason. */
  readonly refusedContracts: Readonly<Record<string, number>>;
  /** Bytes that were carried, and that no report can be made of any more. */
  readonly unpaidBytes: number;
  /** Bytes of reports whose answer was lost: nobody knows whether they were counted. */
  readonly doubtfulBytes: number;
  /** Reports that were not answered yet. */
  readonly reportsWaiting: number;
  /**
   * Reports that were given up, because the platform refused them and took others; absent in what
   * an engine of an earlier version says. Their bytes are among `unpaidBytes`.
   */
  readonly reportsRefused?: number | undefined;
  /** Contracts that consumers were brought to renew, and what that cost, by name. */
  readonly renewals?: Readonly<Record<string, number>> | undefined;
  /** What was sealed; absent in what an engine of an earlier version says. */
  readonly sealing?: SealingFigures | undefined;
  /** What was dropped, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Packets that the device did not take. */
  readonly failedWrites: number;
}

/** What the owner has to know. It is tried again all the while, but for what says otherwise. */
export type ProblemCode =
  /** A line from the agent is not sound; the line is ignored. */
  | 'line-refused'
  /** The device was not handed over, or is gone; the process ends after this. */
  | 'device-unavailable'
  /** The platform refuses the token; nothing is tried before another one comes by `token`. */
  | 'token-refused'
  /** The platform refuses this version of the protocol or of the program. */
  | 'version-refused'
  /** The platform's certificate is refused by us, or it speaks no TLS. */
  | 'tls-refused'
  /** There is no connection to the platform. */
  | 'platform-unreachable'
  /** The platform answers, and refuses what is asked of it. */
  | 'platform-refused';

/** A problem began, or is another one now. `state` says when it is over. */
export interface ProblemMessage {
  readonly type: 'problem';
  readonly code: ProblemCode;
  /** In plain words, with what to do about it where that is known; no secret is in it. */
  readonly message: string;
}

/** The last line. */
interface EndedMessage {
  readonly type: 'ended';
  /** Reports that could not be sent; the books have them, and the next process sends them. */
  readonly reportsLeft: number;
}

/** The longest line with books in it (`start` and `keep`), in bytes without the line feed. */
export const longestLineWithBooks = 8 * 1024 * 1024;
/** The longest line of any other message. */
export const longestLine = 64 * 1024;
