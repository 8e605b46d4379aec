import type { Facts } from '../health/facts.ts';
import type { PhaseReport } from '../health/phase.ts';
import { toGrowth } from './byte-window.ts';
import { automatic } from './home-assistant.ts';

/** The state as it is published: numbers in the units of discovery, null where nothing is known. */
export interface MqttState {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly action: string;
  readonly mode: string | null;
  readonly override: string;
  readonly up_rate: number | null;
  readonly down_rate: number | null;
  readonly today_bytes: number | null;
  readonly period_bytes: number;
  readonly cap_share: number | null;
  readonly handshake_age: number | null;
  readonly service: 'ON' | 'OFF' | null;
}

/** Bytes per second, each way. */
export interface Rates {
  readonly up: number;
  readonly down: number;
}

export interface MqttStateInput {
  readonly facts: Facts;
  readonly report: PhaseReport;
  readonly now: Date;
  /** undefined: not measured yet. */
  readonly rates: Rates | undefined;
  /** Forwarded since midnight; undefined where nobody counts it. */
  readonly todayBytes: number | undefined;
}

/** Home Assistant takes no longer state. */
const longestText = 250;

export function toMqttState({ facts, report, now, rates, todayBytes }: MqttStateInput): MqttState {
  const { provide, service, tunnel, usage } = facts;
  const [reason] = report.reasons;
  const handshakeMs = tunnel.lastHandshakeAt?.getTime();
  return {
    phase: report.phase,
    reason: reason?.code ?? 'none',
    message: (reason?.message ?? 'none').slice(0, longestText),
    action: (reason?.action ?? 'none').slice(0, longestText),
    mode: provide.effective ?? null,
    override: provide.override?.mode ?? automatic,
    up_rate: rates === undefined ? null : Math.round(rates.up),
    down_rate: rates === undefined ? null : Math.round(rates.down),
    today_bytes: todayBytes ?? null,
    period_bytes: usage.bytes,
    cap_share: usage.capBytes === undefined ? null : Math.round((usage.bytes / usage.capBytes) * 1000) / 10,
    handshake_age: handshakeMs === undefined ? null : Math.max(0, Math.round((now.getTime() - handshakeMs) / 1000)),
    service: service.isReachable === undefined ? null : service.isReachable ? 'ON' : 'OFF',
  };
}

/** True where a person would want to know at once, not with the next figures. */
export function isOtherState(before: MqttState | undefined, after: MqttState): boolean {
  return words.some((key) => before?.[key] !== after[key]);
}

const words = ['phase', 'reason', 'mode', 'override', 'service'] as const;

/** The counters at an instant in monotonic ms. */
export interface CounterReading {
  readonly atMs: number;
  readonly bytes: Rates;
}

/** What passed between two readings, per second; undefined for two of the same instant. */
export function toRates(before: CounterReading, after: CounterReading): Rates | undefined {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0) return undefined;
  return {
    up: toGrowth(before.bytes.up, after.bytes.up) / seconds,
    down: toGrowth(before.bytes.down, after.bytes.down) / seconds,
  };
}
