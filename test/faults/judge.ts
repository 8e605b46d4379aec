import type { Fault } from './fault.ts';
import type { Outcome } from './run-fault.ts';

const answersOfService = ['service-refused', 'sign-in-refused', 'wireguard-text-refused'];

/** What a fault did otherwise than its row says; empty where all is as it should be. */
export function findSurprises(fault: Fault, outcome: Outcome): readonly string[] {
  const { reason, isStop = false, isForOwner = false, lost = [] } = fault;
  const isOfDisk = /disk|file/.test(fault.where);
  const isHarmless = reason === undefined;
  const most = (what: string, value: number, limit: number) =>
    value <= limit ? [] : [`${what}: ${value}`];
  const is = (what: string, value: unknown, expected: unknown) =>
    value === expected ? [] : [`${what}: ${value}, not ${expected}`];
  return [
    ...is('traffic is kept', outcome.isTrafficKept, !isStop),
    ...is('reason', outcome.reason, reason),
    ...most('requests a minute', outcome.requestsPerMinute, 18),
    // The service expects its renewals, whatever the disk does.
    ...(isOfDisk && !isStop
      ? most('minutes without a request', outcome.requestsPerMinute === 0 ? 1 : 0, 0)
      : []),
    // One where it begins, none for each try.
    ...(fault.isAfterPowerCut
      ? []
      : most('log lines about the phase', outcome.phaseLines, isHarmless ? 0 : 1)),
    ...(isForOwner
      ? is('seconds until it provides', outcome.recoverySeconds, undefined)
      : most(
          'seconds until it provides',
          outcome.recoverySeconds ?? Number.POSITIVE_INFINITY,
          fault.mostSeconds ?? 120,
        )),
    ...is('lost', [...outcome.lost].join(), [...lost].join()),
    // A refusal by the service itself counts as an answer of the service; a failure on the way to
    // it does not.
    ...(isHarmless || isOfDisk
      ? []
      : is('reachable', outcome.isReachable, answersOfService.includes(reason))),
    ...(isHarmless || isOfDisk
      ? []
      : is('reason with a dead tunnel', outcome.reasonOfDeadTunnel, reason)),
  ];
}
