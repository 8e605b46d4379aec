/** One column of text. */
export interface TextColumn<Row> {
  readonly title: string;
  /** A row's cell, made safe for a terminal; undefined, where nothing is known, shows as `-`. */
  readonly read: (row: Row, now: Date) => string | undefined;
  /** Default left. */
  readonly align?: 'left' | 'right';
  /** The width that it may be cut down to where the terminal is too narrow; undefined: never cut. */
  readonly least?: number;
  /** True for an id, whose first letters are enough to name it: cut without a mark. */
  readonly isId?: boolean;
  /** True for an address, which is known by both its ends: cut in the middle. */
  readonly isAddress?: boolean;
  /** True to leave the column out where nothing is known of any row. */
  readonly isOptional?: boolean;
  /** Left out first, the highest first, where cutting is not enough; undefined: always there. */
  readonly dropOrder?: number;
}

/** One column of bars without a title. */
export interface BarColumn<Row> {
  readonly bar: (row: Row) => number | undefined;
  readonly width: number;
  /** What a whole bar stands for; default the largest value of the rows. */
  readonly most?: number;
  readonly dropOrder?: number;
}

/** A column of a table. */
export type Column<Row> = TextColumn<Row> | BarColumn<Row>;
