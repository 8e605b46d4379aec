import type { Facts, Silence } from './facts.ts';

/** A day. Counted while it provides, so a schedule of two hours a day makes it twelve days. */
const leastProvidingSeconds = 86_400;

/**
 * The silence of a tunnel that seems to carry this device's own traffic out instead of consumers' traffic in, as the
 * production deployment's do; undefined: nothing speaks for it. It says nothing of a device that does not provide now.
 */
export function findConsumerTunnel({ service, gateway }: Facts): Silence | undefined {
  const { silence, forwardedBytes } = gateway;
  if (service.profile !== 'production' || silence === undefined || forwardedBytes === undefined) return undefined;
  const isSilent = forwardedBytes.up + forwardedBytes.down === silence.totalBytes;
  return isSilent && silence.providingSeconds >= leastProvidingSeconds ? silence : undefined;
}
