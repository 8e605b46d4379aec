import { type DocumentedOperation, documentedInterface } from './documented-interface.ts';
import { compare, type ValueOf } from './documented-types.ts';

type Answered<Operation extends DocumentedOperation> = ValueOf<
  (typeof documentedInterface)[Operation]['answer']
>;

/** A 200 as it is documented; every operation may fail with an `error` in it. */
type Answer<Operation extends DocumentedOperation> = Answered<Operation> & {
  readonly error?: { readonly message?: string | null } | null;
};

interface Question {
  readonly token?: string | undefined;
  readonly body?: object | undefined;
}

/** A caller who knows the document and nothing else. */
export interface IndependentClient {
  /**
   * Asks, holds the answer against the document, and hands it over. @throws where it is no 200 with
   * JSON
   */
  ask<Operation extends DocumentedOperation>(
    operation: Operation,
    question?: Question,
  ): Promise<Answer<Operation>>;
  /** Asks, and hands over the status alone. */
  askForStatus(operation: DocumentedOperation, question?: Question): Promise<number>;
  /**
   * Documented places where something of the documented type was met, as `METHOD /path
   * field.field[]`.
   */
  readonly met: ReadonlySet<string>;
  /** What was wrong with answers since the last time this was asked for. */
  takeProblems(): readonly string[];
}

/**
 * A client of the service at this URL; `missing` are operations that this service answers with 404.
 */
export function createIndependentClient(
  baseUrl: string,
  missing: readonly DocumentedOperation[] = [],
): IndependentClient {
  const met = new Set<string>();
  const problems: string[] = [];

  async function send(operation: DocumentedOperation, { token, body }: Question) {
    const [method = '', path = ''] = operation.split(' ');
    const content = body ?? (method === 'POST' ? {} : undefined);
    return fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    });
  }

  return {
    met,
    takeProblems: () => problems.splice(0),
    async ask(operation, question = {}) {
      const response = await send(operation, question);
      if (missing.includes(operation)) {
        await response.text();
        if (response.status !== 404)
          problems.push(`${operation}: ${response.status} instead of 404`);
        return {} as Answer<typeof operation>;
      }
      const type = response.headers.get('content-type');
      if (response.status !== 200 || type?.startsWith('application/json') !== true) {
        throw new Error(`${operation}: ${response.status} ${type} ${await response.text()}`);
      }
      // What it is not, the comparison says.
      const body = (await response.json()) as Answer<typeof operation>;
      const { answer } = documentedInterface[operation];
      for (const { path, problem } of compare(
        { error: { message: 'string' }, ...answer },
        body,
        `${operation} `,
      )) {
        if (problem === undefined) met.add(path);
        else problems.push(problem);
      }
      return body;
    },
    async askForStatus(operation, question = {}) {
      const response = await send(operation, question);
      await response.text();
      return response.status;
    },
  };
}
