import type { Command } from 'commander';
import { hasCode, type TributaryError } from '../lib/errors.ts';
import { chooseClient } from './choose-client.ts';
import type { CommandContext } from './context.ts';
import { addServiceCommand, type Given } from './service-command.ts';
import type { Session } from './session.ts';
import { renderDeviceStats } from './stats/device-text.ts';
import { type DeviceStats, readDeviceStats } from './stats/device-view.ts';
import { readHere } from './stats/here.ts';
import { renderLocalStats } from './stats/local-text.ts';
import { type LocalStats, readLocalStats, readUnwritten } from './stats/local-view.ts';
import { renderNetworkStats } from './stats/network-text.ts';
import { type NetworkStats, readNetworkStats } from './stats/network-view.ts';
import { parseWindowHours } from './stats/window.ts';

interface StatsOptions {
  readonly last?: string;
  readonly client?: string;
  readonly local?: boolean;
}

type Stats = NetworkStats | DeviceStats | LocalStats;

/** Adds `tributary stats`: what the service counted, of every device or day by day of one, and what this device did. */
export function registerStats(program: Command, context: CommandContext): void {
  addServiceCommand<Stats, StatsOptions>(program, context, {
    usage: 'stats',
    description: 'uptime, transfer and payout of every device as the service counted them, or what this device counted',
    options: {
      '--last <window>': 'hours, days or years, such as 24h, 7d, 90d or 2y (default: 24h)',
      '--client <client>': 'one device: its id, the beginning of it, its name, or this',
      '--local': 'what this device counted itself; also shown when the service cannot be asked',
    },
    examples: {
      'tributary stats': 'every device over the last 24 hours',
      'tributary stats --last 7d --json': 'a week, for a script',
      'tributary stats --client this --last 48h': 'this device, hour by hour and day by day, beside its own count',
      'tributary stats --client kitchen --last 90d': 'one device over 90 days',
      'tributary stats --local --last 2y': "this device's own record, month by month",
    },
    run: readStats,
    render: (stats, paper) => {
      switch (stats.scope) {
        case 'network':
          return renderNetworkStats(stats, paper);
        case 'device':
          return renderDeviceStats(stats, paper);
        case 'local':
          return renderLocalStats(stats, paper);
      }
    },
  });
}

async function readStats(session: Session, given: Given<StatsOptions>, context: CommandContext): Promise<Stats> {
  const { last = '24h', client, local } = given.options;
  const hours = parseWindowHours(last);
  const readLocal = async (serviceProblem: LocalStats['serviceProblem']) =>
    readLocalStats(await toPlace(session, given, context), { askedHours: hours, serviceProblem });
  if (local === true) return readLocal(null);
  try {
    if (client === undefined) return await readNetworkStats(session, hours);
    const stats = await readDeviceStats(session, await chooseClient(session, client), hours);
    if (stats.clientId !== (await session.findOwnClientId())) return stats;
    return { ...stats, here: await readHere(stats, await toPlace(session, given, context)) };
  } catch (error) {
    // Of another device nothing is known here.
    if (!cannotBeAsked(error) || (client !== undefined && client !== 'this')) throw error;
    const stats = await readLocal({ code: error.code, message: error.message });
    if (stats.days.length === 0) throw error;
    return stats;
  }
}

function cannotBeAsked(error: unknown): error is TributaryError {
  return hasCode(
    error,
    'service-unreachable',
    'service-failed',
    'signed-out',
    'not-authorized',
    'rate-limited',
    'operation-not-served',
  );
}

async function toPlace({ loaded }: Session, { options }: Given<StatsOptions>, context: CommandContext) {
  return {
    directory: loaded.stateDirectory,
    nowMs: context.now().getTime(),
    unwritten: await readUnwritten(options, context),
  };
}
