import type { Books } from '../contract/account.ts';
import type { ProvideWish, Secrets } from '../contract/secrets.ts';
import type { AddressPoolOptions } from '../packet/address-pool.ts';
import type { SealedPart } from '../sealed/sealed-part.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Id, IdSource } from '../wire/id.ts';
import type { ContractAsk } from './contract-ask.ts';
import type { EngineCounters } from './counters.ts';
import type { EngineStep } from './engine-step.ts';
import type { KeyAsk } from './peer-keys.ts';

/**
 * A provider without its effects: frames of the platform and packets of a device go in with the
 * time (whole ms of one clock that never goes back), and `step` gives what follows from them. Call
 * `step` after each batch of them, and at `wakeAt`. Whatever a consumer sends, memory is bounded,
 * and nothing is delivered that no contract pays for.
 */
export interface Engine {
  /** One binary message that is a frame. */
  frame(bytes: Buffer, now: number): void;
  /** One packet of at most 1,100 bytes that goes to an address of the pool. */
  packet(bytes: Buffer, now: number): void;
  /** The platform's answer to an ask: a contract, or undefined for none. */
  answered(ask: ContractAsk, contract: Buffer | undefined, now: number): void;
  /** The platform's answer to an ask for a key: undefined where it knows none, or gave none. */
  keyFound(ask: KeyAsk, key: Buffer | undefined): void;
  /** What is to be done now; at most `most` Packs, so that the socket is not flooded. */
  step(now: number, most: number): EngineStep;
  wakeAt(now: number): number;
  /** Who is told that `step` has something to do, though nothing went in: a handshake went on. */
  onNews(listener: () => void): void;
  /** From now on contracts age so many times as fast: a sandbox has hastened its clock. */
  hasten(rate: number, now: number): void;
  /** Who is not wished for any more is ended: the reports of it come within a second. */
  setWish(wish: ProvideWish): void;
  /** Ends every sequence. The reports are the last ones; send them before the process ends. */
  end(now: number): readonly CloseContract[];
  /** What a later life needs to count nothing twice; kept before reports are sent. */
  save(): Books;
  /** Grows when a consumer came or left, so that other books are to be kept. */
  changes(): number;
  counters(): EngineCounters;
}

export interface EngineOptions {
  readonly ownId: Id;
  readonly secrets: Secrets;
  readonly wish: ProvideWish;
  readonly pool: AddressPoolOptions;
  readonly ids: IdSource;
  /** Unix ms, for ids alone. */
  readonly wallMs: () => number;
  /** Unpaid bytes that a consumer may carry from one of its contracts to the next. */
  readonly mostUnpaidBytes?: number | undefined;
  /** Without it, nothing is sealed. */
  readonly sealedPart?: SealedPart | undefined;
  /** What an earlier life kept. */
  readonly books?: Books | undefined;
}
