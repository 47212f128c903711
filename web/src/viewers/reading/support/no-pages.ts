/** The failure of a book that the server reads, but that contains no page. */
export class NoPages extends Error {}
