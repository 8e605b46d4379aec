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
 * All that the checks look at. A question may be asked again and again: what can be kept is looked
 * at once, when it is first wanted, so the order of the checks does not matter. Nothing is changed
 * anywhere. What this user may not see throws not-allowed, which skips the check that asked.
 */
export interface DoctorHost {
  readonly now: () => Date;
  /** Without a `v`: `24.1.0`. */
  readonly nodeVersion: string;
  /** As Node calls it: `arm64`. */
  readonly processor: string;
  readonly hostName: string;
  /** Who runs the doctor; 0 is root. */
  readonly userId: number;
  readonly stateDirectory: string;
  readonly disk: Disk;
  /** What tells this machine from others. */
  readonly machine: () => Promise<Machine>;
  /** Runs programs where the doctor itself runs. */
  readonly exec: Exec;
  readonly place: () => Promise<Place>;
  /**
   * Runs programs in the agent's namespace.
   * @throws host-namespace, not-allowed
   */
  readonly inside: () => Promise<Exec>;
  /** True where this process may change the network of its namespace. */
  readonly isNetworkAdmin: () => Promise<boolean>;
  /** @throws configuration-invalid */
  readonly configuration: () => Promise<LoadedConfig>;
  /** @throws state-unreadable, configuration-invalid */
  readonly state: () => Promise<KnownState>;
  /**
   * The issued tunnel, checked; undefined where none was issued.
   * @throws wireguard-text-refused, codes of `state`
   */
  readonly tunnel: () => Promise<TunnelSpec | undefined>;
  /**
   * What the agent says of itself.
   * @throws not-running, not-allowed, command-failed
   */
  readonly status: () => Promise<StatusDocument>;
  /**
   * The status after the agent tried its firewall.
   * @throws not-running, not-allowed, command-failed
   */
  readonly selfTest: () => Promise<StatusDocument>;
  /**
   * The agent's namespace.
   * @throws codes of `inside`, command-failed, missing-program
   */
  readonly network: () => Promise<Network>;
  /**
   * Where the command was given: on a host, what the agent's way out leads through.
   * @throws command-failed, missing-program
   */
  readonly networkHere: () => Promise<Network>;
  /**
   * The clock of the service; undefined without an answer.
   * @throws service-unreachable
   */
  readonly serviceDate: () => Promise<Date | undefined>;
  /**
   * Asks the service without a token. The answer is not judged yet.
   * @throws service-unreachable
   */
  readonly knock: () => Promise<Answer>;
  /** @throws signed-out without a token, codes of `ServiceClient.call` */
  readonly clients: () => Promise<OperationResponse<'clients'>['clients']>;
  /** An address of a name, as programs here resolve it; undefined: it has none. */
  readonly resolve: (host: string) => Promise<string | undefined>;
  /** The system's error code of one byte by UDP; undefined: nothing came back, as is usual. */
  readonly tryDatagram: (address: string, port: number) => Promise<string | undefined>;
  /** True where a TCP connection comes about within a second. */
  readonly tryConnection: (address: string, port: number) => Promise<boolean>;
  /** Asks those that are named for the home's public address, for a few seconds. */
  readonly askOutside: (ways: Askable) => Promise<Said>;
}

/** Where the agent's namespace is. */
export type Place =
  /** The doctor runs in it. */
  | { readonly kind: 'own' }
  | {
      readonly kind: 'host';
      /** The interface that shows this to be a host: of hardware, or the link's end. */
      readonly hardware: string;
      /** Runs programs in the namespace; undefined: it does not exist, or this is not root. */
      readonly inside: Exec | undefined;
    };

/** What the state directory knows; each is undefined where it is not there. */
export interface KnownState {
  readonly identity: Identity | undefined;
  readonly registration: Registration | undefined;
  /** The stored network JWT, else the one that the agent is given. */
  readonly token: Secret | undefined;
}

/** Questions to the file systems; a path may be of the system or of the agent's state. */
export interface Disk {
  /** Text; undefined: it does not exist, or it may not be read. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly isThere: (path: string) => Promise<boolean>;
  /** The system's error code of opening it for reading and writing; undefined: it opens. */
  readonly tryOpen: (path: string) => Promise<string | undefined>;
  /** The system's error code of what would be in the way of writing there; undefined: nothing. */
  readonly tryWriting: (folder: string) => Promise<string | undefined>;
  /**
   * Room on the file system that holds a path.
   * @throws the system's error
   */
  readonly space: (path: string) => Promise<Space>;
  /**
   * The folder first, then what it holds.
   * @throws the system's error
   */
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
  /** The rights alone, without the kind: 0o700. */
  readonly mode: number;
  /** True for a file that has another name somewhere. */
  readonly isDoubled: boolean;
}
