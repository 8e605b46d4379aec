/**
 * The documentation cannot be written, because text that a person has to write is missing or left
 * over. The message names the file and what to add or remove there.
 */
export class DocumentationError extends Error {
  override readonly name = 'DocumentationError';
}
