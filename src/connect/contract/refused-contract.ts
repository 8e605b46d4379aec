/** Why a consumer's contract may not be used. */
export const refusedContracts = [
  'unreadable',
  'mode-not-published',
  'old-form',
  'bad-signature',
  'foreign-source',
  'foreign-destination',
  'oversized',
  'finished',
  'foreign-owner',
  'too-old',
  'too-many',
] as const;

export type RefusedContract = (typeof refusedContracts)[number];
