import { JSONParser } from '@streamparser/json';

/** A value that is complete: an item of the list, or another whole field. */
interface Found {
  readonly isItem: boolean;
  readonly key: string;
  readonly value: unknown;
}

/** Reads a JSON object that comes in pieces. */
export interface ListReader {
  /** What is complete with this piece; `isJson` is false where the text that follows cannot be read. */
  read(chunk: Buffer): { readonly found: readonly Found[]; readonly isJson: boolean };
  /** True once the object is whole. */
  isEnded(): boolean;
}

/** Texts are put together in so many bytes, not from a list of letters: a third less garbage. */
const stringBufferSize = 1024;

/** A reader of an object that holds a list named `list`; it keeps nothing of what it handed out. */
export function createListReader(list: string): ListReader {
  const parser = new JSONParser({ paths: ['$.*', `$.${list}.*`], keepStack: false, stringBufferSize });
  let found: Found[] = [];
  parser.onValue = ({ value, key, parent, stack }) => {
    const isItem = stack.length === 2 && Array.isArray(parent);
    if (isItem) parent.length = 0;
    if (isItem || stack.length === 1) found.push({ isItem, key: isItem ? list : String(key), value });
  };
  return {
    read(chunk) {
      found = [];
      try {
        parser.write(chunk);
        return { found, isJson: true };
      } catch {
        // The parser's error would show the text.
        return { found, isJson: false };
      }
    },
    isEnded: () => parser.isEnded,
  };
}
