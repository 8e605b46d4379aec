import { createMemoryBudget } from '../sequence/hold-back.ts';
import { engineLimits } from './limits.ts';

/** What all consumers of an engine share. */
export function createBudgets() {
  return {
    receiveBudget: createMemoryBudget(engineLimits.receiveBytes),
    sendBudget: createMemoryBudget(engineLimits.sendBytes),
    laneBudget: createMemoryBudget(engineLimits.lanes),
  };
}
