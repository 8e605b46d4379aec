import { hasCode } from '../../../errors/codes.ts';
import { defineCommand, refuseOption } from '../../frame/command.ts';
import { namesParts } from '../../present/tables.ts';
import { chooseClient } from '../choose-client.ts';
import { readDeviceStats, readHere } from './device-view.ts';
import { parseWindowHours } from './figures.ts';
import { type LocalStats, readLocalStats } from './local-view.ts';
import { readNetworkStats } from './network-view.ts';

export const stats = defineCommand({
  usage: 'stats',
  description:
    "uptime, transfer and payout: the service's count for every device, or this device's own",
  options: {
    '--last <window>': 'hours, days or years, such as 24h, 7d, 90d or 2y (default: 24h)',
    '--client <client>': 'one device: its name, its id, the start of its id, or this',
    '--local': 'what this device counted itself; also shown when the service cannot be asked',
  },
  examples: {
    'tributary stats': 'every device over the last 24 hours',
    'tributary stats --last 7d --json': 'a week, for a script',
    'tributary stats --client this --last 48h':
      'this device, hour by hour and day by day, beside its own count',
    'tributary stats --client kitchen --last 90d': 'one device over 90 days',
    'tributary stats --local --last 2y': "this device's own record, month by month",
  },
  async run(session, { options }, context) {
    const { last = '24h', client, local } = options;
    const askedHours = parseWindowHours(last);
    const isOfThis = client === undefined || client === 'this';
    if (local === true && !isOfThis) throw refuseOption('--client', client, 'this beside --local');
    /** This device's own record, with what a running agent has not written yet. */
    const findLedger = async () => {
      const { readUnwritten } = await import('./unwritten.ts');
      const unwritten = await readUnwritten(options, context);
      return {
        directory: session.loaded.stateDirectory,
        nowMs: context.now().getTime(),
        unwritten,
      };
    };
    const readLocal = async (serviceProblem: LocalStats['serviceProblem']) =>
      readLocalStats(await findLedger(), askedHours, serviceProblem);
    if (local === true) return readLocal(undefined);
    try {
      if (client === undefined) return await readNetworkStats(session, askedHours);
      const device = await readDeviceStats(
        session,
        await chooseClient(session, client),
        askedHours,
      );
      if (device.clientId !== (await session.findOwnClientId())) return device;
      const place = { ...(await findLedger()), profile: session.profile.name };
      return { ...device, here: await readHere(device, place) };
    } catch (error) {
      // Nothing is known here about other devices. And an owner who chose parts of the service's
      // table wants no other table.
      const isForMe = isOfThis && !namesParts(options) && options.csv !== true;
      if (!isForMe || !hasCode(error, ...askingFails)) throw error;
      const own = await readLocal({ code: error.code, message: error.message });
      if (own.days.length === 0) throw error;
      return own;
    }
  },
  async tables(view) {
    switch (view.scope) {
      case 'network':
        return { providers: (await import('./network-text.ts')).listDevices(view) };
      case 'device': {
        const { listConsumers, listDays } = await import('./device-text.ts');
        return { days: listDays(view), consumers: listConsumers(view) };
      }
      case 'local':
        return { days: (await import('./local-text.ts')).listLocal(view) };
    }
  },
  async render(view, shown, options) {
    switch (view.scope) {
      case 'network': {
        const { renderNetworkStats } = await import('./network-text.ts');
        // The timelines show every device, so a choice of rows leaves them out.
        return renderNetworkStats(view, namesParts(options) ? { ...shown, columns: 0 } : shown);
      }
      case 'device':
        return (await import('./device-text.ts')).renderDeviceStats(view, shown);
      case 'local':
        return (await import('./local-text.ts')).renderLocalStats(view, shown);
    }
  },
});

const askingFails = [
  'service-unreachable',
  'service-failed',
  'signed-out',
  'not-authorized',
  'rate-limited',
  'operation-not-served',
] as const;
