import type { PostAnswer, PostControl } from '../../connect/control/control-client.ts';
import { clockRateHeader } from '../../connect/socket/clock-rate.ts';
import { messageOf } from '../../lib/errors.ts';

/** Sends control over HTTP to this service, with this client's token. */
export function createPostControl(of: {
  readonly serviceUrl: string;
  readonly token: string;
  /** By how much the platform's clock is hastened. */
  readonly onClockRate: (rate: number) => void;
}): PostControl {
  const url = new URL('/connect/control', of.serviceUrl);
  const headers = { authorization: `Bearer ${of.token}`, 'content-type': 'application/json' };
  return async (body, signal): Promise<PostAnswer> => {
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      of.onClockRate(Number(response.headers.get(clockRateHeader) ?? 1));
      return { kind: 'answered', status: response.status, text: await response.text() };
    } catch (error) {
      return { kind: 'lost', message: messageOf(error) };
    }
  };
}
