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

/**
 * What a source counts that can tell its consumers apart, of all of them together. But for
 * `present` and `reportsWaiting`, sums since the agent started.
 */
export interface ConsumerFigures {
  /** Consumers that are there now. */
  readonly present: number;
  /** Contracts by which consumers pay. */
  readonly acceptedContracts: number;
  /** By kind, without those that never occurred. */
  readonly refusedContracts: Readonly<Record<string, number>>;
  /** Bytes that were carried, and that no report can be made of any more. */
  readonly unpaidBytes: number;
  /** Bytes that were carried by contracts that the service had closed by then. */
  readonly bridgedBytes: number;
  /** Bytes of reports whose answer was lost: nobody knows whether they were counted. */
  readonly doubtfulBytes: number;
  /** Reports that the service has not answered yet. */
  readonly reportsWaiting: number;
}

/** What is known of a source now. */
export interface SourceReport {
  /** True while its device exists and is what it has to be. */
  readonly isThere: boolean;
  /** undefined if it is not alive. */
  readonly life: SourceLife | undefined;
  /** undefined before the first reading, and without a device. */
  readonly traffic: SourceTraffic | undefined;
  /** undefined for a source that cannot tell its consumers apart. */
  readonly consumers: ConsumerFigures | undefined;
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
