import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/errors/codes.ts';
import type { Facts } from '../../../src/health/facts.ts';
import { mayForward } from '../../../src/health/may-forward.ts';
import { judgePhase, type Phase } from '../../../src/health/phase.ts';
import type { Problem } from '../../../src/health/problem.ts';
import type { MarketReport } from '../../../src/source/source-report.ts';
import { isAlive } from '../../../src/source/source-report.ts';
import {
  ago,
  consumersSource,
  createFacts,
  type FactsChange,
  freshFacts,
  now,
  programSource,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import { assertLaw } from '../law.ts';
import { arbitraryFacts } from './arbitrary-facts.ts';

const problem = (code: ErrorCode): Problem => ({ code, message: `about ${code}`, since: ago(30) });
const pause = { code: 'cap-reached', message: 'The cap is reached.', since: ago(30) } as const;
const isSilent = { lastHandshakeAt: ago(900) };
const [tunnelSource = programSource] = providingFacts.sources;
const silentTunnel = { ...tunnelSource, life: undefined };
const silentProgram = { ...programSource, life: undefined, silentSince: ago(300) };
const judgedAs = (standing: MarketReport['standing']) => ({
  ...programSource,
  market: consumersSource.market && { ...consumersSource.market, standing },
});
const isUnreachable = { isReachable: false, lastError: problem('service-unreachable') };
const isWithoutUplink = { uplink: undefined, uplinkMissingSince: ago(60), isOpen: false };

interface Row {
  readonly claim: string;
  readonly change: FactsChange;
  readonly base?: Facts;
  readonly phase: Phase;
  readonly codes: readonly string[];
}

const rows: readonly Row[] = [
  { claim: 'all is well: providing, no reason', change: {}, phase: 'providing', codes: [] },
  {
    claim: 'a sign-in that ends soon and a second client are notes',
    change: {
      signIn: {
        ending: { code: 'sign-in-ending', message: 'It ends in 6 d.', since: ago(30) },
      },
      secondClient: { code: 'second-client', message: 'It is listed twice.', since: ago(30) },
    },
    phase: 'providing',
    codes: ['sign-in-ending', 'second-client'],
  },
  {
    claim: 'a log that cannot be written is a note',
    change: { log: { problem: { code: 'log-unwritten', message: 'It is full.', since: ago(30) } } },
    phase: 'providing',
    codes: ['log-unwritten'],
  },
  {
    claim: 'a part of the program that is gone is a note',
    change: { missingPart: { code: 'program-replaced', message: 'Gone.', since: ago(30) } },
    phase: 'providing',
    codes: ['program-replaced'],
  },
  {
    claim: 'a receiver that gets no reports is a note',
    change: { undelivered: { code: 'report-undelivered', message: 'No.', since: ago(400) } },
    phase: 'providing',
    codes: ['report-undelivered'],
  },
  {
    claim: 'a wider mode at the service: connecting, and the echo says the same',
    change: {
      provide: {
        wider: { code: 'mode-not-applied', message: 'It has public.', since: ago(30) },
        confirmationProblem: problem('mode-not-applied'),
      },
      gateway: { isOpen: false },
    },
    phase: 'connecting',
    codes: ['mode-not-applied'],
  },
  {
    claim:
      'a wider mode at the service while the owner shares nothing: idle, as the owner wants it',
    change: {
      provide: {
        effective: 'none',
        wider: { code: 'mode-not-applied', message: 'It has public.', since: ago(30) },
      },
      gateway: { isOpen: false },
    },
    phase: 'idle',
    codes: [],
  },
  {
    claim: 'a narrower mode at the service is a note',
    change: { provide: { confirmationProblem: problem('mode-not-applied') } },
    phase: 'providing',
    codes: ['mode-not-applied'],
  },
  {
    claim: 'mode none, healthy: idle',
    change: { provide: { effective: 'none' } },
    phase: 'idle',
    codes: [],
  },
  {
    claim: 'mode none with a closed gateway is idle, not connecting',
    change: { provide: { effective: 'none' }, gateway: { isOpen: false } },
    phase: 'idle',
    codes: [],
  },
  {
    claim: 'a first start is registering',
    change: {},
    base: freshFacts,
    phase: 'registering',
    codes: ['registering'],
  },
  {
    claim: 'an unreachable service while registering is the reason',
    change: { service: isUnreachable },
    base: freshFacts,
    phase: 'registering',
    codes: ['service-unreachable'],
  },
  {
    claim: 'no uplink is the reason while registering',
    change: { service: isUnreachable, gateway: isWithoutUplink },
    base: freshFacts,
    phase: 'registering',
    codes: ['no-uplink'],
  },
  {
    claim: "consumers' packets that leave by another way are refused, and named beside providing",
    change: {
      gateway: { wayProblem: { code: 'not-uplink', message: 'by wlan0', since: ago(60) } },
    },
    phase: 'providing',
    codes: ['not-uplink'],
  },
  {
    claim: 'an unreachable service is named also where nobody said why',
    change: { service: { isReachable: false } },
    base: freshFacts,
    phase: 'registering',
    codes: ['service-unreachable'],
  },
  {
    claim: 'a newly issued text that is refused is a note beside the tunnel that works',
    change: { tunnel: { problem: problem('wireguard-text-refused') } },
    phase: 'providing',
    codes: ['wireguard-text-refused'],
  },
  {
    claim: 'IPv6 that is switched off is a note beside IPv4 that works',
    change: { tunnel: { shortfall: problem('no-ipv6') } },
    phase: 'providing',
    codes: ['no-ipv6'],
  },
  {
    claim: 'IPv6 that is switched off is no reason for a silent tunnel',
    change: { tunnel: { ...isSilent, shortfall: problem('no-ipv6') } },
    phase: 'connecting',
    codes: ['no-handshake'],
  },
  {
    claim: 'a tunnel for IPv6 alone has to be mended where IPv6 is switched off',
    change: { tunnel: { ...isSilent, backend: undefined, problem: problem('no-ipv6') } },
    phase: 'blocked',
    codes: ['no-ipv6'],
  },
  {
    claim: 'a sign-in page in between is named as such while registering',
    change: { service: { isReachable: false, lastError: problem('answer-not-json') } },
    base: freshFacts,
    phase: 'registering',
    codes: ['answer-not-json'],
  },
  {
    claim: 'no uplink hides that the service is unreachable and that nobody shakes hands',
    change: { service: isUnreachable, tunnel: isSilent, gateway: isWithoutUplink },
    phase: 'connecting',
    codes: ['no-uplink'],
  },
  {
    claim: 'no uplink hides that a tunnel and a firewall could not be made',
    change: {
      tunnel: { ...isSilent, problem: problem('tunnel-failed') },
      gateway: { ...isWithoutUplink, problem: problem('gateway-failed') },
    },
    phase: 'connecting',
    codes: ['no-uplink'],
  },
  {
    claim: 'a missing program is not excused by a missing uplink',
    change: { gateway: { ...isWithoutUplink, problem: problem('missing-program') } },
    phase: 'blocked',
    codes: ['missing-program', 'no-uplink'],
  },
  {
    claim: 'signed out hides an unreachable service and that nobody shakes hands',
    change: { signInProblem: problem('signed-out'), tunnel: isSilent, service: isUnreachable },
    phase: 'signed-out',
    codes: ['signed-out'],
  },
  {
    claim: 'a refused code is signed out with its own reason',
    change: { signInProblem: problem('auth-code-refused') },
    base: freshFacts,
    phase: 'signed-out',
    codes: ['auth-code-refused'],
  },
  {
    claim: 'providing goes on while the service is unreachable, with a note',
    change: { service: isUnreachable },
    phase: 'providing',
    codes: ['service-unreachable'],
  },
  {
    claim: 'the last failure of asking the service is a note, also of a service that answers',
    change: { service: { isReachable: true, lastError: problem('not-authorized') } },
    phase: 'providing',
    codes: ['not-authorized'],
  },
  {
    claim:
      'the last failure of asking the service is said before the silent peer that follows from it',
    change: {
      service: { isReachable: true, lastError: problem('service-failed') },
      tunnel: isSilent,
    },
    phase: 'connecting',
    codes: ['service-failed', 'no-handshake'],
  },
  {
    claim: 'a mode that the service cannot take is a note',
    change: {
      provide: { confirmed: undefined, confirmationProblem: problem('operation-not-served') },
    },
    phase: 'providing',
    codes: ['operation-not-served'],
  },
  {
    claim: 'a table of connections that is almost full is a note',
    change: { gateway: { connectionsProblem: problem('connections-full') } },
    phase: 'providing',
    codes: ['connections-full'],
  },
  {
    claim: 'a refused reload is a note',
    change: { configurationProblem: problem('configuration-invalid') },
    phase: 'providing',
    codes: ['configuration-invalid'],
  },
  {
    claim: 'a full disk beside a working data path is a note',
    change: { stateProblem: problem('state-unwritable') },
    phase: 'providing',
    codes: ['state-unwritable'],
  },
  {
    claim: 'a broken state directory blocks a device that does not work yet',
    change: { stateProblem: problem('state-unreadable') },
    base: freshFacts,
    phase: 'blocked',
    codes: ['state-unreadable'],
  },
  {
    claim: 'a hostile WireGuard text blocks',
    change: {
      registration: { clientId: 'one', description: undefined },
      tunnel: { problem: problem('wireguard-text-refused') },
    },
    base: freshFacts,
    phase: 'blocked',
    codes: ['wireguard-text-refused'],
  },
  {
    claim: 'the client limit blocks',
    change: { registrationProblem: problem('client-limit-exceeded') },
    base: freshFacts,
    phase: 'blocked',
    codes: ['client-limit-exceeded'],
  },
  {
    claim: 'a registration that only has to wait does not block',
    change: { registrationProblem: problem('rate-limited') },
    base: freshFacts,
    phase: 'registering',
    codes: ['rate-limited'],
  },
  {
    claim: 'a firewall that cannot be trusted blocks, even while packets still pass',
    change: { gateway: { problem: problem('gateway-failed') } },
    phase: 'blocked',
    codes: ['gateway-failed'],
  },
  {
    claim: 'a reached cap pauses',
    change: { provide: { effective: 'none', pause }, gateway: { isOpen: false } },
    phase: 'paused',
    codes: ['cap-reached'],
  },
  {
    claim: 'a cap that is almost used up is a note',
    change: { usage: { endingSince: ago(5) } },
    phase: 'providing',
    codes: ['cap-ending'],
  },
  {
    claim: 'a cap that is almost used up is nothing to a device that does not share',
    change: { usage: { endingSince: ago(5) }, provide: { effective: 'none' } },
    phase: 'idle',
    codes: [],
  },
  {
    claim: 'a silent peer is connecting',
    change: { tunnel: isSilent },
    phase: 'connecting',
    codes: ['no-handshake'],
  },
  {
    claim: 'mode none with a silent peer is connecting, not idle',
    change: { tunnel: isSilent, provide: { effective: 'none' } },
    phase: 'connecting',
    codes: ['no-handshake'],
  },
  {
    claim: 'neither service nor peer answer: the service is named first',
    change: { tunnel: isSilent, service: isUnreachable },
    phase: 'connecting',
    codes: ['service-unreachable', 'no-handshake'],
  },
  {
    claim: 'a source of another kind that is alone and silent is connecting, with its own reason',
    change: { sources: [silentProgram] },
    phase: 'connecting',
    codes: ['source-not-alive'],
  },
  {
    claim: 'of two silent sources each is named',
    change: { sources: [silentTunnel, silentProgram] },
    phase: 'connecting',
    codes: ['no-handshake', 'source-not-alive'],
  },
  {
    claim: 'a source that has no device is not called silent',
    change: { sources: [silentTunnel, { ...silentProgram, isThere: false }] },
    phase: 'connecting',
    codes: ['no-handshake'],
  },
  {
    claim: 'a source that has been silent for a while is a note beside one that is alive',
    change: { sources: [...providingFacts.sources, silentProgram] },
    phase: 'providing',
    codes: ['source-not-alive'],
  },
  {
    claim: 'a tunnel that has been silent for a while is a note beside a source that is alive',
    change: { sources: [{ ...silentTunnel, silentSince: ago(61) }, programSource] },
    phase: 'providing',
    codes: ['no-handshake'],
  },
  ...(['listed', 'offline', 'own-network', 'nobody'] as const).map((standing) => ({
    claim: `a source whose network has it as ${standing} has nothing to say about its list`,
    change: { sources: [judgedAs(standing)] },
    phase: 'providing' as const,
    codes: [],
  })),
  {
    claim: 'a device that is not listed provides all the same',
    change: { sources: [judgedAs('dropped')] },
    phase: 'providing',
    codes: ['not-listed'],
  },
  {
    claim: 'where nobody is at the other end, the list is not spoken of',
    change: { sources: [{ ...judgedAs('dropped'), life: undefined, silentSince: ago(300) }] },
    phase: 'connecting',
    codes: ['source-not-alive'],
  },
  {
    claim: 'a source that connects again is no news beside one that is alive',
    change: { sources: [...providingFacts.sources, { ...silentProgram, silentSince: ago(59) }] },
    phase: 'providing',
    codes: [],
  },
  {
    claim: 'a source that is alive is enough',
    change: { sources: [programSource] },
    phase: 'providing',
    codes: [],
  },
  {
    claim: 'a tunnel that is not there yet is connecting',
    change: { tunnel: { backend: undefined } },
    phase: 'connecting',
    codes: ['tunnel-starting'],
  },
  {
    claim: 'a device on which no uplink was looked for yet is connecting',
    change: { gateway: { uplink: undefined } },
    phase: 'connecting',
    codes: ['tunnel-starting'],
  },
  {
    claim: 'a tunnel that waits for something says for what',
    change: { tunnel: { backend: undefined, problem: problem('service-unreachable') } },
    phase: 'connecting',
    codes: ['service-unreachable'],
  },
  {
    claim: 'a full disk blocks a device that is not registered, even with a tunnel that answers',
    change: { registration: undefined, stateProblem: problem('state-unwritable') },
    phase: 'blocked',
    codes: ['state-unwritable'],
  },
  {
    claim: 'a mode that the service cannot take is a note in mode none too',
    change: {
      provide: { effective: 'none', confirmationProblem: problem('operation-not-served') },
    },
    phase: 'idle',
    codes: ['operation-not-served'],
  },
  {
    claim: 'a firewall that is not open yet is connecting',
    change: { gateway: { isOpen: false } },
    phase: 'connecting',
    codes: ['gateway-starting'],
  },
  {
    claim: 'forwarding switched off is idle and says so',
    change: { gateway: { isEnabled: false, isOpen: false } },
    phase: 'idle',
    codes: ['gateway-disabled'],
  },
  {
    claim: 'stopping names nothing else',
    change: { stoppingSince: ago(1), signInProblem: problem('signed-out'), service: isUnreachable },
    phase: 'stopping',
    codes: ['stopping'],
  },
];

describe('phase', () => {
  test.each(rows)('$claim', ({ change, base, phase, codes }) => {
    const report = judgePhase(createFacts(change, base), now);
    expect({ phase: report.phase, codes: report.reasons.map(({ code }) => code) }).toEqual({
      phase,
      codes,
    });
  });

  test('whenever it is neither providing nor idle there is a reason, with something to do', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const { phase, reasons } = judgePhase(facts, now);
      if (phase !== 'providing' && phase !== 'idle') expect(reasons.length).toBeGreaterThan(0);
      for (const { action, since } of reasons) {
        expect(action).not.toBe('');
        expect(since).toBeInstanceOf(Date);
      }
    });
  });

  test('no reason is named twice', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const codes = judgePhase(facts, now).reasons.map(({ code }) => code);
      expect(new Set(codes).size).toBe(codes.length);
    });
  });

  test('providing is said only of an open gateway, a live tunnel and a mode', () => {
    assertLaw(arbitraryFacts, (facts) => {
      if (judgePhase(facts, now).phase !== 'providing') return;
      expect(facts.gateway.isOpen && facts.sources.some(({ life }) => isAlive(life, now))).toBe(
        true,
      );
      expect(facts.provide.effective).not.toBe('none');
      expect(facts.provide.pause).toBeUndefined();
    });
  });

  test('is providing exactly where traffic may pass and the gateway is open', () => {
    assertLaw(arbitraryFacts, (facts) => {
      const isProviding = judgePhase(facts, now).phase === 'providing';
      const { permit } = mayForward(facts, { now, mode: facts.provide.effective });
      if (isProviding) expect(permit && facts.gateway.isOpen).toBe(true);
      if (permit && facts.gateway.isOpen) expect(isProviding).toBe(true);
    });
  });

  test('what a failure itself says is to be done comes before the advice of its code', () => {
    const judge = (own: Partial<Problem>) => {
      const stateProblem = { ...problem('state-unreadable'), ...own };
      return judgePhase(createFacts({ stateProblem }, freshFacts), now).reasons[0]?.action;
    };
    expect(judge({ action: 'Install the newer version again.' })).toBe(
      'Install the newer version again.',
    );
    expect(judge({})).toContain('Check who owns the file');
  });

  test('a failure keeps its own beginning and words', () => {
    const [reason] = judgePhase(
      createFacts({ gateway: { problem: problem('gateway-failed') } }),
      now,
    ).reasons;
    expect(reason).toMatchObject({ message: 'about gateway-failed', since: ago(30) });
  });
});
