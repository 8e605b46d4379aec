import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import {
  findAction,
  isErrorCode,
  isForOwner,
  type ReasonCode,
  reasonCodes,
} from '../../../src/health/reasons.ts';
import type { MarketReport } from '../../../src/source/source-report.ts';
import {
  ago,
  consumersSource,
  createFacts,
  type FactsChange,
  freshFacts,
  now,
  programSource,
} from '../../../tools/docs/sample-facts.ts';

interface Row {
  readonly claim: string;
  readonly change: FactsChange;
  readonly base?: Facts;
  readonly code: ReasonCode;
  readonly message: string;
  readonly since: Date;
}

const isSilent = { lastHandshakeAt: ago(900) };
const neverShookHands = { lastHandshakeAt: undefined };
const silence = "The tunnel's other end (198.51.100.1:51820) does not answer.";
const offline = 'This device has no way to the Internet: no default route.';
const unreachable = 'The service at https://service.example cannot be reached.';

const { market: risky } = consumersSource;
const judged = (standing: MarketReport['standing']) => ({
  sources: [
    { ...consumersSource, market: risky && { ...risky, standing, standingSince: ago(700) } },
  ],
});
const listingRule =
  'The network of connect lists a device while 57 of the last 60 minutes and 504 of the last 720 minutes count';

const rows: readonly Row[] = [
  {
    claim: 'a new device that the network of a source does not list yet',
    change: judged('waiting'),
    code: 'not-listed',
    message: `${listingRule}, and this one has not been connected for so long: consumers do not find it yet.`,
    since: ago(700),
  },
  {
    claim: 'a device that fell off the list',
    change: judged('dropped'),
    code: 'not-listed',
    message: `${listingRule}, and too many were lost here: consumers do not find this device now.`,
    since: ago(700),
  },
  {
    claim: 'a device that soon may fall off it',
    change: judged('at-risk'),
    code: 'listing-at-risk',
    message: `${listingRule}. So many were lost here that consumers may soon not find this device any more.`,
    since: ago(700),
  },
  {
    claim: 'stopping, since it was told to',
    change: { stoppingSince: ago(3) },
    code: 'stopping',
    message: 'The agent is stopping.',
    since: ago(3),
  },
  {
    claim: 'forwarding that is switched off, since the start',
    change: { gateway: { isEnabled: false, isOpen: false } },
    code: 'gateway-disabled',
    message: 'Forwarding is switched off in the configuration.',
    since: ago(90_000),
  },
  {
    claim: 'registering, since the start',
    change: {},
    base: freshFacts,
    code: 'registering',
    message: 'Registering this device with the service.',
    since: ago(1),
  },
  {
    claim: 'a silent source of another kind by its name, since a pass found it so',
    change: { sources: [{ ...programSource, life: undefined, silentSince: ago(300) }] },
    code: 'source-not-alive',
    message: 'Nobody answers at the other end of program (program0): no consumers come through it.',
    since: ago(300),
  },
  {
    claim: 'a device of another kind that is not there yet by its name, since the start',
    change: { sources: [{ ...programSource, isThere: false, life: undefined }] },
    code: 'tunnel-starting',
    message: 'The device of program is being set up.',
    since: ago(90_000),
  },
  {
    claim: 'a tunnel that is not there yet, since the start',
    change: { tunnel: { backend: undefined } },
    code: 'tunnel-starting',
    message: 'The tunnel is being set up.',
    since: ago(90_000),
  },
  {
    claim: 'a mode that is not decided yet, since the start',
    change: { provide: { effective: undefined } },
    code: 'starting',
    message: 'The mode is being decided.',
    since: ago(90_000),
  },
  {
    claim: 'a firewall that is not open yet, since the start',
    change: { gateway: { isOpen: false } },
    code: 'gateway-starting',
    message: 'The firewall is being put in place; nothing passes yet.',
    since: ago(90_000),
  },
  {
    claim: 'an unreachable service by its address, since the last contact',
    change: { service: { isReachable: false, lastContactAt: ago(300) } },
    code: 'service-unreachable',
    message: unreachable,
    since: ago(300),
  },
  {
    claim: 'a service that was never reached, since the start',
    change: { service: { isReachable: false, lastContactAt: undefined } },
    code: 'service-unreachable',
    message: unreachable,
    since: ago(90_000),
  },
  {
    claim: 'a missing uplink, since it was missed',
    change: { gateway: { uplink: undefined, uplinkMissingSince: ago(60), isOpen: false } },
    code: 'no-uplink',
    message: offline,
    since: ago(60),
  },
  {
    claim: 'a silent peer by its endpoint, since the last handshake',
    change: { tunnel: isSilent },
    code: 'no-handshake',
    message: silence,
    since: ago(900),
  },
  {
    claim: 'a peer that never answered, since the start',
    change: { tunnel: neverShookHands },
    code: 'no-handshake',
    message: silence,
    since: ago(90_000),
  },
  {
    claim: 'a peer without a known endpoint',
    change: { tunnel: { ...neverShookHands, endpoint: undefined } },
    code: 'no-handshake',
    message: "The tunnel's other end does not answer.",
    since: ago(90_000),
  },
];

describe('the first reason names', () => {
  test.each(rows)('$claim', ({ change, base, code, message, since }) => {
    const [first] = judgePhase(createFacts(change, base), now).reasons;
    expect(first).toEqual({ code, message, since, action: findAction(code) });
  });
});

describe('a code', () => {
  test('of an error is told from a state and from any other word', () => {
    const words = ['signed-out', 'host-namespace', 'starting', 'cap-reached', 'toString', ''];
    expect(words.filter(isErrorCode)).toEqual(['signed-out', 'host-namespace']);
  });

  test('comes with something to do, and says whether waiting helps', () => {
    expect(reasonCodes.filter((code) => findAction(code) === '')).toEqual([]);
    expect(findAction('signed-out')).toBe('Sign in: tributary login');
    expect(findAction('starting')).toBe('Just wait: this takes a few seconds.');
    expect([
      isForOwner('signed-out'),
      isForOwner('service-unreachable'),
      isForOwner('cap-reached'),
    ]).toEqual([true, false, false]);
  });
});
