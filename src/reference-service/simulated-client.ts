import { rateClient } from './client-quality.ts';
import type { Random } from './random.ts';
import { createLife, type DayOfLife, type Habit } from './simulated-life.ts';
import { dayMs, hourMs, sumUsage, toHourStart } from './usage-unit.ts';
import type { ClientPlace } from './world.ts';

/** When and where a client is simulated. */
interface Circumstances {
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** How many days it looks back on, today with them; 0 for one that never came. */
  readonly days: number;
  readonly cities: readonly ClientPlace[];
}

const rooms = ['attic', 'barn', 'cellar', 'garage', 'hall', 'kitchen', 'office', 'shed', 'studio', 'workshop'] as const;
const machines = [
  ['pi', 'Raspberry Pi 5, arm64'],
  ['nas', 'home NAS, amd64'],
  ['mini', 'mini PC, amd64'],
  ['router', 'router, arm64'],
  ['server', 'rack server, amd64'],
] as const;
/** The others share with everybody. */
const otherModes = ['default', 'stream', 'network', 'none'] as const;
const shareOfOtherModes = 0.4;
/** No simulated client has spoken within this time. */
const restMs = 600_000;

/** A client as there may be one: its row in the database, but for its network, and its past. */
export function createSimulatedClient(random: Random, { nowMs, days, cities }: Circumstances) {
  const [machine, deviceSpec] = random.pick(machines);
  const provideMode = random.chance(shareOfOtherModes) ? random.pick(otherModes) : 'public';
  const habit = createHabit(random, provideMode === 'none' ? 0 : 0.1);
  const createdMs = nowMs - chooseAge(random, days);
  const life = days === 0 ? [] : createLife(random, { habit, createdMs, nowMs, days });
  const lastMs = life.at(-1)?.endMs;
  const { cityId, regionId, countryId } = random.pick(cities);
  const row = {
    clientId: random.uuid(),
    deviceId: random.uuid(),
    description: `${random.pick(rooms)} ${machine} ${random.integer(1, 99)}`,
    deviceSpec,
    createdMs,
    authenticatedMs: lastMs === undefined ? 0 : Math.max(createdMs, Math.min(lastMs, nowMs - restMs)),
    provideMode,
    cityId,
    regionId,
    countryId,
    isOnline: Number(lastMs === nowMs),
    isSimulated: 1,
    bytesPerSecond: habit.load === 0 ? 0 : habit.bytesPerSecond,
    quality: rateClient({ ...habit, onlineMs: sumLastDay(life, nowMs), ageMs: nowMs - createdMs }),
  };
  return { row, life };
}

/** Two in five are always there, some hardly ever; speeds are spread over two orders of magnitude. */
function createHabit(random: Random, mostLoad: number): Habit {
  const isSteady = random.chance(0.4);
  return {
    fromHour: isSteady ? 0 : random.integer(0, 20),
    hours: isSteady ? 24 : random.integer(2, 14),
    faithfulness: isSteady ? 0.98 : random.pick([0.9, 0.6, 0.1]),
    bytesPerSecond: Math.round(250_000 * 10 ** (2 * random.unit())),
    load: mostLoad * random.unit() ** 2,
  };
}

/** In milliseconds: most are older than what is told of them, the others came since. */
function chooseAge(random: Random, days: number): number {
  return random.chance(0.7)
    ? (days + random.integer(0, 30)) * dayMs
    : random.integer(hourMs, Math.max(hourMs, days * dayMs));
}

/** How long it was online in the last day, as the hours tell. */
function sumLastDay(life: readonly DayOfLife[], nowMs: number): number {
  const parts = life.slice(-2).flatMap((day) => day.parts);
  return sumUsage(parts.filter((part) => part.hourMs >= toHourStart(nowMs - dayMs))).onlineMs;
}
