import { askDoctor, findKnownAction } from '../health/reasons.ts';

/**
 * What to do about a code of the agent's status. The advice never comes from the agent: it may have
 * been taken over, and root reads this. What sends its reader to doctor would lead back here.
 */
export function findFix(code: string | undefined): string {
  const action = findKnownAction(code) ?? 'tributary status';
  return action === askDoctor ? byHand : action;
}

const byHand = 'Check that these work as root: nft list tables; wg show; ip link';
