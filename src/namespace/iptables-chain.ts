import { hostSide } from './plan.ts';

/** Chains of other programs that leave room for the owner's rules; first those that their makers promise to keep. */
const rooms = [
  // Docker: a chain for the owner's rules, which it only ever jumps to.
  { chain: 'DOCKER-USER', jump: '-A FORWARD -j DOCKER-USER' },
  // ufw: the chain of its route rules; reloading empties it.
  { chain: 'ufw-user-forward', jump: '-A ufw-before-forward -j ufw-user-forward' },
] as const;

/** The chain of `iptables -S` that an exception belongs in; undefined: forwarded packets are not refused by default. */
export function findIptablesChain(text: string): string | undefined {
  const lines = text.split('\n');
  if (!lines.some(isEnd)) return undefined;
  return rooms.find(({ jump }) => lines.includes(jump))?.chain ?? 'FORWARD';
}

/** By the chain's policy, or by a rule that every packet meets. */
function isEnd(line: string): boolean {
  return line === '-P FORWARD DROP' || /^-A FORWARD -j (DROP|REJECT( --reject-with \S+)?)$/.test(line);
}

/** Our rules in it, those that name the link: the chain, and the rest of the line. */
export function findOwnRules(text: string): readonly { readonly chain: string; readonly match: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const [option, chain, ...match] = line.split(' ');
    return option === '-A' && chain !== undefined && match.includes(hostSide) ? [{ chain, match }] : [];
  });
}
