import { GIB } from '../lib/units.ts';
import { refuse } from './refusal.ts';
import type { Connection, ConsumerDay } from './usage-history.ts';
import { type DayUsage, dayMs, type HourUsage, hourMs, noUsage, toHourStart, type Usage } from './usage-unit.ts';

/** What this service pays for a GiB of consumers' traffic: a constant that it invents, so that figures can be checked. */
const usdcPerGib = 0.05;

/** No request looks back further: ten years. */
const maxLookbackHours = 87_600;

/** GiB that moved, both ways, as counted on the peer. */
export function toGib(usage: Usage): number {
  return (usage.rxBytes + usage.txBytes) / GIB;
}

/** USDC for what moved. */
export function toPayout(usage: Usage): number {
  return toGib(usage) * usdcPerGib;
}

/** Whole units of a window as asked for, between 1 and ten years. @throws usage-invalid where it is not above zero */
export function limitLookback(lastN: number, unit: 'hour' | 'day'): number {
  if (!(lastN > 0)) throw refuse('last_n must be above zero.');
  return Math.min(Math.ceil(lastN), unit === 'hour' ? maxLookbackHours : maxLookbackHours / 24);
}

/** The first hour of a window of that many hours: the current one counts, so there are never more hours in it. */
export function findWindowStart(nowMs: number, hours: number): number {
  return toHourStart(nowMs) - (hours - 1) * hourMs;
}

/** One figure of each hour, by `yyyy-mm-dd-hh` in UTC. */
export function byHour(hours: readonly HourUsage[], figure: (usage: Usage) => number): Record<string, number> {
  return Object.fromEntries(hours.map((hour) => [renderHour(hour.hourMs), figure(hour)]));
}

/** One figure of each day, by `yyyy-mm-dd` in UTC. */
export function byDay<Row extends { readonly day: number }>(
  days: readonly Row[],
  figure: (row: Row) => number,
): Record<string, number> {
  return Object.fromEntries(days.map((row) => [renderDay(row.day), figure(row)]));
}

/** GiB that one consumer had, by day: its share of what moved on each. */
export function sumConsumerTransfer(shares: readonly ConsumerDay[], days: readonly DayUsage[]): Record<string, number> {
  const usageOf = new Map(days.map((usage) => [usage.day, usage]));
  return byDay(shares, ({ day, share }) => share * toGib(usageOf.get(day) ?? noUsage));
}

/** The comings and goings since `sinceMs`, oldest first. */
export function listConnectionEvents(connections: readonly Connection[], sinceMs: number) {
  return connections
    .flatMap(({ connectedMs, disconnectedMs }) => [
      { atMs: connectedMs, connected: true },
      ...(disconnectedMs === null ? [] : [{ atMs: disconnectedMs, connected: false }]),
    ])
    .filter((event) => event.atMs >= sinceMs);
}

function renderDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function renderHour(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 13).replace('T', '-');
}
