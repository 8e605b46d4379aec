import type { Facts } from '../health/facts.ts';
import { judgePhase, phases, type Reason } from '../health/phase.ts';
import { provideModes } from '../service/profiles.ts';
import { measureCounter } from './ledger-figures.ts';

/** What the state is read from. */
export interface StateInput {
  readonly facts: Facts;
  readonly now: Date;
  /** undefined: not measured yet. */
  readonly rates: Rates | undefined;
  /** Forwarded since midnight; undefined without a ledger. */
  readonly todayBytes: number | undefined;
}

/** Bytes per second, each way. */
export interface Rates {
  readonly up: number;
  readonly down: number;
}

interface EntityInput extends StateInput {
  readonly phase: string;
  readonly reason: Reason | undefined;
}

/** One thing that Home Assistant shows: discovery and state are both made from its row. */
interface Entity {
  readonly name: string;
  /** Default: a sensor. */
  readonly component?: 'binary_sensor' | 'select';
  /** In the words of Home Assistant. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** In the unit of `fields`; undefined: not known now. */
  readonly read: (input: EntityInput) => string | number | undefined;
}

/** The state as it is published; null where nothing is known. */
export type MqttState = Readonly<Record<string, string | number | null>>;

/** The word for "no override" among the modes that can be chosen. */
export const automatic = 'automatic';

const diagnostic = { entity_category: 'diagnostic' };
const measured = { state_class: 'measurement', suggested_display_precision: 1 };
const growing = { state_class: 'total_increasing', suggested_display_precision: 2 };
const inBits = { device_class: 'data_rate', unit_of_measurement: 'B/s', suggested_unit_of_measurement: 'Mbit/s' };
const rate = { ...inBits, ...measured };
const size = { device_class: 'data_size', unit_of_measurement: 'B', suggested_unit_of_measurement: 'GB', ...growing };
const age = { device_class: 'duration', unit_of_measurement: 's', ...measured, ...diagnostic };
const phase = { device_class: 'enum', options: phases, icon: 'mdi:state-machine' };
const mode = { device_class: 'enum', options: provideModes, icon: 'mdi:account-multiple' };
const command = { options: [automatic, ...provideModes], optimistic: false, icon: 'mdi:account-multiple-check' };

/** Every entity by its key, which is its name in the state: a row here, and Home Assistant shows it. */
export const entities: Readonly<Record<string, Entity>> = {
  phase: { name: 'Phase', fields: phase, read: (input) => input.phase },
  reason: { name: 'Reason', fields: { icon: 'mdi:information-outline' }, read: ({ reason }) => reason?.code ?? 'none' },
  message: {
    name: 'Message',
    fields: { ...diagnostic, icon: 'mdi:message-text-outline' },
    read: ({ reason }) => toShortText(reason?.message),
  },
  action: {
    name: 'What to do',
    fields: { ...diagnostic, icon: 'mdi:wrench-outline' },
    read: ({ reason }) => toShortText(reason?.action),
  },
  mode: { name: 'Mode', fields: mode, read: ({ facts }) => facts.provide.effective },
  up_rate: { name: 'Upload', fields: rate, read: ({ rates }) => rates && Math.round(rates.up) },
  down_rate: { name: 'Download', fields: rate, read: ({ rates }) => rates && Math.round(rates.down) },
  today_bytes: { name: 'Today', fields: size, read: ({ todayBytes }) => todayBytes },
  period_bytes: { name: 'This period', fields: size, read: ({ facts }) => facts.usage.bytes },
  cap_share: {
    name: 'Cap used',
    fields: { unit_of_measurement: '%', ...measured, icon: 'mdi:gauge' },
    read: ({ facts: { usage } }) =>
      usage.capBytes === undefined ? undefined : Math.round((usage.bytes / usage.capBytes) * 1000) / 10,
  },
  handshake_age: {
    name: 'Last handshake',
    fields: age,
    read: ({ facts, now }) => measureSeconds(facts.tunnel.lastHandshakeAt, now),
  },
  service: {
    component: 'binary_sensor',
    name: 'Service reachable',
    fields: { device_class: 'connectivity', ...diagnostic },
    read: ({ facts: { service } }) =>
      service.isReachable === undefined ? undefined : service.isReachable ? 'ON' : 'OFF',
  },
  override: {
    component: 'select',
    name: 'Mode by hand',
    fields: command,
    read: ({ facts }) => facts.provide.override?.mode ?? automatic,
  },
};

export function readMqttState(input: StateInput): MqttState {
  const report = judgePhase(input.facts, input.now);
  const all = { ...input, phase: report.phase, reason: report.reasons[0] };
  return Object.fromEntries(Object.entries(entities).map(([key, { read }]) => [key, read(all) ?? null]));
}

/** True where a person would want to know at once, not with the next figures. */
export function hasUrgentChange(before: MqttState | undefined, after: MqttState): boolean {
  return ['phase', 'reason', 'mode', 'override', 'service'].some((key) => before?.[key] !== after[key]);
}

/** Home Assistant takes no longer state. */
function toShortText(text = 'none'): string {
  return text.slice(0, 250);
}

/** Not below 0, also where the clock was put back. */
function measureSeconds(from: Date | undefined, to: Date): number | undefined {
  return from && Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
}

/** The counters at an instant in monotonic ms; undefined before they were first read. */
export interface Reading {
  readonly atMs: number;
  readonly bytes: Rates | undefined;
}

/** What passed between two readings, per second; undefined for two of the same instant. */
export function measureRates(before: Reading, after: Reading): Rates | undefined {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0 || before.bytes === undefined || after.bytes === undefined) return undefined;
  return {
    up: measureCounter(before.bytes.up, after.bytes.up) / seconds,
    down: measureCounter(before.bytes.down, after.bytes.down) / seconds,
  };
}
