import type { Books } from '../contract/account.ts';
import type { ControlClient } from '../control/control-client.ts';
import type { FindKey } from '../control/find-key.ts';
import type { ReportQueue } from '../control/report-queue.ts';
import type { Sighting } from '../socket/sighting.ts';
import type { SocketEnd } from '../socket/web-socket.ts';
import type { WireMeter } from '../socket/wire-meter.ts';
import type { PacketDevice } from '../tun/tun-device.ts';
import type { Id } from '../wire/id.ts';
import type { Engine } from './engine-contract.ts';

export interface RunProviderOptions {
  readonly ownId: Id;
  readonly engine: Engine;
  /** WebSocket addresses of the platform: where one drains, the next is tried. */
  readonly urls: readonly string[];
  readonly control: ControlClient;
  /** Without it, contracts alone say consumers' keys. */
  readonly findKey?: FindKey | undefined;
  readonly device: PacketDevice;
  /**
   * Read all the while. Where it is renewed and the one in use is worn, a socket is opened with it
   * before the old one is closed; while it is undefined, none is opened.
   */
  readonly token: () => string | undefined;
  /** How often the way to the platform has changed; read all the while. */
  readonly networks?: () => number;
  /** Certificates in PEM form that are trusted in place of Node's own. */
  readonly authority?: string | undefined;
  readonly instanceId: string;
  readonly appVersion: string;
  /** Ms of a clock that never goes back. */
  readonly now: () => number;
  readonly random: () => number;
  /**
   * Keeps the books; reports are sent after it, so that a crash between loses and doubles nothing.
   * Where it rejects, they are kept and sent later.
   */
  readonly keep: (books: Books, signal: AbortSignal) => Promise<void>;
  /** Reports of an earlier life may be in it. */
  readonly reports?: ReportQueue;
  /** Told each time a socket opened or was closed. */
  readonly onLine?: (line: Line) => void;
  /** Told how many of the platform's ms pass in one of ours, whenever it said so. */
  readonly onClockRate?: (rate: number) => void;
  readonly onSeen?: (sighting: Sighting) => void;
  readonly meter?: WireMeter;
  /** Sockets are closed as if the token were bad: find out over HTTP. */
  readonly onTokenSuspect: () => void;
}

export interface Line {
  /** The address of the socket in use; undefined where none is open. */
  readonly url: string | undefined;
  /** How the socket that this is about ended; undefined where it opened. */
  readonly end: SocketEnd | undefined;
}
