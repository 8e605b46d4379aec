import { hasCode, type TributaryError } from '../lib/errors.ts';
import { chooseClient } from './choose-client.ts';
import type { Given, ServiceCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import type { OptionValues } from './option-values.ts';
import type { Session } from './session.ts';
import { type DeviceStats, readDeviceStats } from './stats/device-view.ts';
import { readHere } from './stats/here.ts';
import { type LocalStats, readLocalStats } from './stats/local-view.ts';
import { type NetworkStats, readNetworkStats } from './stats/network-view.ts';
import { parseWindowHours } from './stats/window.ts';

const flags = {
  '--last <window>': 'hours, days or years, such as 24h, 7d, 90d or 2y (default: 24h)',
  '--client <client>': 'one device: its id, the beginning of it, its name, or this',
  '--local': 'what this device counted itself; also shown when the service cannot be asked',
};
type Options = OptionValues<typeof flags>;

/** `tributary stats`: what the service counted, of every device or day by day of one, and what this device did. */
export const stats: ServiceCommand<NetworkStats | DeviceStats | LocalStats, Options> = {
  usage: 'stats',
  description: 'uptime, transfer and payout of every device as the service counted them, or what this device counted',
  options: flags,
  examples: {
    'tributary stats': 'every device over the last 24 hours',
    'tributary stats --last 7d --json': 'a week, for a script',
    'tributary stats --client this --last 48h': 'this device, hour by hour and day by day, beside its own count',
    'tributary stats --client kitchen --last 90d': 'one device over 90 days',
    'tributary stats --local --last 2y': "this device's own record, month by month",
  },
  run: readStats,
  async render(view, terminal) {
    switch (view.scope) {
      case 'network':
        return (await import('./stats/network-text.ts')).renderNetworkStats(view, terminal);
      case 'device':
        return (await import('./stats/device-text.ts')).renderDeviceStats(view, terminal);
      case 'local':
        return (await import('./stats/local-text.ts')).renderLocalStats(view, terminal);
    }
  },
};

async function readStats(session: Session, given: Given<Options>, context: CommandContext) {
  const { last = '24h', client, local } = given.options;
  const askedHours = parseWindowHours(last);
  const readLocal = async (serviceProblem: LocalStats['serviceProblem']) =>
    readLocalStats(await findLedger(session, given, context), { askedHours, serviceProblem });
  if (local === true) return readLocal(undefined);
  try {
    if (client === undefined) return await readNetworkStats(session, askedHours);
    const device = await readDeviceStats(session, await chooseClient(session, client), askedHours);
    if (device.clientId !== (await session.findOwnClientId())) return device;
    return { ...device, here: await readHere(device, await findLedger(session, given, context)) };
  } catch (error) {
    // Of another device nothing is known here.
    if (!cannotBeAsked(error) || (client !== undefined && client !== 'this')) throw error;
    const own = await readLocal({ code: error.code, message: error.message });
    if (own.days.length === 0) throw error;
    return own;
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

/** Where this device's own record lies, with what a running agent has not written yet. */
async function findLedger({ loaded }: Session, { options }: Given<Options>, context: CommandContext) {
  const { readUnwritten } = await import('./stats/unwritten.ts');
  const unwritten = await readUnwritten(options, context);
  return { directory: loaded.stateDirectory, nowMs: context.now().getTime(), unwritten };
}
