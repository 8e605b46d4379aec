import type { OperationResponse } from '../../../service/operations.ts';
import { defineCommand } from '../../frame/command.ts';
import { asAgo, formatByteCount, formatCount, formatUsdc } from '../../present/amounts.ts';
import { defineTable } from '../../present/tables.ts';
import { joinSections } from '../../present/text.ts';

export const payments = defineCommand({
  usage: 'payments',
  description: 'what was paid out to your wallets, the latest first',
  examples: {
    'tributary account payments': 'all of them',
    'tributary account payments --csv': 'for a spreadsheet',
  },
  async run(session) {
    const { accountPayments } = await session.call('payments', undefined);
    return { payments: accountPayments.map(viewPayment) };
  },
  tables: ({ payments: found }) => ({
    payments: defineTable(found, [
      { ...asAgo, title: 'Paid', read: ({ paidAt, createdAt }) => paidAt ?? createdAt },
      { title: 'State', read: ({ state }) => state },
      {
        title: 'Amount',
        read: ({ amount }) => amount,
        format: (own: number | undefined) => formatUsdc(own).replace(' USDC', ''),
        align: 'right',
      },
      { title: 'Token', read: ({ tokenType }) => tokenType, least: 5, dropOrder: 1 },
      {
        title: 'For',
        read: ({ paidBytes }) => paidBytes,
        format: formatByteCount,
        align: 'right',
      },
      { title: 'Chain', read: ({ blockchain }) => blockchain, least: 5, dropOrder: 2 },
      {
        title: 'Address',
        read: ({ address }) => address,
        least: 11,
        isAddress: true,
        dropOrder: 3,
      },
    ]),
  }),
  render({ payments: found }, { tables }) {
    if (found.length === 0)
      return 'Nothing was paid out yet. What is due: tributary account provided\n';
    return joinSections([tables.payments, 'What is due: tributary account provided\n']);
  },
});

export const points = defineCommand({
  usage: 'points',
  description: 'the points that your network was given, the latest first',
  examples: { 'tributary account points': 'each entry, and the sum' },
  async run(session) {
    const { networkPoints } = await session.call('points', undefined);
    const found = networkPoints.map((entry) => ({
      event: entry.event,
      points: entry.pointValue,
      paymentId: entry.accountPaymentId || undefined,
      createdAt: entry.createTime,
    }));
    const known = found.map((entry) => entry.points).filter((own) => own !== undefined);
    return { total: known.reduce((sum, own) => sum + own, 0), points: found };
  },
  tables: ({ points: found, total }) => ({
    points: defineTable(
      found,
      [
        { ...asAgo, title: 'Given', read: ({ createdAt }) => createdAt },
        { title: 'For', read: ({ event }) => event, least: 8 },
        { title: 'Points', read: ({ points: own }) => own, align: 'right' },
      ],
      found.length === 1 ? undefined : { For: 'all', Points: formatCount(total) },
    ),
  }),
  render({ points: found }, { tables }) {
    return found.length === 0 ? 'No points yet.\n' : joinSections([tables.points]);
  },
});

function viewPayment(payment: OperationResponse<'payments'>['accountPayments'][number]) {
  const { completed, canceled, paymentTime } = payment;
  const sent = paymentTime ? 'sent' : 'planned';
  return {
    paymentId: payment.paymentId,
    state: canceled ? 'given up' : completed ? 'arrived' : sent,
    /** Of the token. */
    amount: payment.tokenAmount,
    tokenType: payment.tokenType || undefined,
    /** What was provided for it. */
    paidBytes: payment.payoutByteCount,
    walletId: payment.walletId || undefined,
    blockchain: payment.blockchain || undefined,
    address: payment.walletAddress || undefined,
    transaction: payment.txHash || undefined,
    createdAt: payment.createTime,
    paidAt: paymentTime || undefined,
  };
}
