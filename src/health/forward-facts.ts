import type { ForwardFacts } from '../provide/may-forward.ts';
import { hasFreshHandshake } from '../tunnel/fresh-handshake.ts';
import type { Facts } from './facts.ts';

/** What the facts say about forwarding: the agent decides on it, the phase explains it. */
export function readForwardFacts(facts: Facts, now: Date): ForwardFacts {
  const { gateway, provide, tunnel } = facts;
  return {
    mode: provide.effective,
    isCapReached: provide.pause !== undefined,
    isStopping: facts.stoppingSince !== undefined,
    isSignedOut: facts.signInProblem !== undefined,
    isRegistered: facts.registration !== undefined,
    hasUplink: gateway.uplink !== undefined,
    hasTunnel: tunnel.backend !== undefined,
    hasFreshHandshake: hasFreshHandshake(tunnel, now),
    isGatewayEnabled: gateway.isEnabled,
    isFenced: gateway.problem === undefined && gateway.selfTest.failure === undefined,
  };
}
