import type { ProvideMode } from '../service/profiles.ts';
import type { Random } from './random.ts';
import type { Habit } from './seed-life.ts';

/** What a simulated client is: what its owner would say of it, and how it lives. */
export interface SimulatedDevice {
  readonly description: string;
  readonly deviceSpec: string;
  readonly provideMode: ProvideMode;
  readonly hasTunnel: boolean;
  readonly habit: Habit;
}

const rooms = ['attic', 'barn', 'cellar', 'garage', 'hall', 'kitchen', 'office', 'shed', 'studio', 'workshop'] as const;
const machines = [
  ['pi', 'Raspberry Pi 5, arm64'],
  ['nas', 'home NAS, amd64'],
  ['mini', 'mini PC, amd64'],
  ['router', 'router, arm64'],
  ['server', 'rack server, amd64'],
] as const;
/** One in ten each: most share with everybody. */
const modes = [
  ...(['public', 'public', 'public', 'public', 'public', 'public'] as const),
  ...(['default', 'stream', 'network', 'none'] as const),
] as const;

/** A device as somebody may have one. */
export function createDevice(random: Random): SimulatedDevice {
  const [machine, deviceSpec] = random.pick(machines);
  const provideMode = random.pick(modes);
  return {
    description: `${random.pick(rooms)} ${machine} ${random.integer(1, 99)}`,
    deviceSpec,
    provideMode,
    hasTunnel: random.chance(0.5),
    habit: createHabit(random, provideMode),
  };
}

/** Two in five are always there, some hardly ever; speeds are spread over two orders of magnitude. */
function createHabit(random: Random, provideMode: ProvideMode): Habit {
  const isSteady = random.chance(0.4);
  return {
    fromHour: isSteady ? 0 : random.integer(0, 20),
    hours: isSteady ? 24 : random.integer(2, 14),
    faithfulness: isSteady ? 0.98 : random.pick([0.9, 0.6, 0.1]),
    bytesPerSecond: Math.round(250_000 * 10 ** (2 * random.unit())),
    load: provideMode === 'none' ? 0 : 0.1 * random.unit() ** 2,
  };
}
