import type { PacketDevice } from '../tun/tun-device.ts';
import type { StartMessage } from './messages.ts';

/** What a session is made with. */
export interface SessionOptions {
  readonly start: StartMessage;
  readonly device: PacketDevice;
  /** Takes a line for the agent. */
  readonly write: (line: string) => void;
  /** False while what was written before is still unread: what is of no use later is left out. */
  readonly isHeard: () => boolean;
  /** From 0 to 1. */
  readonly random: () => number;
}
