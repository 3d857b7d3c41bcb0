// What went wrong, as in the C++ library: a stable code, one lower-case sentence with the numbers, and notes.

export type ErrorCode =
  | 'invalid_argument' | 'parse' | 'not_found' | 'io' | 'unsupported' | 'not_eligible' | 'limit' | 'out_of_memory' | 'device_lost'
  | 'gpu' | 'timeout' | 'internal';

export interface SourceLocation { file: string; line: number; column: number }

/** Every failure of this package is one of these. `notes` holds further sentences, e.g. one for each variant not chosen. */
export class HalfbyteError extends Error {
  override readonly name = 'HalfbyteError';
  constructor(
    readonly code: ErrorCode, message: string, readonly notes: readonly string[] = [],
    readonly where: SourceLocation = { file: '', line: 0, column: 0 },
  ) {
    super(where.file ? `${where.file}${where.line ? `:${where.line}:${where.column}` : ''}: ${message}` : message);
  }
}

/** One sentence of anything thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
