import type { Payment } from '../../../src/connect/sequence/payment.ts';

/** For tests of what a sequence does, without contracts. */
export const freeOfCharge: Payment = {
  take: () => ({ kind: 'charged', by: undefined }),
  contractLength: () => 0,
  acked: () => undefined,
};
