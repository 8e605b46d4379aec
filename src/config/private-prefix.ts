import * as z from 'zod';
import { overlaps, parsePrefix, privatePrefixes } from '../lib/addresses.ts';

/** A private prefix whose length lies between two bounds, which are included. */
export function privatePrefix(family: 4 | 6, least: number, most: number) {
  const example = family === 4 ? '100.126.0.0/16' : 'fd5e:b4c2:91d7::/112';
  const allowed = `a private IPv${family} prefix of /${least} to /${most}, such as "${example}"`;
  return z.string({ error: allowed }).refine((text) => {
    const { family: own, length = 0 } = parsePrefix(text) ?? {};
    const around = privatePrefixes[`v${family}`].filter((wide) => overlaps(text, wide));
    const isInside = around.some((wide) => length >= (parsePrefix(wide)?.length ?? 0));
    return own === family && isInside && length >= least && length <= most;
  }, allowed);
}
