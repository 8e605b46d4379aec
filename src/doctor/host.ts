import type { LoadedConfig } from '../config/load.ts';
import type { Machine } from '../identity/load.ts';
import type { Identity, Registration } from '../identity/registration-files.ts';
import type { Secret } from '../lib/secret.ts';
import type { Answer } from '../service/answer.ts';
import type { OperationResponse } from '../service/operations.ts';
import type { TunnelSpec } from '../source/wireguard/state.ts';
import type { StatusDocument } from '../status/document.ts';
import type { Exec } from '../system/exec.ts';
import type { Network } from '../system/ip.ts';
import type { Askable, Said } from '../system/public-addresses.ts';

/**
 * Everything that the checks look at. A question may be asked any number of times: what can be kept
 * is looked up once, at the first question, so the order of the checks does not matter. Nothing is
 * changed anywhere. What this user may not see throws not-allowed, which skips the check that
 * asked.
 */
export interface DoctorHost {
  readonly now: () => Date;
  /** Without the `v`: `24.1.0`. */
  readonly nodeVersion: string;
  /** Node's name for it: `arm64`. */
  readonly processor: string;
  readonly hostName: string;
  /** The user who runs the doctor; 0 is root. */
  readonly userId: number;
  readonly stateDirectory: string;
  readonly disk: Disk;
  /** What tells this machine from others. */
  readonly machine: () => Promise<Machine>;
  /** Runs programs in the namespace in which the doctor runs. */
  readonly exec: Exec;
  readonly place: () => Promise<Place>;
  /**
   * Runs programs in the agent's namespace.
   * @throws host-namespace, not-allowed
   */
  readonly inside: () => Promise<Exec>;
  /** True where this process may change the network of its namespace. */
  readonly isNetworkAdmin: () => Promise<boolean>;
  /** The configuration that the agent would load. @throws configuration-invalid */
  readonly configuration: () => Promise<LoadedConfig>;
  /** What the state directory holds. @throws state-unreadable, configuration-invalid */
  readonly state: () => Promise<KnownState>;
  /**
   * The issued tunnel, checked; undefined where none was issued.
   * @throws wireguard-text-refused, codes of `state`
   */
  readonly tunnel: () => Promise<TunnelSpec | undefined>;
  /** What the agent reports about itself. @throws not-running, not-allowed, command-failed */
  readonly status: () => Promise<StatusDocument>;
  /**
   * The agent's status after a new self-test of its firewall.
   * @throws not-running, not-allowed, command-failed
   */
  readonly selfTest: () => Promise<StatusDocument>;
  /**
   * The network of the agent's namespace.
   * @throws codes of `inside`, command-failed, missing-program
   */
  readonly network: () => Promise<Network>;
  /**
   * The network where the command was given. On a host the agent's way to the Internet leads
   * through it.
   * @throws command-failed, missing-program
   */
  readonly networkHere: () => Promise<Network>;
  /** The service's clock; undefined without an answer. @throws service-unreachable */
  readonly serviceDate: () => Promise<Date | undefined>;
  /** Asks the service without a token; the answer is not judged yet. @throws service-unreachable */
  readonly knock: () => Promise<Answer>;
  /**
   * The clients of the network.
   * @throws signed-out without a token, codes of `ServiceClient.call`
   */
  readonly clients: () => Promise<OperationResponse<'clients'>['clients']>;
  /** An address of a name, as programs here would resolve it; undefined without one. */
  readonly resolve: (host: string) => Promise<string | undefined>;
  /**
   * Sends one byte by UDP. The system's error code; undefined if nothing came back, which is usual.
   */
  readonly tryDatagram: (address: string, port: number) => Promise<string | undefined>;
  /** True where a TCP connection is made within a second. */
  readonly tryConnection: (address: string, port: number) => Promise<boolean>;
  /** Asks the given sources for the home's public address; this takes a few seconds. */
  readonly askOutside: (ways: Askable) => Promise<Said>;
}

/** Where the agent's namespace is. */
export type Place =
  /** The doctor runs in the agent's namespace. */
  | { readonly kind: 'own' }
  | {
      readonly kind: 'host';
      /**
       * The interface that shows that this is a host: one of hardware, or the host's end of the
       * link.
       */
      readonly hardware: string;
      /**
       * Runs programs in the agent's namespace; undefined if it does not exist, or for a user other
       * than root.
       */
      readonly inside: Exec | undefined;
    };

/** What the state directory knows; each part is undefined where it is missing. */
export interface KnownState {
  readonly identity: Identity | undefined;
  readonly registration: Registration | undefined;
  /** The stored network JWT, or otherwise the one that the agent is given. */
  readonly token: Secret | undefined;
}

/** Questions to the file systems, about files of the system or of the agent's state. */
export interface Disk {
  /** The text; undefined where the file is missing or may not be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /**
   * The system's error code when the file is opened for reading and writing; undefined if that
   * works.
   */
  readonly tryOpen: (path: string) => Promise<string | undefined>;
  /** The system's error code that writing in the folder would cause; undefined if it would work. */
  readonly tryWriting: (folder: string) => Promise<string | undefined>;
  /** Free space on the file system that holds a path. @throws the system's error */
  readonly space: (path: string) => Promise<Space>;
  /** The folder itself, then everything in it. @throws the system's error */
  readonly holdings: (folder: string) => Promise<readonly Holding[]>;
}

interface Space {
  readonly freeBytes: number;
  /** 0 where the file system does not count files. */
  readonly files: number;
  readonly freeFiles: number;
}

interface Holding {
  readonly path: string;
  readonly ownerId: number;
  /** Only the rights, without the kind of file: 0o700. */
  readonly mode: number;
  /** True for a file that has a second name somewhere. */
  readonly isDoubled: boolean;
}
