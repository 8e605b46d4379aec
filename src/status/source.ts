import type { Facts } from '../health/facts.ts';
import type { Health } from '../health/health-check.ts';
import type { Secret } from '../lib/secret.ts';
import type { HistoryQuestion, HistoryRow } from '../report/history.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { Recent } from './recent.ts';

/** By this each answer over the socket says which version of the program made it. */
export const versionHeader = 'tributary-version';
/** By this a question says whose agent is meant: its state directory, as `encodeURI` writes it. */
export const stateHeader = 'tributary-state-directory';

/** What a command may ask the agent to do; each resolves when it is in force. */
export interface AgentControl {
  /** `forSeconds` undefined: until it is cleared; the limit: by schedule and configuration. */
  setOverride(mode: ProvideMode, forSeconds?: number, limitBitsPerSecond?: number): Promise<void>;
  clearOverride(): Promise<void>;
  /** @throws configuration-invalid; the configuration before stays in force */
  reload(): Promise<void>;
  /** Tries the firewall now; the facts say how it did. */
  selfTest(): Promise<void>;
}

/** Rows from `sinceMs` on, the oldest first. */
export type ReadHistory = (
  question: HistoryQuestion,
) => readonly HistoryRow[] | Promise<readonly HistoryRow[]>;

/** What the answers are made from. */
export interface StatusSource {
  readonly stateDirectory: string;
  readonly configFile: string;
  /** Reads the counters now, so that an answer says what is, not what was. */
  readonly refresh: () => Promise<void>;
  readonly facts: () => Facts;
  readonly health: () => Health;
  readonly stalledLoops: () => readonly string[];
  readonly metrics: () => string;
  readonly now: () => Date;
  readonly control: AgentControl;
  /** Events and readings since the start; undefined where nobody keeps them. */
  readonly recent?: Recent | undefined;
  /** undefined where no ledger is kept. */
  readonly history?: ReadHistory | undefined;
  /** What opens the page's buttons; undefined: the page only reads. */
  readonly pageToken?: Secret | undefined;
}
