import { dayMs, hourMs } from '../lib/units.ts';
import { rateClient } from './client-quality.ts';
import type { Random } from './repeatable.ts';
import type { SeedOptions } from './seed.ts';
import { type HourUsage, noUsage, sumUsage } from './usage.ts';
import { toDay, toHourStart } from './usage-hours.ts';
import type { ClientPlace } from './world.ts';

/** The options of `seedWorld`. `days` may be 0 for a client that never connected. */
type Circumstances = Pick<SeedOptions, 'nowMs' | 'days'> & {
  readonly cities: readonly ClientPlace[];
};

type Stretch = Readonly<Record<'startMs' | 'endMs', number>>;

/** One day on which the client was connected. A connection that goes on ends now. */
export interface DayOfLife extends Stretch {
  /** Counted from 1970 (UTC). */
  readonly day: number;
  /** True for one of the last `daysWithHours` days: each of its parts is within one hour. */
  readonly hasHours: boolean;
  /** What was moved, oldest part first; a single part for a day whose hours are not kept. */
  readonly parts: readonly HourUsage[];
}

/**
 * For this many days, the present day included, hours are kept too. The hours of a year would be
 * most of the database.
 */
export const daysWithHours = 8;

const rooms = [
  'attic',
  'barn',
  'cellar',
  'garage',
  'hall',
  'kitchen',
  'office',
  'shed',
  'studio',
  'workshop',
] as const;
const machines = [
  ['pi', 'Raspberry Pi 5, arm64'],
  ['nas', 'home NAS, amd64'],
  ['mini', 'mini PC, amd64'],
  ['router', 'router, arm64'],
  ['server', 'rack server, amd64'],
] as const;
const otherModes = ['default', 'stream', 'network', 'none'] as const;
const shareOfOtherModes = 0.4;
/** No simulated client has sent anything for this time (ms). */
const restMs = 600_000;

/**
 * A plausible client: its row in the database without the network, and its past, oldest day first.
 */
export function createSimulatedClient(random: Random, { nowMs, days, cities }: Circumstances) {
  const [machine, deviceSpec] = random.pick(machines);
  const provideMode = random.chance(shareOfOtherModes) ? random.pick(otherModes) : 'public';
  const habit = createHabit(random, provideMode === 'none' ? 0 : 0.1);
  // Most clients are older than the history that is kept, the others came within it.
  const isOld = random.chance(0.7);
  const ageMs = isOld
    ? (days + random.integer(0, 30)) * dayMs
    : random.integer(hourMs, Math.max(hourMs, days * dayMs));
  const createdMs = nowMs - ageMs;
  const first = Math.max(toDay(nowMs) - days + 1, toDay(createdMs));
  const life = Array.from({ length: days === 0 ? 0 : toDay(nowMs) - first + 1 }, (_, index) =>
    createDay(random, habit, { day: first + index, createdMs, nowMs }),
  ).filter((day) => day !== undefined);
  const lastMs = life.at(-1)?.endMs;
  const lastDayMs = toHourStart(nowMs - dayMs);
  const lastHours = life
    .slice(-2)
    .flatMap(({ parts }) => parts.filter((part) => part.hourMs >= lastDayMs));
  const { cityId, regionId, countryId } = random.pick(cities);
  const row = {
    clientId: random.uuid(),
    deviceId: random.uuid(),
    description: `${random.pick(rooms)} ${machine} ${random.integer(1, 99)}`,
    deviceSpec,
    createdMs,
    authenticatedMs:
      lastMs === undefined ? 0 : Math.max(createdMs, Math.min(lastMs, nowMs - restMs)),
    provideMode,
    cityId,
    regionId,
    countryId,
    isOnline: Number(lastMs === nowMs),
    isSimulated: 1,
    hasPublished: 1,
    bytesPerSecond: habit.load === 0 ? 0 : habit.bytesPerSecond,
    quality: rateClient({ ...habit, onlineMs: sumUsage(lastHours).onlineMs, ageMs }),
  };
  return { row, life };
}

type Habit = ReturnType<typeof createHabit>;

/**
 * Two in five are always connected, some hardly ever. Speeds differ by a factor of up to a hundred.
 */
function createHabit(random: Random, mostLoad: number) {
  const isSteady = random.chance(0.4);
  return {
    /** When it connects on the days on which it does, in hours since midnight (UTC). */
    fromHour: isSteady ? 0 : random.integer(0, 20),
    /** How long it stays, at most until midnight. */
    hours: isSteady ? 24 : random.integer(2, 14),
    /** The share of days on which it connects, 0 to 1. */
    faithfulness: isSteady ? 0.98 : random.pick([0.9, 0.6, 0.1]),
    bytesPerSecond: Math.round(250_000 * 10 ** (2 * random.unit())),
    /** The share of its speed that consumers use, 0 to 1. */
    load: mostLoad * random.unit() ** 2,
  };
}

type Dates = Readonly<Record<'day' | 'createdMs' | 'nowMs', number>>;

/** undefined for a day on which it was not connected. */
function createDay(
  random: Random,
  habit: Habit,
  { day, createdMs, nowMs }: Dates,
): DayOfLife | undefined {
  const isThere = random.chance(habit.faithfulness);
  const lateMs = habit.hours === 24 ? 0 : random.integer(0, hourMs);
  const comesMs = day * dayMs + habit.fromHour * hourMs + lateMs;
  const startMs = Math.max(comesMs, createdMs);
  const endMs = Math.min(comesMs + habit.hours * hourMs, (day + 1) * dayMs, nowMs);
  if (!isThere || endMs <= startMs) return undefined;
  const hasHours = day > toDay(nowMs) - daysWithHours;
  const stretches = hasHours ? splitByHour({ startMs, endMs }) : [{ startMs, endMs }];
  const parts = stretches.map((stretch) => createUsage(random, habit, stretch));
  return { day, startMs, endMs, hasHours, parts };
}

function splitByHour({ startMs, endMs }: Stretch): readonly Stretch[] {
  const first = toHourStart(startMs);
  return Array.from({ length: Math.ceil((endMs - first) / hourMs) }, (_, index) => ({
    startMs: Math.max(startMs, first + index * hourMs),
    endMs: Math.min(endMs, first + (index + 1) * hourMs),
  }));
}

function createUsage(random: Random, habit: Habit, { startMs, endMs }: Stretch): HourUsage {
  const onlineMs = endMs - startMs;
  const hours = onlineMs / hourMs;
  const bytes = Math.round(
    (onlineMs / 1000) * habit.bytesPerSecond * habit.load * (0.5 + random.unit()),
  );
  const searches = Math.round(hours * 4 * random.unit());
  const idle = { ...noUsage, hourMs: toHourStart(startMs), onlineMs, searches };
  if (bytes === 0) return idle;
  // Consumers mostly download, and for the service those bytes come out of the tunnel.
  const rxBytes = Math.round(bytes * (0.8 + 0.15 * random.unit()));
  return {
    ...idle,
    rxBytes,
    txBytes: bytes - rxBytes,
    sessions: 1 + Math.floor(hours * 2 * random.unit()),
  };
}
