import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { RegistrationDependencies } from '../../../src/identity/authenticate.ts';
import {
  createRegistrationFiles,
  type Registration,
} from '../../../src/identity/registration-files.ts';
import { Secret } from '../../../src/lib/secret.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { operations } from '../../../src/service/operations.ts';
import type { OnUnread } from '../../../src/service/unread.ts';
import { fromWire } from '../../../src/service/wire-case.ts';
import { createStateFile, type StateFile } from '../../../src/system/state-file.ts';

type Name = 'authClient' | 'clients' | 'codeCreate' | 'codeLogin' | 'refreshToken';

/**
 * What a service says, call by call, in the words of the wire; the last answer is given again.
 * `unread` beside its fields is how much of it was left out.
 */
export type Answers = { readonly [Own in Name]?: readonly (object | Error)[] };

/** One call that was made. */
interface SeenCall {
  readonly name: string;
  readonly request: unknown;
  readonly token: string | undefined;
}

/** A client that knows its answers, and remembers what it was asked. */
export function createFakeClient(answers: Answers) {
  const seen: SeenCall[] = [];
  const call = async (
    name: Name,
    request: unknown,
    options: {
      readonly token?: Secret;
      readonly signal: AbortSignal;
      readonly onUnread?: OnUnread;
    },
  ) => {
    options.signal.throwIfAborted();
    const turn = seen.filter((own) => own.name === name).length;
    seen.push({ name, request, token: options.token?.reveal() });
    const answer = answers[name]?.[turn] ?? answers[name]?.at(-1);
    if (answer === undefined) throw new Error(`nothing is to be asked of ${name}`);
    if (answer instanceof Error) throw answer;
    if ('unread' in answer)
      options.onUnread?.({ count: Number(answer.unread), message: 'left out' });
    return fromWire(operations[name].response.parse(answer));
  };
  return {
    client: { call: call as unknown as ServiceClient['call'] },
    seen,
    names: () => seen.map(({ name }) => name),
  };
}

/** A token of the service; its signature is nothing. */
export function makeJwt(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [encode({ alg: 'none' }), encode(claims), 'c2ln'].join('.');
}

/** State files in a directory of this test's own; `setAside` are the names of those that were. */
export async function createDisk() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-identity-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const setAside: string[] = [];
  const note = (path: string) => void setAside.push(path);
  return {
    directory,
    setAside,
    files: createRegistrationFiles(directory, note),
    store: createRegistrationFiles(directory, note).networkJwt,
    path: (name: string) => join(directory, `${name}.json`),
  };
}

/** Writes a document that its own schema may refuse, with the checksum of a good one. */
export function writeAnything(file: StateFile<never>, value: object): Promise<void> {
  const [directory, name] = [dirname(file.path), basename(file.path, '.json')];
  const schema = z.record(z.string(), z.unknown());
  const loose = createStateFile({ directory, name, schema, onSetAside: () => undefined });
  return loose.write(value as Record<string, unknown>);
}

export const installId = '00000000000000aa';
export const marker = `[tributary:${installId}]`;
export const clientId = 'client-1';
export const tunnel = {
  text: new Secret('[Interface]'),
  proxyHost: 'proxy.example',
  proxyPort: 51_820,
  proxyPublicKey: undefined,
  privateKey: undefined,
  publicKey: undefined,
  address: undefined,
};
/** One tunnel as it is both in an answer and in a row of the list. */
export const proxyOnWire = {
  proxy_host: 'proxy.example',
  wg_config: { config: '[Interface]', wg_proxy_port: 51_820 },
};
export const identity = { installId, clientId, isUncertain: false };
export const pending = {
  installId,
  description: 'shed',
  startedAt: '2026-01-01T00:00:00.000Z',
  knownClientIds: [],
  isAccepted: false,
};
export const registration: Registration = {
  installId,
  clientId,
  clientJwt: new Secret('old.client.jwt'),
  renewSeconds: 45,
  tunnel,
  storedAt: '2026-01-01T00:00:00.000Z',
  showsProduction: false,
};

/** A device called shed at a service that gives these answers. */
export async function createDevice(
  answers: Answers = {},
  more: Partial<RegistrationDependencies> = {},
) {
  const disk = await createDisk();
  const service = createFakeClient(answers);
  const notices: string[] = [];
  const dependencies: RegistrationDependencies = {
    client: service.client,
    files: disk.files,
    token: new Secret('network.jwt'),
    desired: { description: 'shed', spec: 'pi', wantsTunnel: true, proxy: {} },
    settleMs: 0,
    onNotice: (notice) => void notices.push(notice),
    ...more,
  };
  const { signal } = new AbortController();
  return { ...disk, ...service, dependencies, notices, signal };
}
