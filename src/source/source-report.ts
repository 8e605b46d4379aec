/** Shows that the source's other end is alive. */
export interface SourceLife {
  /** When the last sign of life came, or the connection began. */
  readonly since: Date;
  /**
   * Until when it counts as alive without another sign; undefined if that lasts until the source
   * denies it.
   */
  readonly until: Date | undefined;
}

/** What a source carried since its device was made, counted at the device. */
interface SourceTraffic {
  /** From consumers. */
  readonly rxBytes: number;
  /** To consumers. */
  readonly txBytes: number;
}

/** What a source carried for its consumers, and what became of it, of all of them together. */
export interface ConsumerSums {
  /** Bytes of consumers' IP packets: up from them, down to them. */
  readonly upBytes: number;
  readonly downBytes: number;
  /** What its own protocol needed on the wire besides, both ways. */
  readonly overheadBytes: number;
  /** Contracts by which consumers pay. */
  readonly acceptedContracts: number;
  /** Bytes that were carried, and that no report can be made of, or that nobody acknowledged. */
  readonly unpaidBytes: number;
  /** Bytes that were carried by contracts that the service had closed by then. */
  readonly bridgedBytes: number;
  /** Bytes of reports whose answer was lost: nobody knows whether they were counted. */
  readonly doubtfulBytes: number;
}

/** What is sealed between consumers and this device, so that those who relay it cannot read it. */
export interface SealingFigures {
  /** Consumers that are answered sealed now; all others are in plaintext. */
  readonly consumers: number;
  /** All that follow: since the agent started. Handshakes that both ends finished. */
  readonly handshakes: number;
  /** Handshakes that were given up, by kind, without those that never occurred. */
  readonly refusedHandshakes: Readonly<Record<string, number>>;
  /** Messages that were sealed, that were opened, and that no key opened. */
  readonly sealedMessages: number;
  readonly openedMessages: number;
  readonly unopenedMessages: number;
  /** How long sealing and opening took, in ms, as far as one message in some dozens tells it. */
  readonly workMs: number;
  /** Messages that came in plaintext, and that were not taken because they have to be sealed. */
  readonly refusedPlaintext: number;
}

/** What the engines of one run of the agent told of their consumers. */
export interface RunFigures extends ConsumerSums {
  /** Consumers that are there now. */
  readonly present: number;
  /** Since the agent started, by kind, without those that never occurred. */
  readonly refusedContracts: Readonly<Record<string, number>>;
  /** Reports that the service has not answered yet. */
  readonly reportsWaiting: number;
  /** Reports that the service would not take, since the agent started: they were given up. */
  readonly reportsRefused: number;
  readonly sealing: SealingFigures;
}

/**
 * What a source counts that can tell its consumers apart. Its sums are kept: they go on over
 * restarts of the agent, and never fall.
 */
export interface ConsumerFigures extends RunFigures {
  /** When counting began; undefined where the clock was never set since. */
  readonly countedSince: Date | undefined;
  /** What was added to the sums since the month began, by UTC. */
  readonly month: ConsumerSums;
}

/** Over the last hour, the last twelve hours, and the last seven days. */
export type MinuteWindow = 'hour' | 'halfDay' | 'week';

/** Minutes of a window, without the present one. */
export interface MinuteCount {
  /** By these, the network trusts this device. */
  readonly valid: number;
  /** All minutes of the window, or fewer where nobody has counted for so long. */
  readonly known: number;
  /** How many of all have to be valid for a device to be listed; undefined where none have to. */
  readonly wanted: number | undefined;
  /** All minutes of the window. */
  readonly all: number;
}

/**
 * How a network that keeps a list of its providers judges this device, as far as the device itself
 * can tell: the network does not say it.
 */
export interface MarketReport {
  readonly standing: /** Enough minutes count: consumers find it. */
    | 'listed'
    /** They do yet, and so many were lost lately that few more may be. */
    | 'at-risk'
    /** It has not been there for long enough. */
    | 'waiting'
    /** Too many minutes were lost. */
    | 'dropped'
    /** It is not connected now. */
    | 'offline'
    /** The owner's mode offers it to nobody but the owner's network and friends. */
    | 'own-network'
    /** The owner's mode, or the agent, offers it to nobody. */
    | 'nobody';
  readonly standingSince: Date;
  /**
   * When it will be listed, if every minute counts from now on; undefined but for `waiting` and
   * `dropped`.
   */
  readonly expectedAt: Date | undefined;
  readonly minutes: Readonly<Record<MinuteWindow, MinuteCount>>;
  /** The last test of the line's speed by the network. `isWhole`: nothing of it was missing. */
  readonly speedTest:
    | { readonly at: Date; readonly bytesPerSecond: number; readonly isWhole: boolean }
    | undefined;
  readonly latencyTestedAt: Date | undefined;
  /** When a consumer last sent or was sent anything; undefined before the first time. */
  readonly lastConsumerAt: Date | undefined;
}

/** What is known of a source now. */
export interface SourceReport {
  /** True while its device exists and is what it has to be. */
  readonly isThere: boolean;
  /** undefined if it is not alive. */
  readonly life: SourceLife | undefined;
  /** undefined before the first reading, and without a device. */
  readonly traffic: SourceTraffic | undefined;
  /**
   * undefined for a source that cannot tell its consumers apart, and until it has read what earlier
   * runs of the agent counted.
   */
  readonly consumers: ConsumerFigures | undefined;
  /** undefined for a source without a list of providers, and before its record was read. */
  readonly market: MarketReport | undefined;
  /**
   * True where the service should be asked at once and not only at the next renewal: the other end
   * has been silent for longer than it may be, and the service may know what it expects by now,
   * such as a new key. The agent asks once for each `life.since`.
   */
  readonly asksService: boolean;
}

/** True where consumers can be behind a source now. A time in the future counts as now. */
export function isAlive(life: SourceLife | undefined, now: Date): boolean {
  return life !== undefined && (life.until === undefined || now <= life.until);
}
