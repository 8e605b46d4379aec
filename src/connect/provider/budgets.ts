import { createMemoryBudget, createShare } from '../sequence/hold-back.ts';
import { engineLimits } from './limits.ts';

/** What all consumers of an engine share. */
export function createBudgets() {
  const receiveBudget = createMemoryBudget(engineLimits.receiveBytes);
  const sendBudget = createMemoryBudget(engineLimits.sendBytes);
  const laneBudget = createMemoryBudget(engineLimits.lanes);
  return {
    receiveBudget,
    /** One consumer's part. */
    ofOne: () => ({
      receiveBudget: createShare(receiveBudget),
      sendBudget: createShare(sendBudget),
      laneBudget,
    }),
  };
}
