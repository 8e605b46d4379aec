import { randomInt } from 'node:crypto';
import { chain, type Rule, rule } from './rule.ts';

/*
 * Every packet of a connection has the same two ends, so the rules about the far end need not look
 * at each. Once an answer has passed them, the connection's mark says so. Each loading of the rules
 * chooses another mark, in the same transaction as the lists: then every open connection is looked
 * at again, with its next packet. Lists of denied addresses are loaded apart, and mark each packet.
 */

/** The mark of this loading, and the same by the packet's family, because a rule sets it so. */
const types = {
  judged: 'set judged { type mark; size 2;',
  judgement: 'map judgement { type nf_proto : mark; size 2;',
} as const;

/** A consumer's mark by its first byte, and by the next bit no number of one that waits. */
export const firstJudgement = 0x5480_0000;

/** Another mark than those before, as good as certainly. */
export function chooseJudgement(): number {
  return firstJudgement + randomInt(0x80_0000);
}

/** Both as nft lists them; their elements are others after each loading. */
export const judgedSets: readonly string[] = ['set judged', 'map judgement'];

/** Declares both sets, so that they can be flushed. */
export function declareJudgement(): readonly string[] {
  return Object.values(types).map((type) => `  ${type} }`);
}

export function flushJudgement(table: string): readonly string[] {
  return [`flush set ${table} judged`, `flush map ${table} judgement`];
}

export function renderJudgement(mark: number): readonly string[] {
  const value = `0x${mark.toString(16)}`;
  return [
    `  ${types.judged} elements = { ${value} } }`,
    `  ${types.judgement} elements = { ipv4 : ${value}, ipv6 : ${value} } }`,
  ];
}

/** Matches packets of a connection whose far end was looked at since the rules were loaded. */
export const isJudged = 'ct mark @judged ct state established';

/** For packets that go to consumers. An error is about a connection, and comes from anywhere. */
export function listJudgedJumps(): readonly Rule[] {
  return [
    rule('errors', 'ct state related jump source'),
    rule('unjudged', 'ct mark != @judged ct state established jump judge'),
  ];
}

/** Remembers that a connection's far end was let through. */
export function toJudgeChain() {
  return chain('judge', [
    rule('source', 'jump source'),
    rule('remember', 'ct mark set meta nfproto map @judgement'),
  ]);
}
