import { defineCommand } from '../../frame/command.ts';
import { formatByteCount } from '../../present/amounts.ts';

export const provided = defineCommand({
  usage: 'provided',
  description: "how much the network's devices provided since the beginning, paid and not paid yet",
  examples: {
    'tributary account provided': 'both figures, as the service has them',
  },
  async run(session) {
    const answer = await session.call('transferStats', undefined);
    return { paidBytes: answer.paidBytesProvided, unpaidBytes: answer.unpaidBytesProvided };
  },
  render: ({ paidBytes, unpaidBytes }) =>
    `Paid      ${formatByteCount(paidBytes)}\nUnpaid    ${formatByteCount(unpaidBytes)}\n`,
});
