import type { LoadedConfig } from '../config/load.ts';
import type { ClientRow } from '../identity/find-client.ts';
import type { Identity, Registration } from '../identity/registration-files.ts';
import type { Secret } from '../lib/secret.ts';
import type { Answer } from '../service/answer.ts';
import type { StatusDocument } from '../status/document.ts';
import type { Exec } from '../system/exec.ts';
import type { Interface, PolicyRule, Route } from '../system/ip.ts';
import type { TunnelSpec } from '../tunnel/spec.ts';

/** Room on the file system that holds a path. */
interface Space {
  readonly freeBytes: number;
  /** Some file systems count no files: then `files` is 0. */
  readonly files: number;
  readonly freeFiles: number;
}

/** A file or folder as its owner sees it. */
export interface Holding {
  readonly path: string;
  readonly ownerId: number;
  /** The rights alone, without the kind. */
  readonly mode: number;
}

/** Files, devices and folders, read only. */
export interface HostDisk {
  /** undefined: it does not exist, or it may not be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /** The system's error code of opening it for reading and writing; undefined: it opens. */
  readonly tryOpen: (path: string) => Promise<string | undefined>;
  /** The system's error code of what would be in the way of writing there; undefined: nothing. */
  readonly tryWriting: (folder: string) => Promise<string | undefined>;
  readonly space: (path: string) => Promise<Space>;
  /** The folder first, then what it holds; empty where the folder does not exist. @throws the system's error */
  readonly holdings: (folder: string) => Promise<readonly Holding[]>;
}

/** Where the agent's network namespace is, seen from here. */
export type Place =
  | { readonly kind: 'own' }
  /** On a host: `inside` runs programs in the namespace made by `tributary namespace up`; undefined: it does not exist. */
  | { readonly kind: 'host'; readonly hardware: string; readonly inside: Exec | undefined };

/** A network namespace: what `ip` says there. */
interface Network {
  readonly interfaces: readonly Interface[];
  readonly routes: readonly Route[];
  readonly rules: readonly PolicyRule[];
}

/** What the state directory knows; each undefined where it is not there. */
export interface KnownState {
  readonly identity: Identity | undefined;
  readonly registration: Registration | undefined;
  /** The stored token, else the one given to the agent. */
  readonly token: Secret | undefined;
}

/**
 * All that the checks look at; each observation is made once. One that this user or this place does not permit throws
 * not-allowed, host-namespace or not-running: the check is then skipped, with that reason.
 */
export interface DoctorHost {
  readonly now: () => Date;
  readonly nodeVersion: string;
  readonly userId: number;
  readonly stateDirectory: string;
  readonly disk: HostDisk;
  /** Runs programs where the command was given. */
  readonly exec: Exec;
  readonly place: () => Promise<Place>;
  /** Runs programs in the agent's namespace. @throws host-namespace, not-allowed */
  readonly inside: () => Promise<Exec>;
  /** True where this process may change networks. */
  readonly isNetworkAdmin: () => Promise<boolean>;
  /** @throws configuration-invalid */
  readonly configuration: () => Promise<LoadedConfig>;
  /** @throws state-unreadable, configuration-invalid */
  readonly state: () => Promise<KnownState>;
  /** The issued tunnel, checked; undefined where none was issued. @throws wireguard-text-refused, codes of `state` */
  readonly tunnel: () => Promise<TunnelSpec | undefined>;
  /** @throws not-running, not-allowed, command-failed */
  readonly status: () => Promise<StatusDocument>;
  /** The agent's namespace. @throws codes of `inside`, command-failed, missing-program */
  readonly network: () => Promise<Network>;
  /** Where the command was given: on a host, what the agent's way out leads through. @throws command-failed, missing-program */
  readonly networkHere: () => Promise<Network>;
  /** The Date of an answer from the service's address, whatever its certificate; undefined without an answer. */
  readonly serviceDate: () => Promise<Date | undefined>;
  /** The service's answer to a request without a token, not judged yet. @throws service-unreachable and the like */
  readonly knock: () => Promise<Answer>;
  /** The network's clients, asked with the token. @throws codes of `ServiceClient.call`; signed-out without a token */
  readonly clients: () => Promise<readonly ClientRow[]>;
  /** An address of a name, as programs here resolve it; undefined: it has none. */
  readonly resolve: (host: string) => Promise<string | undefined>;
  /** The system's error code of a datagram to there; undefined: nothing came back, as is usual. */
  readonly tryDatagram: (address: string, port: number) => Promise<string | undefined>;
}
