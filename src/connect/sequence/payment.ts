import type { Id } from '../wire/id.ts';

/** The contract that a Pack counts against. */
export interface PaidBy {
  readonly contractId: Id;
  /** The encoded Contract, as it is put into Packs. */
  readonly contract: Buffer;
}

/** What a sequence is told when it asks for bytes. */
type Charge =
  /** The bytes are charged to this contract; undefined where nothing has to be paid. */
  | { readonly kind: 'charged'; readonly by: PaidBy | undefined }
  /**
   * A new contract begins: send a Pack without frames that carries it, for which one byte is
   * charged, and ask again.
   */
  | { readonly kind: 'opens'; readonly by: PaidBy }
  /** There is no contract now; one is being asked for. */
  | { readonly kind: 'waits' };

/**
 * Pays for what a sequence sends. A sequence takes before it sends, and says later what was
 * acknowledged; what is sent again is not paid again.
 */
export interface Payment {
  take(bytes: number, now: number): Charge;
  /**
   * Bytes of the contract that is charged next, if it is the same as before: a Pack leaves room for
   * it. 0 where nothing has to be paid.
   */
  contractLength(): number;
  acked(by: PaidBy, bytes: number): void;
}
