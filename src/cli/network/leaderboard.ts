import type { OperationResponse } from '../../service/operations.ts';
import { defineCommand } from '../command.ts';
import { formatCount, formatGib } from '../present/amounts.ts';
import { renderTable } from '../present/text.ts';

export const leaderboard = defineCommand({
  usage: 'leaderboard',
  description: 'the networks that provided the most',
  options: { '--show-all': 'also names that the service marks as profane' },
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
    const table = await renderTable(earners, terminal, [
      { title: '', read: ({ isOwn }) => (isOwn ? '*' : '') },
      { title: '#', read: ({ rank }) => formatCount(rank), align: 'right' },
      {
        title: 'Network',
        read: (own) => own.networkName ?? (own.containsProfanity ? '[hidden]' : undefined),
        least: 12,
      },
      { title: 'Provided', read: ({ providedMib }) => formatGib(providedMib && providedMib / 1024), align: 'right' },
      { bar: ({ providedMib }) => providedMib, width: 20, dropOrder: 1 },
    ]);
    return `${table}${note}`;
  },
});

/** What is shown of an earner: a profane name only where `showsAll` asks for it. */
export function viewEarner(
  earner: OperationResponse<'leaderboard'>['earners'][number],
  { rank, ownNetworkId, showsAll }: { rank: number; ownNetworkId: string | undefined; showsAll: boolean },
) {
  const containsProfanity = earner.containsProfanity ?? false;
  return {
    rank,
    networkId: earner.networkId,
    networkName: containsProfanity && !showsAll ? undefined : earner.networkName,
    isOwn: earner.networkId !== undefined && earner.networkId === ownNetworkId,
    providedMib: earner.netMibCount,
    isPublic: earner.isPublic,
    containsProfanity,
  };
}
