import { toWireList } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';

const longest = 100;
/** Whole words alone: a name that only contains one, as Scunthorpe does, is a name like any other. */
const profaneWords =
  /\b(arse|asshole|bastard|bitch|bollocks|cock|crap|cunt|dick|fuck(er|ing)?|piss|shit|slut|turd|twat|wanker|whore)s?\b/i;

/** leaderboard: the networks that provided the most. */
export function answerLeaderboard({ dialect, earners, sample }: Backend): Handler<'leaderboard'> {
  return async () => {
    await sample();
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

/** True for a name that has a word in it which a list for everybody better leaves out. */
export function isProfane(name: string): boolean {
  return profaneWords.test(name);
}

/** The first letter, and as many dots for every name: not even its length is told. */
export function maskName(name: string): string {
  return `${[...name][0] ?? ''}•••••••`;
}
