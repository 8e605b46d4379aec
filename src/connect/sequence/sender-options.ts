import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import type { Lane } from '../wire/pack.ts';
import type { MemoryBudget } from './hold-back.ts';
import type { PackLimit } from './outgoing-queue.ts';
import type { Patience } from './patience.ts';
import type { Payment } from './payment.ts';

/** What a sender is made with. */
export interface SenderOptions {
  readonly sequenceId: Id;
  readonly lane: Lane;
  readonly payment: Payment;
  readonly newMessageId: () => Id;
  /** Bytes that may wait for their turn. */
  readonly queueBytes: number;
  /** Memory of all senders together, for what waits and for what is on its way. */
  readonly budget: MemoryBudget;
  /** Where it is over, a frame is dropped; without it, only where the queue is full. */
  readonly patience?: Patience | undefined;
  /** So many frames were dropped because it was over. */
  readonly onLate?: ((frames: number) => void) | undefined;
  /** By default, a Pack takes what one message holds. */
  readonly packLimit?: PackLimit | undefined;
  /** All but controls of encryption has to wait. */
  readonly isHeld?: (() => boolean) | undefined;
  /** These frames were delivered. */
  readonly onAcked?: ((frames: readonly Frame[]) => void) | undefined;
  /** These frames are sent, for the first time. */
  readonly onSent?: ((frames: readonly Frame[], now: number) => void) | undefined;
}
