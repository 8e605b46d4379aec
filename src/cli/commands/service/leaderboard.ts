import type { OperationResponse } from '../../../service/operations.ts';
import { defineCommand } from '../../frame/command.ts';
import { asGib, asMark } from '../../present/amounts.ts';
import { readBelow } from '../../present/below-table.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections } from '../../present/text.ts';

export const leaderboard = defineCommand({
  usage: 'leaderboard',
  description: 'the networks that provided the most',
  options: { '--show-all': 'show names that the service marks as profane too' },
  examples: { 'tributary service leaderboard': 'ranks, names and amounts; * is your own network' },
  async run(session, { options }) {
    const { readClaims } = await import('../../../service/jwt.ts');
    const { earners } = await session.call('leaderboard', {});
    const ownNetworkId = readClaims(await session.readToken())?.networkId;
    const reading = { ownNetworkId, showsAll: options.showAll === true };
    return {
      earners: earners.map((earner, index) => viewEarner(earner, { ...reading, rank: index + 1 })),
    };
  },
  tables: ({ earners }) => ({
    earners: defineTable(earners, [
      { ...asMark, name: 'own', read: ({ isOwn }) => isOwn },
      { title: '#', name: 'rank', read: ({ rank }) => rank, align: 'right' },
      {
        title: 'Network',
        read: (own) => own.networkName ?? (own.containsProfanity ? '[hidden]' : undefined),
        least: 12,
      },
      { ...asGib, title: 'Provided', read: ({ providedMib }) => providedMib && providedMib / 1024 },
      { bar: ({ providedMib }) => providedMib, width: 20, dropOrder: 1 },
    ]),
  }),
  render({ earners }, shown) {
    if (earners.length === 0) return 'No network has provided anything yet.\n';
    const { rows, prints } = readBelow(shown, 'earners', earners);
    const isMarked = prints('own') && rows.some(({ isOwn }) => isOwn);
    return joinSections([shown.tables.earners, isMarked ? '* your network\n' : '']);
  },
});

/** What is shown of an earner. A profane name is shown only if `showsAll` asks for it. */
export function viewEarner(
  earner: OperationResponse<'leaderboard'>['earners'][number],
  {
    rank,
    ownNetworkId,
    showsAll,
  }: { rank: number; ownNetworkId: string | undefined; showsAll: boolean },
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
