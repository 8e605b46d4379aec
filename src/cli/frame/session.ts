import { TributaryError } from '../../errors/codes.ts';
import { createRegistrationFiles } from '../../identity/registration-files.ts';
import { once } from '../../lib/once.ts';
import type { Secret } from '../../lib/secret.ts';
import { createServiceClient } from '../../service/client.ts';
import {
  type OperationName,
  type OperationRequest,
  operations,
  type StreamableName,
} from '../../service/operations.ts';
import { profiles } from '../../service/profiles.ts';
import { keepHeapSmall } from '../../system/give-back-memory.ts';
import { BrokenDocumentError, type StateFile, sayOnSetAside } from '../../system/state-file.ts';
import {
  type CommandContext,
  loadConfig,
  type Output,
  openNotes,
  type PathOptions,
} from './context.ts';

/** The service for a command: signed in with the token of the owner's network. */
export type Session = Awaited<ReturnType<typeof openSession>>;

const patienceMs = 2000;

/** Opens a session; nothing is sent yet. @throws configuration-invalid, not-allowed */
export async function openSession(
  options: PathOptions & { readonly json?: boolean },
  context: CommandContext,
) {
  // Large answers make much garbage, so the heap is kept small.
  keepHeapSmall();
  const loaded = await loadConfig(options, context);
  const client = createServiceClient(loaded.service);
  const notes = openNotes(options, context);
  const ending = new AbortController();
  const { base_url, profile } = loaded.config.service;
  const files = createRegistrationFiles(loaded.stateDirectory, sayOnSetAside(notes));
  const tokens = files.networkJwt;
  // The disk is read once for each command, so that a broken document is reported once.
  const readToken = once(async () => {
    // Auth codes are not spent here; `login` and `run` do that.
    const stored = (await peekOrSay(tokens, notes))?.token ?? loaded.credentials.networkJwt;
    if (stored !== undefined) return stored;
    throw new TributaryError(
      'signed-out',
      `this device is not signed in (no network JWT in ${tokens.path})`,
    );
  });
  const findClientId = async () =>
    (await peekOrSay(files.identity, notes))?.clientId ??
    (await peekOrSay(files.registration, notes))?.clientId;
  const tokenFor = (name: OperationName) =>
    operations[name].authentication === 'none' ? undefined : readToken();
  const sayIfSlow = () =>
    setTimeout(() => notes.write(`tributary: still waiting for ${base_url} …\n`), patienceMs);
  return {
    /** The profile in force: the configured one, otherwise the documented one. */
    profile: profiles[profile ?? 'documented'],
    /** False if the configuration names no profile; then no number of a mode may be sent. */
    isProfileConfigured: profile !== undefined,
    loaded,
    /**
     * Calls an operation; `given` replaces the owner's token.
     * @throws signed-out without a token that is needed, codes of `ServiceClient.call`
     */
    async call<Name extends OperationName>(
      name: Name,
      request: OperationRequest<Name>,
      given?: Secret,
    ) {
      const options = { token: given ?? (await tokenFor(name)), signal: ending.signal };
      using _notice = sayIfSlow();
      return await client.call(name, request, options);
    },
    async *stream<Name extends StreamableName>(name: Name, request: OperationRequest<Name>) {
      const options = { token: await tokenFor(name), signal: ending.signal };
      using notice = sayIfSlow();
      for await (const item of client.stream(name, request, options)) {
        clearTimeout(notice);
        yield item;
      }
    },
    /**
     * The client that this device is registered as; undefined before it is registered. @throws
     * state-unreadable
     */
    findOwnClientId: once(findClientId),
    /** The stored token, otherwise the one that the agent is given. @throws signed-out */
    readToken,
    tokens,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await client.close();
    },
  };
}

/**
 * The document. A broken one is reported and counts as missing; setting it aside is left to the
 * agent.
 */
async function peekOrSay<T>(file: StateFile<T>, notes: Output): Promise<T | undefined> {
  return file.peek().catch((error: unknown) => {
    if (!(error instanceof BrokenDocumentError)) throw error;
    notes.write(`tributary: ${error.message}; the file was left as it is\n`);
    return undefined;
  });
}
