import type { Setting, SettingChange } from '../config/settings.ts';
import type { Facts } from '../health/facts.ts';
import type { Health } from '../health/health-check.ts';
import type { Secret } from '../lib/secret.ts';
import type { HistoryQuestion, HistoryRow } from '../report/history.ts';
import type { LogLine } from '../report/log-tail.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { Recent } from './recent.ts';

/** The header by which each answer over the socket says which version of the program made it. */
export const versionHeader = 'tributary-version';
/**
 * The header by which a question says which agent is meant: its state directory, encoded by
 * `encodeURI`.
 */
export const stateHeader = 'tributary-state-directory';

/** What a command may ask the agent to do. Each resolves when it is in force. */
export interface AgentControl {
  /**
   * Without `forSeconds` the mode holds until it is cleared; without a limit, schedule and
   * configuration decide it.
   */
  setOverride(mode: ProvideMode, forSeconds?: number, limitBitsPerSecond?: number): Promise<void>;
  clearOverride(): Promise<void>;
  /**
   * Reads the configuration again.
   * @throws configuration-invalid; the former configuration stays in force then
   */
  reload(): Promise<void>;
  /** Tests the firewall now; the facts contain the result. */
  selfTest(): Promise<void>;
  /**
   * Ends the agent, which its supervisor starts again; undefined where nobody is known to do so.
   */
  readonly restart?: (() => void) | undefined;
  /** The settings that the page may change, as the configuration has them now. */
  settings(): Promise<readonly Setting[]>;
  /**
   * Keeps a setting and takes it into force.
   * @throws usage-invalid, configuration-invalid, state-unwritable
   */
  changeSetting(change: SettingChange): Promise<void>;
}

/** Reads the ledger's rows from `sinceMs` on, the oldest first. */
export type ReadHistory = (
  question: HistoryQuestion,
) => readonly HistoryRow[] | Promise<readonly HistoryRow[]>;

/** Everything that the answers are made from. */
export interface StatusSource {
  readonly stateDirectory: string;
  readonly configFile: string;
  /** Reads the counters now, so that an answer is up to date. */
  readonly refresh: () => Promise<void>;
  readonly facts: () => Facts;
  readonly health: () => Health;
  readonly stalledLoops: () => readonly string[];
  readonly metrics: () => string;
  /** Told of each answer that failed by a bug. */
  readonly noteFailure?: ((error: unknown) => void) | undefined;
  readonly now: () => Date;
  readonly control: AgentControl;
  /** Events and readings since the start; undefined where they are not kept. */
  readonly recent?: Recent | undefined;
  /** The log's last lines, the newest last. */
  readonly logLines?: (() => readonly LogLine[]) | undefined;
  /** undefined without a ledger. */
  readonly history?: ReadHistory | undefined;
  /** The secret that allows the page's buttons; undefined for a page that only reads. */
  readonly pageToken?: Secret | undefined;
}
