/**
 * Something in the lab, or in what is measured there, is not as it has to be. The message says what
 * was being done. The product has no code for it: no owner ever meets it.
 */
export class LabError extends Error {
  override readonly name = 'LabError';
}
