import { expect, test } from 'vitest';
import { readForwardFacts } from '../../../src/health/forward-facts.ts';
import type { Problem } from '../../../src/health/problem.ts';
import type { ForwardFacts } from '../../../src/provide/may-forward.ts';
import { ago, createFacts, type FactsChange, now } from './sample-facts.ts';

const problem: Problem = { code: 'signed-out', message: 'about it', since: ago(5) };
const clear: ForwardFacts = {
  mode: 'public',
  isCapReached: false,
  isStopping: false,
  isSignedOut: false,
  isRegistered: true,
  hasUplink: true,
  hasTunnel: true,
  hasFreshHandshake: true,
  isGatewayEnabled: true,
  isFenced: true,
};

test.each<readonly [string, FactsChange, Partial<ForwardFacts>]>([
  ['all is well', {}, {}],
  ['the mode is another', { provide: { effective: 'friends' } }, { mode: 'friends' }],
  ['the mode is not decided yet', { provide: { effective: undefined } }, { mode: undefined }],
  [
    'the cap is reached',
    { provide: { pause: { code: 'cap-reached', message: 'used up', since: ago(5) } } },
    { isCapReached: true },
  ],
  ['the agent stops', { stoppingSince: ago(1) }, { isStopping: true }],
  ['there is nothing to sign in with', { signInProblem: problem }, { isSignedOut: true }],
  ['the device is not registered', { registration: undefined }, { isRegistered: false }],
  ['there is no uplink', { gateway: { uplink: undefined } }, { hasUplink: false }],
  ['there is no tunnel', { tunnel: { backend: undefined } }, { hasTunnel: false }],
  ['the peer is silent', { tunnel: { lastHandshakeAt: ago(900) } }, { hasFreshHandshake: false }],
  ['forwarding is switched off', { gateway: { isEnabled: false } }, { isGatewayEnabled: false }],
  ['the rules are not in the kernel', { gateway: { problem } }, { isFenced: false }],
])('what the facts say about forwarding, when %s', (_claim, change, expected) => {
  expect(readForwardFacts(createFacts(change), now)).toEqual({ ...clear, ...expected });
});
