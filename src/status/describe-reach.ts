import type { StatusDocument } from './document.ts';

/** Reasons by which something answers where the service is, and cannot be used. */
const answered = ['answer-invalid', 'rate-limited', 'service-failed', 'service-refused'];

/** Whether the service was reached; `yes` is the word for that. */
export function describeReach(
  { service, reasons }: Pick<StatusDocument, 'service' | 'reasons'>,
  yes: string,
): string {
  if (service.reachable === null) return 'not asked yet';
  if (service.reachable) return yes;
  const isAnswered = reasons.some(({ code }) => answered.includes(code));
  return isAnswered ? 'answers, but not with what was asked for' : 'not reachable';
}
