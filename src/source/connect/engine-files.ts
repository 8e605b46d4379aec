import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Secret } from '../../lib/secret.ts';
import { createStateFile, type OnSetAside } from '../../system/state-file.ts';
import { completeSecrets, type KeepMessage, makeIdentity, saveSecrets } from './protocol.ts';

const secret = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => new Secret(text));
/** By this name consumers' programs know the device: another one has them refuse it for a while. */
const identity = z.object({
  seed: secret,
  certificate: z.string(),
  certificateKey: z.string().transform((text) => new Secret(text)),
});
const secretsDocument = z.object({
  secrets: z.object({ 1: secret, 2: secret, 3: secret, 4: secret }),
  /** Files of earlier versions have none. */
  identity: identity.optional(),
});

const account = z.object({
  contract: z.string(),
  peer: z.string(),
  byteCount: z.number(),
  createdAt: z.number(),
  counted: z.number(),
  reported: z.number(),
  bridged: z.number().optional(),
});
const report = z.object({ contract: z.string(), bytes: z.number(), isCheckpoint: z.boolean() });
const consumer = z.object({
  peer: z.string(),
  sequence: z.string(),
  next: z.number().optional(),
  lane: z.string(),
  mode: z.number(),
  heardAt: z.number(),
  seals: z.boolean().optional(),
  addresses: z.array(z.string()).readonly(),
});
const finished = z.object({
  contracts: z.array(z.string()).readonly(),
  forgottenUpTo: z.string().nullable(),
});
const booksDocument = z.object({
  /** Whose they are: another client has contracts of its own. */
  clientId: z.string(),
  books: z.object({
    received: z.array(account).readonly(),
    own: z.array(account).readonly(),
    /** Files of earlier versions have none of these. */
    waiting: z.array(report).readonly().optional(),
    consumers: z.array(consumer).readonly().optional(),
    finished: finished.optional(),
  }),
  largestId: z.string().nullable(),
  published: z.string().nullable(),
});

/** What an earlier engine left for the next one. */
export interface EngineHeritage extends Pick<KeepMessage, 'largestId' | 'published'> {
  /** By the number of the mode, in hex. The platform signs contracts with them. */
  readonly secrets: z.output<typeof secretsDocument>['secrets'];
  /** Who this device is to consumers that seal. */
  readonly identity: z.output<typeof identity>;
  /** null before the first were kept. */
  readonly books: KeepMessage['books'] | null;
}

/**
 * `connect-secrets.json` and `connect-books.json` in the state directory: with checksums, replaced
 * in one step. The engine itself touches no file.
 */
export interface EngineFiles {
  /**
   * What the next engine of this client begins with. Secrets that are missing are made, and so is
   * an identity, and are on the disk before this resolves: contracts on their way die with a
   * secret, and consumers that seal know the identity. A broken file is set aside, and then counts
   * as missing.
   * @throws state-unreadable, state-unwritable
   */
  load(clientId: string): Promise<EngineHeritage>;
  /** Writes down what the engine wants kept, whole. @throws state-unwritable */
  keep(clientId: string, kept: Omit<KeepMessage, 'type' | 'number'>): Promise<void>;
}

export function createEngineFiles(of: {
  readonly directory: string;
  readonly onSetAside: OnSetAside;
}): EngineFiles {
  const secretsFile = createStateFile({ ...of, name: 'connect-secrets', schema: secretsDocument });
  const booksFile = createStateFile({ ...of, name: 'connect-books', schema: booksDocument });

  const loadSecrets = async () => {
    const known = await secretsFile.readOrSetAside();
    const made = {
      secrets: known?.secrets ?? makeSecrets(),
      identity: known?.identity ?? identity.parse(makeIdentity(randomBytes)),
    };
    if (known?.identity === undefined) await secretsFile.write(made);
    return made;
  };
  return {
    async load(clientId) {
      const own = await loadSecrets();
      const left = await booksFile.readOrSetAside();
      if (left === undefined) return { ...own, books: null, largestId: null, published: null };
      const { books, largestId, published } = left;
      // Ids have to grow with each process, also with another client's; the rest is the client's.
      return left.clientId === clientId
        ? { ...own, books, largestId, published }
        : { ...own, books: null, largestId, published: null };
    },
    keep: (clientId, { books, largestId, published }) =>
      booksFile.write({ clientId, books, largestId, published }),
  };
}

function makeSecrets(): EngineHeritage['secrets'] {
  const made = { secrets: saveSecrets(completeSecrets(randomBytes)) };
  return secretsDocument.parse(made).secrets;
}
