import * as z from 'zod';
import { clientFailure, codeFailure, failure, modeNumber } from './fields.ts';
import { findTag, tagsOf } from './openapi-tags.ts';
import type { Operation } from './operation.ts';
import * as account from './operations/account.ts';
import * as clients from './operations/clients.ts';
import * as device from './operations/device.ts';
import * as discovery from './operations/discovery.ts';
import * as stats from './operations/stats.ts';
import { type OperationName, operations } from './operations.ts';
import { type Profile, provideModes } from './profiles.ts';

export interface OpenApiOptions {
  /** The version of the service or program that hands out the document. */
  readonly version: string;
  readonly profile: Profile;
  /** The service's address; undefined to mean the address of the document. */
  readonly baseUrl?: string | undefined;
  readonly notServed?: readonly OperationName[] | undefined;
}

/** Failures that are answered with a text and a status of their own. */
export const failureStatuses: Readonly<Record<number, string>> = {
  400: 'the body cannot be taken',
  401: 'no token came, or one that is worth nothing',
  403: 'the token is not enough',
  404: 'the service has no such operation',
  405: 'the path has another method',
  413: 'the body is too large',
  429: 'too many requests; the answer may be a page',
  500: 'the service failed',
  503: 'too many attempts, or the service is not there',
};

/**
 * The interface in OpenAPI 3.1, as a service of one profile speaks it. It is plain JSON, and every
 * field of a schema says what it means.
 */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>> & {
    readonly license: Readonly<Record<'name' | 'identifier', string>>;
    readonly contact: Readonly<Record<'name', string>>;
  };
  /** The first words of the paths. */
  readonly tags: readonly Readonly<Record<'name' | 'description', string>>[];
  readonly servers: readonly [{ readonly url: string }];
  /** By path, and then by method in small letters. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    /** By name; `$ref` in an operation or another schema leads to one of them. */
    readonly schemas: Readonly<Record<string, z.core.JSONSchema.BaseSchema>>;
    readonly responses: Readonly<Record<'Failure', typeof failureResponse>>;
    /** By the kinds of token. */
    readonly securitySchemes: typeof securitySchemes;
  };
}

interface DescribedOperation {
  /** The operation's name in the client. */
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  /** Who may call it, when it may be repeated, and where it is not documented. */
  readonly description: string;
  /** Each entry is enough; an empty one stands for a call without a token. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: SchemaContent & { readonly required: true };
  /** By status. */
  readonly responses: {
    readonly 200: SchemaContent & { readonly description: string };
    readonly '4XX': Reference;
    readonly '5XX': Reference;
  };
  /** `unsent` where a request must not be repeated once it may have arrived. */
  readonly 'x-retry': Operation['repeat'];
}

interface SchemaContent {
  readonly content: { readonly 'application/json': { readonly schema: Reference } };
}

interface Reference {
  readonly $ref: string;
}

export function createOpenApiDocument(options: OpenApiOptions): OpenApiDocument {
  const { version, profile, baseUrl = '/', notServed = [] } = options;
  const served = (Object.keys(operations) as OperationName[]).filter(
    (name) => !notServed.includes(name),
  );
  const named = nameSchemas(profile, served);
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const name of served) {
    const { path, method } = operations[name];
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(name, named) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Network provider and device service',
      version,
      description: describeProfile(profile),
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Tributary' },
    },
    tags: tagsOf(served),
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: named.schemas,
      responses: { Failure: failureResponse },
      securitySchemes,
    },
  };
}

function describeOperation(name: OperationName, named: NamedSchemas): DescribedOperation {
  const { summary, request, response, authentication, takesNetworkJwt, repeat }: Operation =
    operations[name];
  const tokens = tokensFor(takesNetworkJwt ? 'network-jwt' : authentication);
  const toContent = (schema: z.ZodType) => ({
    content: { 'application/json': { schema: named.toReference(schema) } },
  });
  return {
    operationId: name,
    tags: [findTag(name)],
    summary,
    description: explain(operations[name]),
    security: [...(takesNetworkJwt ? [{}] : []), ...tokens.map((token) => ({ [token]: [] }))],
    ...(request === undefined ? {} : { requestBody: { required: true, ...toContent(request) } }),
    responses: {
      200: { description: 'The answer, or an `error` in its place.', ...toContent(response) },
      '4XX': { $ref: '#/components/responses/Failure' },
      '5XX': { $ref: '#/components/responses/Failure' },
    },
    'x-retry': repeat,
  };
}

/** What is not seen by the fields. */
function explain({ authentication, repeat, isOutside, takesNetworkJwt }: Operation): string {
  const sentences = [
    takesNetworkJwt === true
      ? 'It needs no token and answers more to one of a network.'
      : callers[authentication],
    repeat === 'always'
      ? 'It may be repeated after any failure.'
      : 'It must not be repeated once it may have arrived.',
    ...(isOutside === true ? ['It is outside the documented interface.'] : []),
  ];
  return sentences.join(' ');
}

const callers: Readonly<Record<Operation['authentication'], string>> = {
  none: 'Anybody may call it.',
  'any-jwt': 'The token of a network may call it, or of a client for that client alone.',
  'network-jwt': 'The token of a network may call it.',
  'guest-jwt': 'The token of a guest session may call it.',
};

function describeProfile(profile: Profile): string {
  const modes = provideModes.map((mode) => `${mode} ${profile.modeNumbers[mode]}`).join(', ');
  return `Profile ${profile.name}. Provide modes: ${modes}. Every field of an answer may be null or absent.`;
}

const failureResponse = {
  description: `A failure: ${Object.entries(failureStatuses)
    .map(([status, why]) => `${status} ${why}`)
    .join('; ')}.`,
  content: { 'text/plain': { schema: { type: 'string' } } },
};

const bearer = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
const securitySchemes = {
  'network-jwt': {
    ...bearer,
    description: 'The token of a network, from codeLogin or upgradeGuest.',
  },
  'client-jwt': {
    ...bearer,
    description: "A client's own token, from authClient: for that client alone.",
  },
  'guest-jwt': { ...bearer, description: 'The token of a guest session.' },
};

/** The kinds of token of which one is enough. */
function tokensFor(authentication: Operation['authentication']): readonly string[] {
  if (authentication === 'any-jwt') return ['network-jwt', 'client-jwt'];
  return authentication === 'none' ? [] : [authentication];
}

type NamedSchemas = ReturnType<typeof nameSchemas>;

/** Every schema of these operations; each field has its meaning. */
function nameSchemas(profile: Profile, served: readonly OperationName[]) {
  const names = z.registry<{ id: string }>();
  for (const [name, exported] of Object.entries(shared).sort()) {
    if (exported instanceof z.ZodType) names.add(exported, { id: capitalize(name) });
  }
  for (const name of served) {
    const { request, response }: Operation = operations[name];
    if (request !== undefined) names.add(request, { id: `${capitalize(name)}Request` });
    if (!names.has(response)) names.add(response, { id: `${capitalize(name)}Response` });
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const override: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) =>
    void (
      zodSchema === modeNumber &&
      Object.assign(jsonSchema, { enum: Object.values(profile.modeNumbers) })
    );
  const { schemas } = z.toJSONSchema(names, { io: 'input', uri, override });
  return {
    // Zod gives each schema its own address and version of JSON schema. The document already has
    // both.
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
    ),
    toReference: (schema: z.ZodType) => ({ $ref: uri(names.get(schema)?.id ?? '') }),
  };
}

/**
 * Schemas that several answers share, or that deserve a name: every schema that the operations'
 * files export, by its name there.
 */
const shared = {
  failure,
  clientFailure,
  codeFailure,
  ...account,
  ...clients,
  ...device,
  ...discovery,
  ...stats,
};

function capitalize(name: string): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
