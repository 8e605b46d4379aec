// The exports of the package `tributary-service`. Its guide is docs/development/service.md.
export { Secret } from '../lib/secret.ts';
export {
  type Attempt,
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from './client.ts';
export { hasCode, ServiceError, type ServiceErrorCode } from './errors.ts';
export { createOpenApiDocument, type OpenApiDocument, type OpenApiOptions } from './openapi.ts';
export type { Operation } from './operation.ts';
export {
  type OperationName,
  type OperationRequest,
  type OperationResponse,
  operations,
  type StreamableName,
  type StreamedItem,
} from './operations.ts';
export * from './profiles.ts';
