import { GIB } from '../lib/units.ts';
import type { Connection, HourUsage, Usage } from './usage.ts';
import { hourMs, toHourStart } from './usage.ts';

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

/** Several stretches as one. */
export function sumUsage(hours: readonly Usage[]): Usage {
  const sum = { rxBytes: 0, txBytes: 0, onlineMs: 0, sessions: 0 };
  for (const hour of hours) {
    sum.rxBytes += hour.rxBytes;
    sum.txBytes += hour.txBytes;
    sum.onlineMs += hour.onlineMs;
    sum.sessions += hour.sessions;
  }
  return sum;
}

/** Whole units of a window as asked for, between 1 and `most`; undefined where it is not above zero. */
export function toLookback(lastN: number, unit: 'hour' | 'day'): number | undefined {
  const most = unit === 'hour' ? maxLookbackHours : maxLookbackHours / 24;
  return lastN > 0 ? Math.min(Math.ceil(lastN), most) : undefined;
}

/** The first hour of a window of that many hours: the current one counts, so there are never more hours in it. */
export function toWindowStart(nowMs: number, hours: number): number {
  return toHourStart(nowMs) - (hours - 1) * hourMs;
}

/** One figure of each hour, by `yyyy-mm-dd-hh` in UTC. */
export function byHour(hours: readonly HourUsage[], figure: (usage: Usage) => number): Record<string, number> {
  return Object.fromEntries(hours.map((hour) => [toHourKey(hour.hourMs), figure(hour)]));
}

/** One figure of each day, by `yyyy-mm-dd` in UTC. */
export function byDay(hours: readonly HourUsage[], figure: (usage: Usage) => number): Record<string, number> {
  const days = Map.groupBy(hours, (hour) => toHourKey(hour.hourMs).slice(0, 10));
  return Object.fromEntries(days.entries().map(([day, ofDay]) => [day, figure(sumUsage(ofDay))]));
}

/** The comings and goings since `sinceMs`, oldest first. */
export function toConnectionEvents(connections: readonly Connection[], sinceMs: number) {
  return connections
    .flatMap(({ connectedMs, disconnectedMs }) => [
      { atMs: connectedMs, connected: true },
      ...(disconnectedMs === undefined ? [] : [{ atMs: disconnectedMs, connected: false }]),
    ])
    .filter((event) => event.atMs >= sinceMs);
}

function toHourKey(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 13).replace('T', '-');
}
