import { divide, sumKnown } from '../stats/figures.ts';

/** The values as at most `room` ones: the mean of each of as many equal stretches; undefined where nothing is known. */
export function squeeze(values: readonly (number | undefined)[], room: number): readonly (number | undefined)[] {
  if (values.length <= room) return values;
  return Array.from({ length: room }, (_, index) => {
    const edges = [index, index + 1].map((own) => Math.floor((own * values.length) / room));
    const known = values.slice(...edges).filter((value) => value !== undefined);
    return divide(sumKnown(known), known.length);
  });
}
