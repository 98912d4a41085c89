/** What is wrong with a file, a column or a cell, and where. */
export interface Problem {
  code:
    | "empty" // there is nobody below the names of the columns
    | "workbook" // it is no text, but what spreadsheets save by themselves
    | "encoding" // characters that were lost before, or of no known encoding
    | "quote_open" // a quote is never closed
    | "column_unknown" // a name that is no field of a person
    | "column_twice" // two columns of one field that has one value
    | "column_unnamed" // a cell in a column without a name
    | "cell_boolean"; // neither yes nor no
  row?: number;
  column?: number;
  name?: string;
  cell?: string;
}
