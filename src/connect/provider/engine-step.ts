import type { CloseContract } from '../wire/contract-messages.ts';
import type { ContractAsk } from './contract-ask.ts';
import type { KeyAsk } from './peer-keys.ts';

/** What follows from what went into an engine since the last step. */
export interface EngineStep {
  /** Binary messages for the platform. */
  readonly frames: readonly Buffer[];
  /** Packets for the device. */
  readonly packets: readonly Buffer[];
  readonly asks: readonly ContractAsk[];
  readonly keyAsks: readonly KeyAsk[];
  readonly reports: readonly CloseContract[];
  /** When the platform asked to move to another host, in Unix ms of its clock. */
  readonly moveAt: number | undefined;
}
