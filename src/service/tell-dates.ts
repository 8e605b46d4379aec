import type { Answer } from './answer.ts';
import type { Transport } from './transport.ts';

/** The transport, which tells the date (ms since 1970) that each answer names. */
export function tellDates(transport: Transport, onDate: (serviceMs: number) => void): Transport {
  const tell = <T extends Pick<Answer, 'headers'>>(answer: T): T => {
    const serviceMs = Date.parse(answer.headers.date ?? '');
    if (Number.isFinite(serviceMs)) onDate(serviceMs);
    return answer;
  };
  return {
    ...transport,
    open: async (...given) => tell(await transport.open(...given)),
    exchange: async (...given) => tell(await transport.exchange(...given)),
  };
}
