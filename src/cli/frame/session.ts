import type { LoadedConfig } from '../../config/load.ts';
import { TributaryError, toUndefined } from '../../errors/codes.ts';
import {
  createRegistrationFiles,
  type NetworkJwtStore,
} from '../../identity/registration-files.ts';
import { once } from '../../lib/once.ts';
import type { Secret } from '../../lib/secret.ts';
import { createServiceClient } from '../../service/client.ts';
import { readClaims } from '../../service/jwt.ts';
import {
  type OperationName,
  type OperationRequest,
  type OperationResponse,
  operations,
  type StreamableName,
  type StreamedItem,
} from '../../service/operations.ts';
import { type Profile, profiles } from '../../service/profiles.ts';
import { sendRequest, type TypedRequest } from '../../service/send-request.ts';
import type { OnUnread } from '../../service/unread.ts';
import { keepHeapSmall } from '../../system/give-back-memory.ts';
import { BrokenDocumentError, type StateFile, sayOnSetAside } from '../../system/state-file.ts';
import {
  type CommandContext,
  loadConfig,
  type Output,
  openNotes,
  type PathOptions,
} from './context.ts';
import { findServed } from './find-served.ts';
import { personWaits } from './patience.ts';

/** The service for a command: signed in with the token of the owner's network. */
export interface Session extends AsyncDisposable {
  /** The dialect in force: the configured one, else the documented. */
  readonly profile: Profile;
  /** False where the configuration names no profile: then no mode's number may be sent. */
  readonly isProfileConfigured: boolean;
  readonly loaded: LoadedConfig;
  /**
   * The operation that serves a call here; itself where no profile is configured.
   * @throws operation-not-served where services of the configured profile have none
   */
  findServed<Name extends OperationName>(name: Name): Name;
  /**
   * `given` replaces the owner's token.
   * @throws operation-not-served as `findServed`, before anything is sent; signed-out without a
   * token it needs, codes of `ServiceClient.call`
   */
  call<Name extends OperationName>(
    name: Name,
    request: OperationRequest<Name>,
    given?: Secret,
  ): Promise<OperationResponse<Name>>;
  /**
   * Sends any request, with the token that its operation takes; one that is not in the table gets
   * the stored token, if there is one.
   * @throws codes of `sendRequest`
   */
  send(request: Omit<TypedRequest, 'token'>): Promise<unknown>;
  /** The rows of a list as they arrive, however many there are. Throws what `call` throws. */
  stream<Name extends StreamableName>(
    name: Name,
    request: OperationRequest<Name>,
  ): AsyncIterable<StreamedItem<Name>>;
  /**
   * The client that this device is registered as; undefined before it is registered.
   * @throws state-unreadable
   */
  findOwnClientId(): Promise<string | undefined>;
  /** The stored token, else the one given to the agent. @throws signed-out */
  readToken(): Promise<Secret>;
  /** Where the owner's token is kept. */
  readonly tokens: NetworkJwtStore;
}

const patienceMs = 2000;
const operationNames = Object.keys(operations) as OperationName[];

/** Opens a session; nothing is sent yet. @throws configuration-invalid, not-allowed */
export async function openSession(
  options: PathOptions & { readonly json?: boolean },
  context: CommandContext,
): Promise<Session> {
  // Large answers make much garbage, so the heap is kept small.
  keepHeapSmall();
  const loaded = await loadConfig(options, context);
  const { patience = personWaits } = context;
  const client = createServiceClient({ ...loaded.service, ...patience });
  const notes = openNotes(options, context);
  const ending = new AbortController();
  const { base_url, profile } = loaded.config.service;
  const files = createRegistrationFiles(loaded.stateDirectory, sayOnSetAside(notes));
  const tokens = files.networkJwt;
  // The disk is read once for each command, so that a broken document is reported once.
  const readToken = once(async () => {
    // Auth codes are not spent here; `login` and `run` do that.
    const kept = await peekOrSay(tokens, notes);
    const own = kept?.holder === 'device' ? kept.token : undefined;
    const owners = kept?.holder === 'owner' ? kept.token : kept?.ownerToken;
    const stored = owners ?? loaded.credentials.networkJwt ?? own;
    if (stored !== undefined) return stored;
    throw new TributaryError(
      'signed-out',
      `this device is not signed in (no network JWT in ${tokens.path})`,
    );
  });
  const findClientId = async () =>
    (await peekOrSay(files.identity, notes))?.clientId ??
    (await peekOrSay(files.registration, notes))?.clientId;
  const tokenFor = async (name: OperationName) => {
    const { authentication } = operations[name];
    if (authentication === 'none') return undefined;
    const token = await readToken();
    if (authentication !== 'network-jwt' || !isOfDevice(token)) return token;
    throw new TributaryError(
      'signed-out',
      "this asks for the owner's sign-in, which this device keeps for an hour; its own token opens this device alone",
    );
  };
  const serving = <Name extends OperationName>(name: Name) =>
    profile === undefined ? name : findServed(name, profiles[profile]);
  const sayAlone = once(async () =>
    notes.write(
      'tributary: this lists this device alone, by its own token; for all devices: tributary login\n',
    ),
  );
  const onUnread: OnUnread = ({ message }) => notes.write(`tributary: ${message}\n`);
  const sayIfSlow = () =>
    setTimeout(() => notes.write(`tributary: still waiting for ${base_url} …\n`), patienceMs);
  return {
    profile: profiles[profile ?? 'documented'],
    isProfileConfigured: profile !== undefined,
    loaded,
    findServed: serving,
    async call(asked, request, given) {
      const name = serving(asked);
      const token = given ?? (await tokenFor(name));
      const options = { token, signal: ending.signal, onUnread };
      using _notice = sayIfSlow();
      return await client.call(name, request, options);
    },
    async send(request) {
      const path = request.path.split('?')[0];
      const known = operationNames.find(
        (name) => operations[name].method === request.method && operations[name].path === path,
      );
      const stored = () => readToken().catch(toUndefined('signed-out'));
      const token = known === undefined ? await stored() : await tokenFor(known);
      using _notice = sayIfSlow();
      const { fetchLimits } = patience;
      const address = { ...loaded.service, fetchLimits };
      return await sendRequest(address, { ...request, token }, ending.signal);
    },
    async *stream(asked, request) {
      const name = serving(asked);
      const token = await tokenFor(name);
      if (isOfDevice(token)) await sayAlone();
      const options = { token, signal: ending.signal, onUnread };
      using notice = sayIfSlow();
      for await (const item of client.stream(name, request, options)) {
        clearTimeout(notice);
        yield item;
      }
    },
    findOwnClientId: once(findClientId),
    readToken,
    tokens,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await client.close();
    },
  };
}

/** True for a device's own token, which opens that device alone; an owner's names no client. */
function isOfDevice(token: Secret | undefined): boolean {
  return token !== undefined && readClaims(token)?.clientId !== undefined;
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
