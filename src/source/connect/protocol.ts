/*
 * All that the agent takes of the protocol's own package: the messages that it exchanges with the
 * engine, with what it starts it, why contracts and handshakes are refused, and how secrets and its
 * identity to consumers are made. What the engine does with packets is not loaded here.
 */

export { refusedContracts } from '../../connect/contract/refused-contract.ts';
export type { ProvideWish } from '../../connect/contract/secrets.ts';
export { completeSecrets, saveSecrets } from '../../connect/contract/secrets.ts';
export { createLineReader } from '../../connect/engine/line-reader.ts';
export type {
  EngineCounters,
  FromEngine,
  KeepMessage,
  ProblemCode,
  SeenMessage,
  StartMessage,
  StateMessage,
  ToEngine,
} from '../../connect/engine/messages.ts';
export { deviceDescriptor, longestLineWithBooks } from '../../connect/engine/messages.ts';
export { toEngineNodeOptions } from '../../connect/engine/node-options.ts';
export { readFromEngine, writeMessage } from '../../connect/engine/read-messages.ts';
export { epochFailures } from '../../connect/sealed/epoch.ts';
export type { IdentityData } from '../../connect/sealed/identity.ts';
export { makeIdentity } from '../../connect/sealed/identity.ts';
export type { Sighting } from '../../connect/socket/sighting.ts';
export { attachScript } from '../../connect/tun/attach-script.ts';
