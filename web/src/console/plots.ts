// What draws curves, in one file of script: it comes behind the page's own.
export { Curves } from "./Curves";
export { Measures } from "./Measures";
