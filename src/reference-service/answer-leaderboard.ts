import { toWireList } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import { createProfanityCheck } from './profanity.ts';

const longest = 100;

/** leaderboard: the networks that provided the most. */
export function answerLeaderboard({ dialect, earners, sample }: Backend): Handler<'leaderboard'> {
  const readCheck = createProfanityCheck();
  return async () => {
    await sample();
    const isProfane = await readCheck();
    const rows = earners.list(longest).map(({ networkId, networkName, isPublic, providedBytes }) => ({
      network_id: networkId,
      network_name: isPublic === 1 ? networkName : maskName(networkName),
      net_mib_count: providedBytes / 1024 ** 2,
      is_public: isPublic === 1,
      contains_profanity: isProfane(networkName),
    }));
    return { earners: toWireList(dialect, rows) };
  };
}

/** The first letter, and as many dots for every name: not even its length is told. */
export function maskName(name: string): string {
  return `${[...name][0] ?? ''}•••••••`;
}
