import type { Command } from 'commander';
import { chooseClient } from './choose-client.ts';
import type { CommandContext } from './context.ts';
import { addServiceCommand } from './service-command.ts';
import { renderDeviceStats } from './stats/device-text.ts';
import { type DeviceStats, readDeviceStats } from './stats/device-view.ts';
import { renderNetworkStats } from './stats/network-text.ts';
import { type NetworkStats, readNetworkStats } from './stats/network-view.ts';
import { parseWindowHours } from './stats/window.ts';

interface StatsOptions {
  readonly last?: string;
  readonly client?: string;
}

/** Adds `tributary stats`: what the service counted, of every device or day by day of one. */
export function registerStats(program: Command, context: CommandContext): void {
  addServiceCommand<NetworkStats | DeviceStats, StatsOptions>(program, context, {
    usage: 'stats',
    description: 'what the service counted: uptime, transfer and payout of every device, or day by day of one',
    options: {
      '--last <window>': 'hours or days, such as 24h, 7d or 90d (default: 24h)',
      '--client <client>': 'one device: its id, the beginning of it, its name, or this',
    },
    examples: {
      'tributary stats': 'every device over the last 24 hours',
      'tributary stats --last 7d --json': 'a week, for a script',
      'tributary stats --client this --last 48h': 'this device, hour by hour and day by day',
      'tributary stats --client kitchen --last 90d': 'one device over 90 days',
    },
    run: async (session, { options: { last = '24h', client } }) => {
      const hours = parseWindowHours(last);
      if (client === undefined) return readNetworkStats(session, hours);
      return readDeviceStats(session, await chooseClient(session, client), hours);
    },
    render: (stats, paper) =>
      stats.scope === 'network' ? renderNetworkStats(stats, paper) : renderDeviceStats(stats, paper),
  });
}
