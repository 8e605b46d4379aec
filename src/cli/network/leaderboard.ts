import type { OperationResponse } from '../../service/operations.ts';
import type { ServiceCommand } from '../command.ts';
import type { OptionValues } from '../option-values.ts';
import { formatCount, formatGib } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';

type EarnerView = ReturnType<typeof viewEarner>;
const flags = { '--show-all': 'also names that the service marks as profane' };

/** `tributary network leaderboard`: networks by what they provided. */
export const leaderboard: ServiceCommand<{ readonly earners: readonly EarnerView[] }, OptionValues<typeof flags>> = {
  usage: 'leaderboard',
  description: 'the networks that provided the most',
  options: flags,
  examples: { 'tributary network leaderboard': 'ranks, names and amounts; * is your own network' },
  async run(session, { options }) {
    const { readClaims } = await import('../../service/jwt.ts');
    const { earners } = await session.call('leaderboard', {});
    const ownNetworkId = readClaims(await session.readToken())?.networkId;
    const reading = { ownNetworkId, showsAll: options.showAll === true };
    return { earners: earners.map((earner, index) => viewEarner(earner, { ...reading, rank: index + 1 })) };
  },
  async render({ earners }, terminal) {
    if (earners.length === 0) return 'Nobody has provided anything yet. Be the first: tributary run\n';
    const note = earners.some(({ isOwn }) => isOwn) ? '\n* your network\n' : '';
    return `${await renderTable(columns, earners, terminal)}${note}`;
  },
};

/** What is shown of an earner: a profane name only where `showsAll` asks for it. */
export function viewEarner(
  earner: OperationResponse<'leaderboard'>['earners'][number],
  reading: { readonly rank: number; readonly ownNetworkId: string | undefined; readonly showsAll: boolean },
) {
  const containsProfanity = earner.containsProfanity ?? false;
  return {
    /** From 1. */
    rank: reading.rank,
    networkId: earner.networkId,
    /** As the service masks it. */
    networkName: containsProfanity && !reading.showsAll ? undefined : earner.networkName,
    isOwn: earner.networkId !== undefined && earner.networkId === reading.ownNetworkId,
    providedMib: earner.netMibCount,
    isPublic: earner.isPublic,
    containsProfanity,
  };
}

const columns: readonly Column<EarnerView>[] = [
  { title: '', read: ({ isOwn }) => (isOwn ? '*' : '') },
  { title: '#', read: ({ rank }) => formatCount(rank), align: 'right' },
  {
    title: 'Network',
    read: ({ networkName, containsProfanity }) => networkName ?? (containsProfanity ? '[hidden]' : undefined),
    least: 12,
  },
  { title: 'Provided', read: ({ providedMib }) => formatGib(providedMib && providedMib / 1024), align: 'right' },
  { bar: ({ providedMib }) => providedMib, width: 20, dropOrder: 1 },
];
