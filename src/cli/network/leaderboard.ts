import type { Command } from 'commander';
import { renderBar } from '../../lib/bars.ts';
import { readClaims } from '../../service/jwt.ts';
import type { OperationResponse } from '../../service/operations.ts';
import type { CommandContext } from '../context.ts';
import { formatCount, formatGib, unknown } from '../present/amounts.ts';
import { type Column, renderTable } from '../present/table.ts';
import { addServiceCommand, type Paper } from '../service-command.ts';

interface LeaderboardOptions {
  readonly showAll?: boolean;
}

/** Networks by what they provided, as `network leaderboard --json` shows them. */
interface LeaderboardView {
  readonly earners: readonly EarnerView[];
}

/** null where the service says nothing. */
interface EarnerView {
  /** From 1. */
  readonly rank: number;
  readonly networkId: string | null;
  /** As the service masks it; null also where it is held back for its profanity. */
  readonly networkName: string | null;
  /** True for the owner's own network. */
  readonly isOwn: boolean;
  readonly providedMib: number | null;
  readonly isPublic: boolean | null;
  readonly containsProfanity: boolean;
}

/** Adds `tributary network leaderboard`. */
export function registerLeaderboard(group: Command, context: CommandContext): void {
  addServiceCommand<LeaderboardView, LeaderboardOptions>(group, context, {
    usage: 'leaderboard',
    description: 'the networks that provided the most',
    options: { '--show-all': 'also names that the service marks as profane' },
    examples: { 'tributary network leaderboard': 'ranks, names and amounts; * is your own network' },
    run: async (session, { options }) => {
      const { earners } = await session.call('leaderboard', {});
      const ownNetworkId = readClaims(await session.readToken())?.networkId;
      const reading = { ownNetworkId, showsAll: options.showAll === true };
      return { earners: earners.map((earner, index) => toEarnerView(earner, { ...reading, rank: index + 1 })) };
    },
    render: renderLeaderboard,
  });
}

/** What is shown of an earner: a profane name only where `showsAll` asks for it. */
export function toEarnerView(
  earner: OperationResponse<'leaderboard'>['earners'][number],
  reading: { readonly rank: number; readonly ownNetworkId: string | undefined; readonly showsAll: boolean },
): EarnerView {
  const containsProfanity = earner.containsProfanity ?? false;
  return {
    rank: reading.rank,
    networkId: earner.networkId ?? null,
    networkName: containsProfanity && !reading.showsAll ? null : (earner.networkName ?? null),
    isOwn: earner.networkId !== undefined && earner.networkId === reading.ownNetworkId,
    providedMib: earner.netMibCount ?? null,
    isPublic: earner.isPublic ?? null,
    containsProfanity,
  };
}

function renderLeaderboard({ earners }: LeaderboardView, { columns }: Paper): string {
  if (earners.length === 0) return 'Nobody has provided anything yet. Be the first: tributary run\n';
  const note = earners.some(({ isOwn }) => isOwn) ? '\n* your network\n' : '';
  return `${renderTable(toColumns(earners), earners, columns)}${note}`;
}

function toColumns(earners: readonly EarnerView[]): readonly Column<EarnerView>[] {
  const most = earners.reduce((largest, { providedMib }) => Math.max(largest, providedMib ?? 0), 0);
  return [
    { title: '', read: ({ isOwn }) => (isOwn ? '*' : '') },
    { title: '#', read: ({ rank }) => formatCount(rank), align: 'right' },
    { title: 'Network', read: toName, least: 12 },
    { title: 'Provided', read: ({ providedMib }) => formatMib(providedMib), align: 'right' },
    { title: '', read: ({ providedMib }) => renderBar(providedMib ?? 0, most, 20), dropOrder: 1 },
  ];
}

function toName({ networkName, containsProfanity }: EarnerView): string {
  return networkName ?? (containsProfanity ? '[hidden]' : unknown);
}

function formatMib(mib: number | null): string {
  return formatGib(mib === null ? null : mib / 1024);
}
