import type { Facts, SourceFacts } from '../health/facts.ts';
import { bringsConsumers } from '../health/may-forward.ts';
import { judgePhase, type PhaseReport, phases, type Reason } from '../health/phase.ts';
import type { Speed } from '../health/speeds.ts';
import { provideModes } from '../service/profiles.ts';
import type { SourceName } from '../source/drivers.ts';

/** The sources from which the state is read. */
export interface StateInput {
  readonly facts: Facts;
  readonly now: Date;
  /** undefined before it was first measured. */
  readonly speed: Speed | undefined;
  /** Bytes forwarded since midnight; undefined without a ledger. */
  readonly todayBytes: number | undefined;
}

type EntityInput = StateInput &
  Pick<PhaseReport, 'phase'> & { readonly reason: Reason | undefined };

/**
 * One entity that Home Assistant shows or lets the owner press. Its row makes both discovery and
 * state.
 */
export interface Entity {
  readonly name: string;
  readonly component?: 'binary_sensor' | keyof typeof controls;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The state times this is in the unit of `fields`; absent stands for 1. */
  readonly scale?: number;
  /** Reads the state; undefined while unknown. Absent for an entity without a state. */
  readonly read?: (input: EntityInput) => string | number | undefined;
  /** The source that it belongs to; where the device has none of this name, there is no entity. */
  readonly source?: SourceName;
}

/** Kinds of entities that control the device, which the owner has to allow. */
export const controls = { select: true, switch: true, button: true } as const;

/** The state as it is published; null for what is unknown. */
export type MqttState = Readonly<Record<string, string | number | null>>;

/**
 * Commands beside the modes: `automatic` clears the mode that was set by hand, `pause` sets none
 * for an hour.
 */
export const commandWords = { automatic: 'automatic', pause: 'pause' } as const;

const diagnostic = { entity_category: 'diagnostic' };
const measured = { state_class: 'measurement', suggested_display_precision: 1 };
const growing = { state_class: 'total_increasing', suggested_display_precision: 2 };
const rate = {
  fields: { device_class: 'data_rate', unit_of_measurement: 'Mbit/s', ...measured },
  scale: 125_000,
};
const size = {
  fields: { device_class: 'data_size', unit_of_measurement: 'GB', ...growing },
  scale: 1e9,
};
const money = {
  device_class: 'monetary',
  unit_of_measurement: 'USDC',
  suggested_display_precision: 4,
};
const moment = { device_class: 'timestamp', ...diagnostic };
const phase = { device_class: 'enum', options: phases, icon: 'mdi:state-machine' };
const mode = { device_class: 'enum', options: provideModes, icon: 'mdi:account-multiple' };
const choice = { options: [commandWords.automatic, ...provideModes], optimistic: false };
const sharing = {
  payload_on: commandWords.automatic,
  payload_off: 'none',
  state_on: 'ON',
  state_off: 'OFF',
};

const flags: Readonly<Record<string, string>> = { true: 'ON', false: 'OFF' };

const connection = { device_class: 'connectivity', ...diagnostic };

/**
 * Every entity by its key, which is its name in the state. A new row here is shown by Home
 * Assistant.
 */
export const entities: Readonly<Record<string, Entity>> = {
  phase: { name: 'Phase', fields: phase, read: (input) => input.phase },
  reason: {
    name: 'Reason',
    fields: { icon: 'mdi:information-outline' },
    read: ({ reason }) => reason?.code ?? 'none',
  },
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
  up_rate: { name: 'To the Internet', ...rate, read: ({ speed }) => speed && Math.round(speed.up) },
  down_rate: {
    name: 'From the Internet',
    ...rate,
    read: ({ speed }) => speed && Math.round(speed.down),
  },
  today_bytes: { name: 'Shared today', ...size, read: ({ todayBytes }) => todayBytes },
  period_bytes: { name: 'Shared this period', ...size, read: ({ facts }) => facts.usage.bytes },
  cap_share: {
    name: 'Cap used',
    fields: { unit_of_measurement: '%', ...measured, icon: 'mdi:gauge' },
    read: ({ facts: { usage } }) =>
      usage.capBytes === undefined
        ? undefined
        : Math.round((usage.bytes / usage.capBytes) * 1000) / 10,
  },
  earned_day: {
    name: 'Earned in 24 hours',
    fields: money,
    read: ({ facts }) => facts.earned?.last24hUsdc,
  },
  earned_month: {
    name: 'Earned this month',
    fields: money,
    read: ({ facts }) => facts.earned?.monthUsdc,
  },
  online_seconds: {
    name: 'Online in 24 hours',
    fields: { device_class: 'duration', unit_of_measurement: 'h', ...measured },
    scale: 3600,
    read: ({ facts }) => facts.serviceFigures?.uptimeSeconds,
  },
  consumers: {
    name: 'Consumers in 24 hours',
    fields: { state_class: 'measurement', icon: 'mdi:account-group' },
    read: ({ facts }) => facts.serviceFigures?.consumers,
  },
  running_since: {
    name: 'Running since',
    fields: moment,
    read: ({ facts }) => facts.startedAt.toISOString(),
  },
  last_handshake: {
    name: 'Last handshake',
    source: 'wireguard',
    fields: moment,
    read: ({ facts }) => facts.tunnel.lastHandshakeAt?.toISOString(),
  },
  service: {
    component: 'binary_sensor',
    name: 'Service reachable',
    fields: { device_class: 'connectivity', ...diagnostic },
    read: ({ facts }) => flags[`${facts.service.isReachable}`],
  },
  source_wireguard: {
    component: 'binary_sensor',
    name: 'Source wireguard',
    source: 'wireguard',
    fields: connection,
    read: (input) => readConnection(input, 'wireguard'),
  },
  source_connect: {
    component: 'binary_sensor',
    name: 'Source connect',
    source: 'connect',
    fields: connection,
    read: (input) => readConnection(input, 'connect'),
  },
  connect_consumers: {
    name: 'Consumers now',
    source: 'connect',
    fields: { state_class: 'measurement', icon: 'mdi:account-multiple' },
    read: (input) => findSource(input, 'connect')?.consumers?.present,
  },
  connect_unpaid_bytes: {
    name: 'Carried unpaid',
    source: 'connect',
    ...size,
    read(input) {
      const consumers = findSource(input, 'connect')?.consumers;
      return consumers && consumers.unpaidBytes + consumers.bridgedBytes;
    },
  },
  sharing: {
    component: 'switch',
    name: 'Sharing',
    fields: { ...sharing, optimistic: false, icon: 'mdi:share-variant' },
    read: ({ facts: { provide } }) => provide.effective && flags[`${provide.effective !== 'none'}`],
  },
  override: {
    component: 'select',
    name: 'Mode by hand',
    fields: { ...choice, icon: 'mdi:account-multiple-check' },
    read: ({ facts }) => facts.provide.override?.mode ?? commandWords.automatic,
  },
  pause: {
    component: 'button',
    name: 'Pause for an hour',
    fields: { payload_press: commandWords.pause, icon: 'mdi:pause' },
  },
  resume: {
    component: 'button',
    name: 'Resume',
    fields: { payload_press: commandWords.automatic, icon: 'mdi:play' },
  },
};

export function readMqttState(input: StateInput): MqttState {
  const report = judgePhase(input.facts, input.now);
  const all = { ...input, phase: report.phase, reason: report.reasons[0] };
  return Object.fromEntries(
    Object.entries(entities).flatMap(([key, { read }]) =>
      read === undefined ? [] : [[key, read(all) ?? null]],
    ),
  );
}

const urgent = [
  ...['phase', 'reason', 'mode', 'sharing', 'override', 'service'],
  ...['source_wireguard', 'source_connect'],
];

/** True where a person would want to know at once and not with the next figures. */
export function hasUrgentChange(before: MqttState | undefined, after: MqttState): boolean {
  return urgent.some((key) => before?.[key] !== after[key]);
}

function findSource({ facts }: EntityInput, name: SourceName): SourceFacts | undefined {
  return facts.sources.find((own) => own.name === name);
}

/** Whether consumers can come by a source now; undefined where the device has no such source. */
function readConnection(input: EntityInput, name: SourceName): string | undefined {
  const source = findSource(input, name);
  return source && flags[`${bringsConsumers(source, input.now)}`];
}

/** Home Assistant accepts no longer state. */
function toShortText(text = 'none'): string {
  return text.slice(0, 250);
}
